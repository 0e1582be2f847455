/**
 * Creates a temporary work tree of another commit for a run, so that the checked-out files do not change. The work tree
 * belongs to the repository, so its runs use the same memory. The next call removes work trees that killed processes
 * left behind.
 *
 * Installed packages are in no commit, so the work tree uses those of the project: its folder of packages is new, and
 * has a link to each package. So caches that tools write into that folder stay in the work tree, and a package that is
 * part of the repository is the one of the work tree.
 */

import { cpSync, type Dirent, existsSync, lstatSync, mkdirSync, readdirSync, statfsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../errors.ts';
import { Git } from '../git/git.ts';
import { resolveCommit } from '../git/history.ts';
import { findWorkTreeTop, isWithin, resolveRealPath } from '../system/files/path-safety.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../system/files/temporary.ts';
import { io } from '../system/io.ts';

/** Maximum size of a checkout, in bytes. */
const MAX_CHECKOUT_BYTES = 2 * 1024 ** 3;
/** Maximum share of the free disk space for a checkout. */
const MAX_DISK_SHARE = 0.5;
const CHECKOUT_TIMEOUT_MS = 300_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/** Folders of installed packages. */
const PACKAGE_FOLDERS = new Set(['node_modules', 'vendor']);
/** Python environments, whose programs contain the path of the environment. They are linked as a whole. */
const ENVIRONMENT_FOLDERS = new Set(['.venv', 'venv']);

/**
 * Folders in a folder of packages whose files find the project by their own place, so that links would lead to the
 * project: start scripts, and the class loader of Composer.
 */
const COPIED_FOLDERS = new Set(['.bin', 'bin', 'composer']);

/** Folders in a folder of packages that contain packages or links to them: `@scope` of npm. */
const isScope = (name: string) => name.startsWith('@');

/** Caches that tools write beside the packages, such as `.vite` and `.cache`. `.pnpm` and `.store` have packages. */
const isCache = (name: string) => name.startsWith('.') && !['.bin', '.pnpm', '.store'].includes(name);

export interface CommitWorkTree {
  /** Full hash of the commit. */
  commit: string;
  /** The top of the work tree. */
  top: string;
  /** The folder of the project in the work tree. */
  root: string;
  /** Environment variables with which tools read from the work tree and write into its folder. */
  env: Record<string, string>;
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
  const remove = async () => {
    folder.remove();
    await removeStaleWorkTrees(git);
  };
  try {
    await requireCheckoutFits(git, commit, folder);
    await removeStaleWorkTrees(git);
    const tree = path.join(resolveRealPath(folder.path), 'tree');
    await git.readText(['worktree', 'add', '--detach', '--quiet', tree, commit], {
      signal,
      timeoutMs: CHECKOUT_TIMEOUT_MS,
    });
    await addInstalledPackages(git, top, tree);
    const projectRoot = path.join(tree, path.relative(top, resolveRealPath(root)));
    return { commit, top: tree, root: projectRoot, env: createEnvironment(top, tree, projectRoot), remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Work trees of this file, in the output of `git worktree list`. */
const OWN_WORK_TREE = /^worktree (.+[/\\]argus-at-[^/\\]+[/\\]tree)$/gmu;

/**
 * Removes what git notes about work trees of Argus that are gone. `git worktree prune` would also remove the notes about
 * work trees of the user on a disk that is not mounted.
 */
export async function removeStaleWorkTrees(git: Git): Promise<void> {
  const { stdout } = await git.run(['worktree', 'list', '--porcelain']);
  for (const [, tree = ''] of stdout.matchAll(OWN_WORK_TREE))
    if (!existsSync(tree)) await git.run(['worktree', 'remove', '--force', tree]);
}

/** Python searches the work tree before an editable install of the project, which names the folder of the project. */
function createEnvironment(top: string, tree: string, root: string): Record<string, string> {
  const { PYTHONPATH = '', GOFLAGS = '' } = io().env;
  const own = PYTHONPATH.split(path.delimiter).filter((folder) => folder !== '');
  const moved = own.map((folder) => (isWithin(folder, top) ? path.join(tree, path.relative(top, folder)) : folder));
  const isPython = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) => existsSync(path.join(root, name)));
  const sources = isPython ? [path.join(root, 'src'), root].filter((folder) => existsSync(folder)) : [];
  const folders = [...sources, ...moved];
  return {
    ...(folders.length > 0 ? { PYTHONPATH: folders.join(path.delimiter) } : {}),
    PYTHONDONTWRITEBYTECODE: '1',
    CARGO_TARGET_DIR: path.join(path.dirname(tree), 'target'),
    // Go would print the results of an earlier run with the same files.
    GOFLAGS: `${GOFLAGS} -count=1`.trim(),
  };
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

async function addInstalledPackages(git: Git, top: string, tree: string): Promise<void> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'] as const;
  const { stdout } = await git.run(args, { maxBytes: MAX_LIST_BYTES });
  for (const name of stdout.split('\0').map((entry) => entry.replace(/\/$/u, ''))) {
    const [source, copy] = [path.join(top, name), path.join(tree, name)];
    if (lstatSync(copy, { throwIfNoEntry: false })) continue;
    if (PACKAGE_FOLDERS.has(path.basename(name))) linkPackages(source, copy, { top, tree });
    else if (ENVIRONMENT_FOLDERS.has(path.basename(name))) link(source, copy);
  }
}

interface Tops {
  top: string;
  tree: string;
}

/** Creates a folder with links to the packages of another folder. */
function linkPackages(folder: string, copy: string, tops: Tops): void {
  // The folder may itself be a link, for example to a folder that several checkouts share.
  const entries = readdirSync(folder, { withFileTypes: true });
  mkdirSync(copy, { recursive: true });
  for (const entry of entries) {
    const [from, to] = [path.join(folder, entry.name), path.join(copy, entry.name)];
    if (entry.isDirectory() && isCache(entry.name)) continue;
    if (entry.isFile() || (entry.isDirectory() && COPIED_FOLDERS.has(entry.name)))
      cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else if (entry.isDirectory() && isScope(entry.name)) linkPackages(from, to, tops);
    else if (entry.isDirectory() || entry.isSymbolicLink()) link(findPackage(from, entry, tops), to);
  }
}

/** Returns the folder of a package. A link to a package of the repository leads to the same package of the work tree. */
function findPackage(file: string, entry: Dirent, { top, tree }: Tops): string {
  if (!entry.isSymbolicLink()) return file;
  const target = resolveRealPath(file);
  const relative = path.relative(top, target);
  const isInstalled = relative.split(path.sep).some((name) => PACKAGE_FOLDERS.has(name));
  return isWithin(target, top) && !isInstalled ? path.join(tree, relative) : target;
}

function link(target: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(target, file, 'junction');
}
