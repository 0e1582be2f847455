/**
 * A temporary work tree of another commit for one run, so that the checked-out files do not change. It is linked to the
 * repository, so that its runs go to the same memory. The next call removes work trees that killed processes left.
 */

import { lstatSync, mkdirSync, statfsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../errors.ts';
import { Git } from '../git/git.ts';
import { commitOf } from '../git/history.ts';
import { type TemporaryFolder, temporaryFolder } from '../system/files/temporary.ts';
import { realOr } from '../system/files/way.ts';
import { workTreeTop } from '../system/files/work-tree-top.ts';

/** Maximum size of a checkout, in bytes. */
const MAX_BYTES = 2 * 1024 ** 3;
/** Maximum share of the free disk space for a checkout. */
const MAX_SHARE = 0.5;
const CHECKOUT_TIMEOUT_MS = 300_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** Folders of installed packages. No commit contains them, so the tests use the folders of the current work tree. */
const INSTALLED = new Set(['node_modules', '.venv', 'venv', 'vendor']);

export interface CommitWorkTree {
  /** The folder of the project in the work tree. */
  root: string;
  remove(): Promise<void>;
}

/** Throws `ArgusError` if the commit is unknown or the checkout would be too large. */
export async function commitWorkTree(root: string, name: string, signal?: AbortSignal): Promise<CommitWorkTree> {
  const top = workTreeTop(realOr(root));
  if (top === undefined) throw new ArgusError('INVALID_INPUT', `${root} is in no git repository.`);
  const git = new Git(top);
  const commit = await commitOf(git, name, signal);
  if (commit === null) throw new ArgusError('INVALID_INPUT', `There is no commit ${JSON.stringify(name)} here.`);
  const folder = temporaryFolder('at');
  try {
    await checkSize(git, commit, folder);
    await git.text(['worktree', 'prune']);
    const tree = path.join(folder.path, 'tree');
    await git.text(['worktree', 'add', '--detach', '--quiet', tree, commit], {
      signal,
      timeoutMs: CHECKOUT_TIMEOUT_MS,
    });
    await linkInstalled(git, top, tree);
    const remove = async () => {
      folder.remove();
      await git.run(['worktree', 'prune']);
    };
    return { root: path.join(tree, path.relative(top, realOr(root))), remove };
  } catch (thrown) {
    folder.remove();
    throw thrown;
  }
}

async function checkSize(git: Git, commit: string, folder: TemporaryFolder): Promise<void> {
  const list = await git.text(['ls-tree', '-r', '-z', '--format=%(objectsize)', commit], { maxBytes: MAX_LIST_BYTES });
  const bytes = list.split('\0').reduce((sum, size) => sum + (Number(size) || 0), 0);
  const { bavail, bsize } = statfsSync(folder.path);
  const most = Math.min(MAX_BYTES, bavail * bsize * MAX_SHARE);
  if (bytes <= most) return;
  const [needed, allowed] = [bytes, most].map((size) => Math.ceil(size / 1024 ** 2));
  throw new ArgusError(
    'COMMAND_FAILED',
    `The files of ${commit} take ${needed} MiB; a temporary work tree may take ${allowed}.`,
  );
}

async function linkInstalled(git: Git, top: string, tree: string): Promise<void> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'] as const;
  const { stdout } = await git.run(args, { maxBytes: MAX_LIST_BYTES });
  for (const name of stdout.split('\0').map((entry) => entry.replace(/\/$/u, ''))) {
    const there = path.join(tree, name);
    if (!INSTALLED.has(path.basename(name)) || lstatSync(there, { throwIfNoEntry: false })) continue;
    mkdirSync(path.dirname(there), { recursive: true });
    symlinkSync(path.join(top, name), there, 'junction');
  }
}
