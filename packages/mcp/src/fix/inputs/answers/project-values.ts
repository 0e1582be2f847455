/**
 * Values that a project and its machine already say: from manifests, git's settings, the README, names of variables.
 * The value of no variable is read, in `.env` or in the environment.
 */

import { userInfo } from 'node:os';
import path from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { at, parsed, text } from '../../../environment/facts.ts';
import { Git, type GitArgs } from '../../../git/git.ts';
import { ProjectFiles } from '../../context/code/files.ts';
import { envFilesIn, filesNaming } from '../../context/system/variables.ts';

export interface Value {
  value: string;
  source: string;
  /** 0 to 1. */
  confidence: number;
}

export interface ProjectValues {
  files: ProjectFiles;
  /** The best first. */
  get(topic: Topic): Value | undefined;
  /** The files that name a variable. */
  envFilesWith(name: string): string[];
}

export const TOPICS = [
  'project_name',
  'version',
  'description',
  'author_name',
  'author_email',
  'author',
  'license',
  'repository',
  'homepage',
  'main',
  'test_command',
  'keywords',
  'user',
  'organization',
  'branch',
  'port',
  'python',
  'node',
] as const;
export type Topic = (typeof TOPICS)[number];

export async function projectValues(root: string, signal?: AbortSignal): Promise<ProjectValues> {
  const files = new ProjectFiles(root);
  const found = new Map<Topic, Value>();
  const add = (topic: Topic, value: string | undefined, source: string, confidence: number) => {
    const clean = value?.trim();
    // The first source is the best; a value with a line break is no answer to a prompt.
    if (clean && !found.has(topic) && clean.length <= 200 && !/[\r\n\0]/u.test(clean)) {
      found.set(topic, { value: clean, source, confidence });
    }
  };
  fromPackageJson(files, add);
  fromOtherManifests(files, add);
  await fromGit(files.root, signal, add);
  fromReadme(files, add);
  fromDocker(files, add);
  add('project_name', path.basename(files.root), 'folder name', 0.6);
  add('author', authorOf(found), 'git config user.name, user.email', 0.9);
  add('user', userName(), 'user of this machine', 0.6);
  const named = envFilesIn(files);
  return {
    files,
    get: (topic) => found.get(topic),
    envFilesWith: (name) => filesNaming(name, named),
  };
}

type Add = (topic: Topic, value: string | undefined, source: string, confidence: number) => void;

function fromPackageJson(files: ProjectFiles, add: Add): void {
  const manifest = parsed(JSON.parse, files.text('package.json'));
  if (manifest === undefined) return;
  const own = (key: string) => text(at(manifest, key));
  const author = at(manifest, 'author');
  const written = /^(?<name>[^<(]*?)\s*(?:<(?<email>[^>]+)>)?\s*(?:\(.*\))?$/u.exec(text(author) ?? '')?.groups;
  const repository = own('repository') ?? text(at(manifest, 'repository', 'url'));
  const source = (key: string) => `package.json ${key}`;
  add('project_name', own('name')?.replace(/^@[^/]+\//u, ''), source('name'), 0.95);
  add('organization', /^@([^/]+)\//u.exec(own('name') ?? '')?.[1], source('name'), 0.7);
  add('version', own('version'), source('version'), 0.95);
  add('description', own('description'), source('description'), 0.9);
  add('license', own('license'), source('license'), 0.95);
  add('homepage', own('homepage'), source('homepage'), 0.9);
  add('repository', withoutCredentials(repository?.replace(/^git\+/u, '')), source('repository'), 0.9);
  add('main', own('main'), source('main'), 0.9);
  add('test_command', text(at(manifest, 'scripts', 'test')), source('scripts.test'), 0.9);
  const keywords = at(manifest, 'keywords');
  if (Array.isArray(keywords))
    add('keywords', keywords.filter((one) => typeof one === 'string').join(' '), source('keywords'), 0.9);
  add('author_name', text(at(author, 'name')) ?? written?.name, source('author'), 0.9);
  add('author_email', text(at(author, 'email')) ?? written?.email, source('author'), 0.9);
}

function fromOtherManifests(files: ProjectFiles, add: Add): void {
  const cargo = parsed(parseToml, files.text('Cargo.toml'));
  const python = parsed(parseToml, files.text('pyproject.toml'));
  const tables: readonly [unknown, string][] = [
    [at(cargo, 'package'), 'Cargo.toml package'],
    [at(python, 'project'), 'pyproject.toml project'],
    [at(python, 'tool', 'poetry'), 'pyproject.toml tool.poetry'],
  ];
  for (const [table, source] of tables) {
    add('project_name', text(at(table, 'name')), `${source}.name`, 0.9);
    add('version', text(at(table, 'version')), `${source}.version`, 0.9);
    add('description', text(at(table, 'description')), `${source}.description`, 0.85);
    add('license', text(at(table, 'license')) ?? text(at(table, 'license', 'text')), `${source}.license`, 0.9);
    add('repository', withoutCredentials(text(at(table, 'repository'))), `${source}.repository`, 0.85);
  }
  add('python', text(at(python, 'project', 'requires-python')) ?? files.text('.python-version'), 'pyproject.toml', 0.8);
  add('node', files.text('.nvmrc') ?? files.text('.node-version'), '.nvmrc', 0.8);
  const module = /^module\s+(\S+)/mu.exec(files.text('go.mod') ?? '')?.[1];
  add('project_name', module?.split('/').at(-1), 'go.mod', 0.85);
  const licence = files.text('LICENSE') ?? files.text('LICENSE.md') ?? files.text('LICENSE.txt') ?? '';
  add('license', LICENCES.find(({ pattern }) => pattern.test(licence))?.id, 'LICENSE', 0.85);
}

const LICENCES = [
  { id: 'MIT', pattern: /\bMIT License\b/iu },
  { id: 'Apache-2.0', pattern: /Apache License,?\s+Version 2\.0/iu },
  { id: 'GPL-3.0', pattern: /GNU GENERAL PUBLIC LICENSE\s+Version 3/iu },
  { id: 'MPL-2.0', pattern: /Mozilla Public License,? (?:Version|v\.?) ?2\.0/iu },
  { id: 'ISC', pattern: /\bISC License\b/iu },
];

async function fromGit(root: string, signal: AbortSignal | undefined, add: Add): Promise<void> {
  const git = new Git(root);
  const said = async (...args: GitArgs) => (await git.run(args, { signal })).stdout.trim();
  const [name, email, remote, branch] = await Promise.all([
    said('config', '--get', 'user.name'),
    said('config', '--get', 'user.email'),
    said('config', '--get', 'remote.origin.url'),
    said('symbolic-ref', '--quiet', '--short', 'HEAD'),
  ]);
  add('author_name', name, 'git config user.name', 0.95);
  add('author_email', email, 'git config user.email', 0.95);
  add('repository', withoutCredentials(remote), 'git remote origin', 0.9);
  add('organization', /[:/]([\w.-]+)\/[\w.-]+?(?:\.git)?$/u.exec(remote)?.[1], 'git remote origin', 0.6);
  add('branch', branch, 'git branch', 0.7);
}

/** An address may carry a password of whoever cloned it. */
function withoutCredentials(address: string | undefined): string | undefined {
  return address?.replace(/^(\w+:\/\/)[^/@\s]+@/u, '$1');
}

function fromReadme(files: ProjectFiles, add: Add): void {
  const readme = ['README.md', 'README', 'README.rst', 'readme.md'].map((name) => files.text(name)).find((one) => one);
  const title = /^#\s+(.+?)\s*#*$/mu.exec(readme ?? '')?.[1]?.replaceAll(/[`*_[\]]/gu, '');
  add(
    'project_name',
    title
      ?.toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, '-')
      .replaceAll(/^-|-$/gu, ''),
    'README title',
    0.7,
  );
  const paragraph = /^#\s.*\n+(?:\[?!\[.*\n+)*([A-Z][^\n<[]{10,160})/mu.exec(readme ?? '')?.[1];
  add('description', paragraph, 'README', 0.6);
}

function fromDocker(files: ProjectFiles, add: Add): void {
  add('port', /^EXPOSE\s+(\d{2,5})/mu.exec(files.text('Dockerfile') ?? '')?.[1], 'Dockerfile EXPOSE', 0.8);
}

function authorOf(found: ReadonlyMap<Topic, Value>): string | undefined {
  const name = found.get('author_name')?.value;
  const email = found.get('author_email')?.value;
  return name && email ? `${name} <${email}>` : name;
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
