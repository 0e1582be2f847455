/** Finds the packages of a workspace in which a command runs a script, and how to pass arguments to the script. */

import path from 'node:path';
import { hasFile, listSubfolders, readProjectFile } from '../../system/files/project-file.ts';
import { getField, readManifest, readPackageScripts } from './scripts.ts';

export interface WorkspaceRun {
  /** The packages that have the script, relative to the root. */
  folders: string[];
  script: string;
  /** True if arguments for the script must follow `--`. */
  needsDashes: boolean;
}

/** Matches commands that run a script in every package, up to the name of the script. */
const WORKSPACE_RUN_COMMANDS: readonly { pattern: RegExp; needsDashes: boolean }[] = [
  {
    pattern: /^(?=.*\s(?:-ws|--workspaces)(?:\s|$))npm (?:-\S+ )*(?:run |run-script )?(?:-\S+ )*(\S+)/u,
    needsDashes: true,
  },
  { pattern: /^(?=.*\s(?:-r|--recursive)(?:\s|$))pnpm (?:-\S+ )*(?:run )?(?:-\S+ )*(\S+)/u, needsDashes: false },
  { pattern: /^yarn workspaces (?:run|foreach(?: -\S+)* run) (\S+)/u, needsDashes: false },
  { pattern: /^(?:npx |pnpm (?:exec )?|yarn )?(?:turbo|lerna) run (?:-\S+ )*(\S+)/u, needsDashes: true },
];

/** Returns undefined if the command runs no script in packages, or if no package has the script. */
export function findWorkspaceRun(words: readonly string[], root: string): WorkspaceRun | undefined {
  for (const { pattern, needsDashes } of WORKSPACE_RUN_COMMANDS) {
    const scriptWord = pattern.exec(words.join(' '))?.[1];
    if (scriptWord === undefined || scriptWord.startsWith('-')) continue;
    const script = scriptWord === 't' || scriptWord === 'tst' ? 'test' : scriptWord;
    const folders = listPackageFolders(root).filter(
      (folder) => readPackageScripts(path.join(root, folder))[script] !== undefined,
    );
    return folders.length === 0 ? undefined : { folders, script, needsDashes };
  }
  return undefined;
}

function listPackageFolders(root: string): string[] {
  const patterns = [...readManifestPatterns(root), ...readPnpmPatterns(root)];
  const isPackage = (folder: string) => hasFile(root, `${folder}/package.json`);
  const excluded = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => trimPattern(pattern.slice(1)));
  const matchingFolders = patterns
    .filter((pattern) => !pattern.startsWith('!'))
    .flatMap((pattern) => expandPattern(trimPattern(pattern), root));
  return [...new Set(matchingFolders)].filter((folder) => isPackage(folder) && !excluded.includes(folder)).sort();
}

function readManifestPatterns(root: string): string[] {
  const workspaces = getField(readManifest(root), 'workspaces');
  const listed = Array.isArray(workspaces) ? workspaces : getField(workspaces, 'packages');
  return Array.isArray(listed) ? listed.filter((pattern): pattern is string => typeof pattern === 'string') : [];
}

/** Reads the list below `packages:` in pnpm-workspace.yaml. */
function readPnpmPatterns(root: string): string[] {
  const list = /^packages:\s*\n((?:[ \t]*(?:-.*|#.*)?\n?)*)/mu.exec(
    readProjectFile(root, 'pnpm-workspace.yaml') ?? '',
  )?.[1];
  return [...(list ?? '').matchAll(/^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*(?:#.*)?$/gmu)].map(([, pattern = '']) => pattern);
}

function trimPattern(pattern: string): string {
  return pattern.replace(/^\.\//u, '').replace(/\/+$/u, '');
}

/** Returns the folders that match a pattern. A star matches any name. Two stars match only a single level. */
function expandPattern(pattern: string, root: string): string[] {
  let folders = [''];
  for (const part of pattern.split('/')) {
    folders = part.includes('*')
      ? folders.flatMap((folder) =>
          listMatchingNames(path.join(root, folder), part).map((name) => path.posix.join(folder, name)),
        )
      : folders.map((folder) => path.posix.join(folder, part));
  }
  return folders;
}

function listMatchingNames(folder: string, part: string): string[] {
  const [prefix = '', suffix = ''] = part.split(/\*+/u);
  const names = listSubfolders(folder).filter((name) => name !== 'node_modules');
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
}
