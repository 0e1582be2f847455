/**
 * Creates a temporary work tree of another commit for a run, so that the checked-out files do not change. The work tree
 * belongs to the repository, so its runs use the same memory. The next call removes work trees that killed processes
 * left behind.
 */

import { lstatSync, mkdirSync, statfsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../errors.ts';
import { Git } from '../git/git.ts';
import { resolveCommit } from '../git/history.ts';
import { findWorkTreeTop, resolveRealPath } from '../system/files/path-safety.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../system/files/temporary.ts';

/** Maximum size of a checkout, in bytes. */
const MAX_CHECKOUT_BYTES = 2 * 1024 ** 3;
/** Maximum share of the free disk space for a checkout. */
const MAX_DISK_SHARE = 0.5;
const CHECKOUT_TIMEOUT_MS = 300_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** Folders of installed packages. No commit contains them, so the tests use the folders of the current work tree. */
const INSTALLED_FOLDERS = new Set(['node_modules', '.venv', 'venv', 'vendor']);

interface CommitWorkTree {
  /** The folder of the project in the work tree. */
  root: string;
  remove(): Promise<void>;
}

/** Throws `ArgusError` if the commit is unknown or the checkout would be too large. */
export async function createCommitWorkTree(
  root: string,
  revision: string,
  signal?: AbortSignal,
): Promise<CommitWorkTree> {
  const top = findWorkTreeTop(resolveRealPath(root));
  if (top === undefined) throw new ArgusError('INVALID_INPUT', `${root} is not in a git repository.`);
  const git = new Git(top);
  const commit = await resolveCommit(git, revision, signal);
  if (commit === null)
    throw new ArgusError('INVALID_INPUT', `The commit ${JSON.stringify(revision)} does not exist in this repository.`);
  const folder = createTemporaryFolder('at');
  try {
    await requireCheckoutFits(git, commit, folder);
    await git.readText(['worktree', 'prune']);
    const tree = path.join(folder.path, 'tree');
    await git.readText(['worktree', 'add', '--detach', '--quiet', tree, commit], {
      signal,
      timeoutMs: CHECKOUT_TIMEOUT_MS,
    });
    await linkInstalledFolders(git, top, tree);
    const remove = async () => {
      folder.remove();
      await git.run(['worktree', 'prune']);
    };
    return { root: path.join(tree, path.relative(top, resolveRealPath(root))), remove };
  } catch (thrown) {
    folder.remove();
    throw thrown;
  }
}

async function requireCheckoutFits(git: Git, commit: string, folder: TemporaryFolder): Promise<void> {
  const list = await git.readText(['ls-tree', '-r', '-z', '--format=%(objectsize)', commit], {
    maxBytes: MAX_LIST_BYTES,
  });
  const bytes = list.split('\0').reduce((sum, size) => sum + (Number(size) || 0), 0);
  const { bavail, bsize } = statfsSync(folder.path);
  const maxBytes = Math.min(MAX_CHECKOUT_BYTES, bavail * bsize * MAX_DISK_SHARE);
  if (bytes <= maxBytes) return;
  const [needed, allowed] = [bytes, maxBytes].map((size) => Math.ceil(size / 1024 ** 2));
  throw new ArgusError(
    'COMMAND_FAILED',
    `The files of ${commit} take ${needed} MiB; a temporary work tree may take ${allowed}.`,
  );
}

async function linkInstalledFolders(git: Git, top: string, tree: string): Promise<void> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'] as const;
  const { stdout } = await git.run(args, { maxBytes: MAX_LIST_BYTES });
  for (const name of stdout.split('\0').map((entry) => entry.replace(/\/$/u, ''))) {
    const link = path.join(tree, name);
    if (!INSTALLED_FOLDERS.has(path.basename(name)) || lstatSync(link, { throwIfNoEntry: false })) continue;
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(top, name), link, 'junction');
  }
}
