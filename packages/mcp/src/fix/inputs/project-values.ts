/** Values that the project tells: its package.json, git's settings, `.env` files and the README. */

import path from 'node:path';
import { at, parsed, text } from '../../environment/facts.ts';
import { Git } from '../../git/git.ts';
import type { ProjectFiles } from '../context/code/files.ts';

export interface Value {
  value: string;
  source: string;
  /** 0 to 1. */
  confidence: number;
}

export type ProjectValues = Awaited<ReturnType<typeof projectValues>>;

const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.example'];
const AUTHOR = ['git config user.name', 'package.json author.name', 'package.json author'];
const REPOSITORY = ['package.json repository', 'package.json repository.url', 'git config remote.origin.url'];
const NAME =
  /\b(?:project|app(?:lication)?|package|service|module|image)\b.*\b(?:name|id|slug)\b|^\W*(?:project|app)\W*$|项目名/iu;

/** What a question or its variable is about, and the sources that are asked in turn; the first that fits counts. */
const TOPICS: readonly [about: RegExp, ...sources: string[]][] = [
  [/\be-?mail\b|邮箱/iu, 'git config user.email', 'package.json author.email'],
  [/\brepo(?:sitory)?\b|\bremote url\b|仓库/iu, ...REPOSITORY],
  [/^(?!.*(?:node|python|php|java|go|rust|postgres|docker|api) ?version).*\bversion\b|版本/iu, 'package.json version'],
  [/\bdescri(?:be|ption)\b|描述/iu, 'package.json description', 'README'],
  [/\blicen[sc]e\b|许可/iu, 'package.json license'],
  [/\bhome ?page\b|\bwebsite\b/iu, 'package.json homepage'],
  [/\bbranch\b|分支/iu, 'git branch'],
  [/^\W*author\W*$/iu, 'git config user', ...AUTHOR],
  [/\bauthor\b|\bmaintainer\b|\b(?:your|full|first|real) name\b|姓名|作者/iu, ...AUTHOR],
  [NAME, 'package.json name', 'README title', 'folder name'],
];

export async function projectValues(files: ProjectFiles, signal?: AbortSignal) {
  const git = new Git(files.root);
  const { stdout } = await git.run(['config', '--get-regexp', '^(user\\.(name|email)|remote\\..*\\.url)$'], { signal });
  const settings = new Map([...stdout.matchAll(/^(\S+) (.*)$/gmu)].map(([, key = '', value = '']) => [key, value]));
  const [name, email] = [settings.get('user.name'), settings.get('user.email')];
  if (name && email) settings.set('user', `${name} <${email}>`);
  const branch = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], { signal });
  const manifest = parsed(JSON.parse, files.text('package.json'));
  const readme = files.text('README.md') ?? '';
  const title = /^#\s+(.+?)\s*#*$/mu.exec(readme)?.[1]?.toLowerCase();
  const told: Readonly<Record<string, (key: string) => [confidence: number, value: string | undefined]>> = {
    'git config': (key) => [0.95, settings.get(key)],
    'package.json': (key) => [0.95, text(at(manifest, ...key.split('.')))?.replace(/^@[^/]+\/|^git\+/u, '')],
    'git branch': () => [0.7, branch.stdout],
    'README title': () => [0.7, title?.replaceAll(/[^a-z0-9]+/gu, '-')],
    README: () => [0.7, /^#\s.*\n+(?:\[?!\[.*\n+)*([A-Z][^\n<[]{10,160})/mu.exec(readme)?.[1]],
    'folder name': () => [0.6, path.basename(files.root)],
  };
  const read = (source: string): Value[] => {
    const [, kind = source, key = ''] = /^(git config|package\.json) (.*)$/u.exec(source) ?? [];
    return valueFrom(source, ...(told[kind]?.(key) ?? [0, undefined]));
  };
  return {
    /** By what a text is about; null where that is known and has no value. */
    about(asking: string): Value | null | undefined {
      const [topic, ...sources] = TOPICS.find(([pattern]) => pattern.test(asking)) ?? [];
      return topic && (sources.flatMap(read)[0] ?? null);
    },
    /** By the name of a variable in a `.env` file. */
    variable(asked: string): Value | undefined {
      const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${asked}[ \\t]*=[ \\t]*(["']?)([^"'#\\n]*)\\1`, 'mu');
      const all = /^\w+$/u.test(asked) ? ENV_FILES : [];
      return all.flatMap((file) => valueFrom(`${file} ${asked}`, 0.9, line.exec(files.text(file) ?? '')?.[2]))[0];
    },
  };
}

/** An address may carry the password of whoever cloned it; a value with a line break answers no prompt. */
function valueFrom(source: string, confidence: number, value = ''): Value[] {
  const clean = value.trim().replace(/^(\w+:\/\/)[^/@\s]+@/u, '$1');
  return clean === '' || clean.length > 200 || /[\r\n\0]/u.test(clean) ? [] : [{ value: clean, source, confidence }];
}
