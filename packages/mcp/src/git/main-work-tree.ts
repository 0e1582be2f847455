/**
 * The main work tree of a repository, as seen from a linked one. Only the files that git keeps for that are read, and
 * both sides must name each other: a `.git` file in an archive may name any repository of this user. Git is started
 * only for a repository whose folder is not called `.git`.
 */

import { lstatSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { readText } from '../system/files/read.ts';
import { runGit } from './git.ts';

/** A path and a word. */
const MAX_BYTES = 64 * 1024;

/** What a linked work tree shares with the others: the common git folder. */
export interface LinkedWorkTree {
  top: string;
  /** The git folder of this work tree. */
  gitFolder: string;
  commonFolder: string;
}

/**
 * The folder that stands for all work trees of the repository: the main one, or of a bare repository its own folder.
 * Undefined where `top` is the main work tree, or its `.git` leads to a repository that does not name it.
 */
export async function mainWorkTree(top: string): Promise<string | undefined> {
  const linked = linkedWorkTree(top);
  if (linked === undefined || !isLinkedWorkTree(linked)) return undefined;
  const { commonFolder } = linked;
  if (path.basename(commonFolder) === '.git') return path.dirname(commonFolder);
  return (await separateWorkTree(commonFolder)) ?? commonFolder;
}

/** Its folder is one of the shared repository's, and names the `.git` file of the work tree. */
export function isLinkedWorkTree({ top, gitFolder, commonFolder }: LinkedWorkTree): boolean {
  if (!isSame(path.dirname(gitFolder), path.join(commonFolder, 'worktrees'))) return false;
  const named = pathIn(path.join(gitFolder, 'gitdir'));
  return named !== undefined && path.basename(named) === '.git' && isSame(path.dirname(named), top);
}

/** Letters of a drive differ in case. */
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

/** As the files say; of a submodule, and of a repository whose git folder lies elsewhere, there is no common folder. */
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

/** The work tree of a repository whose folder is elsewhere, as that of a submodule is; it must lead back. */
async function separateWorkTree(commonFolder: string): Promise<string | undefined> {
  const args = ['--file', path.join(commonFolder, 'config'), '--get', 'core.worktree'];
  const { stdout, problem } = await runGit(commonFolder, ['config', ...args]);
  const named = stdout.replace(/\n$/u, '');
  if (problem !== null || named === '') return undefined;
  const top = path.resolve(commonFolder, named);
  const leadsTo = pathIn(path.join(top, '.git'), /^gitdir: /u);
  return leadsTo !== undefined && isSame(leadsTo, commonFolder) ? realpathSync.native(top) : undefined;
}

/** The path that a file of git holds, relative to the folder of that file. */
function pathIn(file: string, before = /^/u): string | undefined {
  try {
    const text = readText(file, { maxBytes: MAX_BYTES, links: 'refused' }).replace(/\r?\n$/u, '');
    if (!before.test(text)) return undefined;
    return path.resolve(path.dirname(file), text.replace(before, ''));
  } catch {
    return undefined;
  }
}
