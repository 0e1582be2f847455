/** Finds the packages of a workspace in which a command runs a script, and how to pass arguments to the script. */

import path from 'node:path';
import { foldersIn, hasFile, projectFile } from '../../system/files/project-file.ts';
import { field, packageScripts, readManifest } from './scripts.ts';

export interface WorkspaceRun {
  /** The packages with the script, relative to the root. */
  folders: string[];
  script: string;
  /** True if arguments for the script follow `--`. */
  needsDashes: boolean;
}

/** Commands that run a script in every package, up to the name of the script. */
const IN_EVERY_PACKAGE: readonly { pattern: RegExp; needsDashes: boolean }[] = [
  {
    pattern: /^(?=.*\s(?:-ws|--workspaces)(?:\s|$))npm (?:-\S+ )*(?:run |run-script )?(?:-\S+ )*(\S+)/u,
    needsDashes: true,
  },
  { pattern: /^(?=.*\s(?:-r|--recursive)(?:\s|$))pnpm (?:-\S+ )*(?:run )?(?:-\S+ )*(\S+)/u, needsDashes: false },
  { pattern: /^yarn workspaces (?:run|foreach(?: -\S+)* run) (\S+)/u, needsDashes: false },
  { pattern: /^(?:npx |pnpm (?:exec )?|yarn )?(?:turbo|lerna) run (?:-\S+ )*(\S+)/u, needsDashes: true },
];

/** Returns undefined if the command runs a script of the project itself, or none. */
export function workspaceRun(words: readonly string[], root: string): WorkspaceRun | undefined {
  for (const { pattern, needsDashes } of IN_EVERY_PACKAGE) {
    const named = pattern.exec(words.join(' '))?.[1];
    if (named === undefined || named.startsWith('-')) continue;
    const script = named === 't' || named === 'tst' ? 'test' : named;
    const folders = packageFolders(root).filter(
      (folder) => packageScripts(path.join(root, folder))[script] !== undefined,
    );
    return folders.length === 0 ? undefined : { folders, script, needsDashes };
  }
  return undefined;
}

function packageFolders(root: string): string[] {
  const patterns = [...manifestPatterns(root), ...pnpmPatterns(root)];
  const isIn = (folder: string) => hasFile(root, `${folder}/package.json`);
  const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => tidy(pattern.slice(1)));
  const found = patterns
    .filter((pattern) => !pattern.startsWith('!'))
    .flatMap((pattern) => matching(tidy(pattern), root));
  return [...new Set(found)].filter((folder) => isIn(folder) && !excluded.includes(folder)).sort();
}

function manifestPatterns(root: string): string[] {
  const workspaces = field(readManifest(root), 'workspaces');
  const listed = Array.isArray(workspaces) ? workspaces : field(workspaces, 'packages');
  return Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
}

/** The list below `packages:`. */
function pnpmPatterns(root: string): string[] {
  const list = /^packages:\s*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/mu.exec(
    projectFile(root, 'pnpm-workspace.yaml') ?? '',
  )?.[1];
  return [...(list ?? '').matchAll(/^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*(?:#.*)?$/gmu)].map(([, pattern = '']) => pattern);
}

function tidy(pattern: string): string {
  return pattern.replace(/^\.\//u, '').replace(/\/+$/u, '');
}

/** The folders that match a pattern. A star matches any name, and two stars match only one level. */
function matching(pattern: string, root: string): string[] {
  let folders = [''];
  for (const part of pattern.split('/')) {
    folders = part.includes('*')
      ? folders.flatMap((folder) => namesIn(path.join(root, folder), part).map((name) => path.posix.join(folder, name)))
      : folders.map((folder) => path.posix.join(folder, part));
  }
  return folders;
}

function namesIn(folder: string, part: string): string[] {
  const [before = '', after = ''] = part.split(/\*+/u);
  const names = foldersIn(folder).filter((name) => name !== 'node_modules');
  return names.filter((name) => name.startsWith(before) && name.endsWith(after));
}
