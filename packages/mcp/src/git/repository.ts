/**
 * Finds the repository that a folder belongs to, and checks that it is the folder's own. A `.git` file, a link or the
 * settings in an archive may name another repository of this user, which must not be read or written from here.
 */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { workTreeTop } from '../system/files/work-tree-top.ts';
import { Git, isRefusal, isTooSlow } from './git.ts';
import { isLinkedWorkTree, isSame, statsOf } from './main-work-tree.ts';

export interface Repository {
  /** The root of the work tree. */
  top: string;
  /** The path of the folder in the work tree with a `/` at its end. Empty for the root. */
  prefix: string;
  /** The git folder of this work tree. */
  gitFolder: string;
  /** The git folder that linked work trees share. Otherwise the same as `gitFolder`. */
  commonFolder: string;
}

const BORROWED = 'its .git leads to a repository that does not name this folder as its work tree';

/** Paths that are written in a repository. They must not be links, because a write would go elsewhere. */
const WRITTEN = ['objects', 'packed-refs', 'refs', 'refs/argus', 'refs/argus/fixes', 'reftable'];

/** Undefined outside a work tree and without git. A text is the reason why the repository is not used. */
export async function repositoryOf(
  root: string,
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<Repository | string | undefined> {
  const git = new Git(root, timeoutMs);
  const asked = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-common-dir'];
  const { stdout, problem } = await git.run(['rev-parse', ...asked], { signal });
  if (isRefusal(problem) || isTooSlow(problem)) return problem ?? undefined;
  const [top = '', prefix = '', gitFolder = '', common = ''] = stdout.split('\n');
  if (problem !== null || !isNearestTop(top, root)) return undefined;
  const repository = { top: path.resolve(top), prefix, gitFolder, commonFolder: path.resolve(root, common) };
  return (await isOwn(git, repository, signal)) ? repository : BORROWED;
}

/** Settings may move the work tree elsewhere, over files that do not belong to the repository. */
function isNearestTop(top: string, root: string): boolean {
  const nearest = workTreeTop(realpathSync.native(root));
  return top !== '' && nearest !== undefined && isSame(top, nearest);
}

async function isOwn(git: Git, repository: Repository, signal: AbortSignal | undefined): Promise<boolean> {
  const { top, gitFolder, commonFolder } = repository;
  if (WRITTEN.some((name) => statsOf(path.join(commonFolder, name))?.isSymbolicLink())) return false;
  const isWhole = isSame(gitFolder, commonFolder);
  if (statsOf(path.join(top, '.git'))?.isDirectory()) return isWhole;
  return isWhole ? namesWorkTree(git, repository, signal) : isLinkedWorkTree(repository);
}

/** Checks `core.worktree`, which names the work tree, for example in the git folder of a submodule. */
async function namesWorkTree(
  git: Git,
  { top, gitFolder }: Repository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const args = ['--file', path.join(gitFolder, 'config'), '--get', 'core.worktree'];
  const { stdout, problem } = await git.run(['config', ...args], { signal });
  return problem === null && isSame(path.resolve(gitFolder, stdout.replace(/\n$/u, '')), top);
}
