/**
 * Finds the main work tree of a repository from a linked work tree. Both must name each other in git's files, because a
 * `.git` file in an archive may name any repository of this user. Git itself is started only if the repository's folder
 * is not called `.git`.
 */

import { lstatSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { readText } from '../system/files/read.ts';
import { runGit } from './git.ts';

/** Enough for a path and a word. */
const MAX_BYTES = 64 * 1024;

/** A linked work tree and the git folder that it shares with the other work trees. */
export interface LinkedWorkTree {
  top: string;
  /** The git folder of this work tree. */
  gitFolder: string;
  commonFolder: string;
}

/**
 * The folder that represents all work trees of the repository: the main work tree, or the folder of a bare repository.
 * Undefined if `top` is the main work tree, or if its `.git` leads to a repository that does not name `top`.
 */
export async function mainWorkTree(top: string): Promise<string | undefined> {
  const linked = linkedWorkTree(top);
  if (linked === undefined || !isLinkedWorkTree(linked)) return undefined;
  const { commonFolder } = linked;
  if (path.basename(commonFolder) === '.git') return path.dirname(commonFolder);
  return (await separateWorkTree(commonFolder)) ?? commonFolder;
}

/** Returns true if the git folder is in the shared repository and names the `.git` file of the work tree. */
export function isLinkedWorkTree({ top, gitFolder, commonFolder }: LinkedWorkTree): boolean {
  if (!isSame(path.dirname(gitFolder), path.join(commonFolder, 'worktrees'))) return false;
  const named = pathIn(path.join(gitFolder, 'gitdir'));
  return named !== undefined && path.basename(named) === '.git' && isSame(path.dirname(named), top);
}

/** Compares real paths with `path.relative`, because drive letters may differ in case. */
export function isSame(one: string, other: string): boolean {
  try {
    return path.relative(realpathSync.native(one), realpathSync.native(other)) === '';
  } catch {
    return false;
  }
}

export function statsOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

/**
 * The linked work tree according to git's files. Undefined for a submodule and for a repository with a separate git
 * folder, because these have no common folder.
 */
function linkedWorkTree(top: string): LinkedWorkTree | undefined {
  const file = path.join(top, '.git');
  if (!statsOf(file)?.isFile()) return undefined;
  const gitFolder = pathIn(file, /^gitdir: /u);
  const common = gitFolder === undefined ? undefined : pathIn(path.join(gitFolder, 'commondir'));
  if (gitFolder === undefined || common === undefined) return undefined;
  try {
    return { top, gitFolder, commonFolder: realpathSync.native(common) };
  } catch {
    return undefined;
  }
}

/**
 * The work tree of a repository with a separate git folder, such as a submodule. The work tree must lead back to it.
 */
async function separateWorkTree(commonFolder: string): Promise<string | undefined> {
  const args = ['--file', path.join(commonFolder, 'config'), '--get', 'core.worktree'];
  const { stdout, problem } = await runGit(commonFolder, ['config', ...args]);
  const named = stdout.replace(/\n$/u, '');
  if (problem !== null || named === '') return undefined;
  const top = path.resolve(commonFolder, named);
  const leadsTo = pathIn(path.join(top, '.git'), /^gitdir: /u);
  return leadsTo !== undefined && isSame(leadsTo, commonFolder) ? realpathSync.native(top) : undefined;
}

/** The path in one of git's files, resolved relative to the folder of the file. */
function pathIn(file: string, before = /^/u): string | undefined {
  try {
    const text = readText(file, { maxBytes: MAX_BYTES, links: 'refused' }).replace(/\r?\n$/u, '');
    if (!before.test(text)) return undefined;
    return path.resolve(path.dirname(file), text.replace(before, ''));
  } catch {
    return undefined;
  }
}
