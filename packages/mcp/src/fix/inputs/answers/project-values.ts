/** Values that the project tells: its package.json, git's settings, `.env` files and the README. */

import path from 'node:path';
import { at, parsed, text } from '../../../environment/facts.ts';
import { Git } from '../../../git/git.ts';
import type { ProjectFiles } from '../../context/code/files.ts';

export interface Value {
  value: string;
  source: string;
  /** 0 to 1. */
  confidence: number;
}

const GIT = ['user.name', 'user.email', 'remote.origin.url'].map((key) => `git config ${key}`);
const MANIFEST = 'name version description license homepage repository repository.url author author.name author.email';
const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.example'];
const AUTHOR = ['git config user.name', 'package.json author.name', 'package.json author'];

/** What a question or its variable is about, and the sources that are asked in turn; the first that fits counts. */
const TOPICS: readonly [about: RegExp, ...sources: string[]][] = [
  [/\be-?mail\b|邮箱/iu, 'git config user.email', 'package.json author.email'],
  [/\brepo(?:sitory)?\b|\bremote url\b|仓库/iu, 'package.json repository', 'package.json repository.url', GIT[2] ?? ''],
  [/^(?!.*(?:node|python|php|java|go|rust|postgres|docker|api) ?version).*\bversion\b|版本/iu, 'package.json version'],
  [/\bdescri(?:be|ption)\b|描述/iu, 'package.json description', 'README paragraph'],
  [/\blicen[sc]e\b|许可/iu, 'package.json license'],
  [/\bhome ?page\b|\bwebsite\b/iu, 'package.json homepage'],
  [/\bbranch\b|分支/iu, 'git branch'],
  [/^\W*author\W*$/iu, 'git config user', ...AUTHOR],
  [/\bauthor\b|\bmaintainer\b|\b(?:your|full|first|real) name\b|姓名|作者/iu, ...AUTHOR],
  [
    /\b(?:project|app(?:lication)?|package|service|module|image)\b.*\b(?:name|id|slug)\b|^\W*(?:project|app)\W*$|项目名/iu,
    'package.json name',
    'README title',
    'folder name',
  ],
];

/** By the beginning of a source. */
const CONFIDENCES = {
  'git branch': 0.7,
  'git config': 0.95,
  'package.json': 0.95,
  README: 0.7,
  folder: 0.6,
  '.env': 0.9,
};

/** Answers by what a text is about (null: known, without a value), or by the name of a variable in a `.env` file. */
export interface ProjectValues {
  about(text: string): Value | null | undefined;
  variable(name: string): Value | undefined;
}

export async function projectValues(files: ProjectFiles, signal?: AbortSignal): Promise<ProjectValues> {
  const git = new Git(files.root);
  const settings = await git.run(['config', '--get-regexp', '^(user\\.(name|email)|remote\\.origin\\.url)$'], {
    signal,
  });
  const branch = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], { signal });
  const readme = files.text('README.md') ?? '';
  const manifest = parsed(JSON.parse, files.text('package.json'));
  const told = new Map<string, string | undefined>([
    ['git branch', branch.stdout],
    [
      'README title',
      /^#\s+(.+?)\s*#*$/mu
        .exec(readme)?.[1]
        ?.toLowerCase()
        .replaceAll(/[^a-z0-9]+/gu, '-'),
    ],
    ['README paragraph', /^#\s.*\n+(?:\[?!\[.*\n+)*([A-Z][^\n<[]{10,160})/mu.exec(readme)?.[1]],
    ['folder name', path.basename(files.root)],
  ]);
  for (const key of MANIFEST.split(' ')) {
    told.set(`package.json ${key}`, text(at(manifest, ...key.split('.')))?.replace(/^@[^/]+\/|^git\+/u, ''));
  }
  for (const [, key, value] of settings.stdout.matchAll(/^(\S+) (.*)$/gmu)) told.set(`git config ${key}`, value);
  const [name, email] = GIT.map((source) => told.get(source));
  if (name && email) told.set('git config user', `${name} <${email}>`);
  return {
    about(asking) {
      const [topic, ...sources] = TOPICS.find(([pattern]) => pattern.test(asking)) ?? [];
      return topic && (sources.flatMap((source) => valueFrom(source, told.get(source)))[0] ?? null);
    },
    variable(asked) {
      const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${asked}[ \\t]*=[ \\t]*(["']?)([^"'#\\n]*)\\1`, 'mu');
      const all = /^\w+$/u.test(asked) ? ENV_FILES : [];
      return all.flatMap((file) => valueFrom(`${file} ${asked}`, line.exec(files.text(file) ?? '')?.[2]))[0];
    },
  };
}

/** An address may carry the password of whoever cloned it; a value with a line break answers no prompt. */
function valueFrom(source: string, value = ''): Value[] {
  const clean = value.trim().replace(/^(\w+:\/\/)[^/@\s]+@/u, '$1');
  const [, confidence = 0] = Object.entries(CONFIDENCES).find(([beginning]) => source.startsWith(beginning)) ?? [];
  return clean === '' || clean.length > 200 || /[\r\n\0]/u.test(clean) ? [] : [{ value: clean, source, confidence }];
}
