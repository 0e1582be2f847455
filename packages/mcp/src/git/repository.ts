/**
 * Finds the repository of a folder, and the files that git tracks in it. Checks that the repository belongs to the
 * folder: a `.git` file, a link or the settings in an archive may name another repository of this user, which must not
 * be read or written.
 */

import { lstatSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { findWorkTreeTop, isWithin, resolveRealPath } from '../system/files/path-safety.ts';
import { readText } from '../system/files/read.ts';
import { Git, isRefusedRepository, isTimeout, runGit } from './git.ts';

export interface Repository {
  /** Root of the work tree. */
  top: string;
  /** Path of the folder in the work tree, with a `/` at its end. Empty for the root. */
  prefix: string;
  /** The git folder of this work tree. */
  gitFolder: string;
  /** The git folder that linked work trees share. Without linked work trees, equal to `gitFolder`. */
  commonFolder: string;
}

const NOT_LISTED_REASON = 'its .git points to a repository that does not list this folder as its work tree';

/**
 * Paths in the git folder to which Argus writes. They must not be links, because a write would then change other files.
 */
const WRITTEN_PATHS = ['objects', 'packed-refs', 'refs', 'refs/argus', 'refs/argus/fixes', 'reftable'];

/**
 * Finds the repository of a folder. Returns undefined outside of a work tree and without git, and a text with the
 * reason if the repository must not be used.
 */
export async function findRepository(
  root: string,
  signal?: AbortSignal,
  timeoutMs?: number,
): Promise<Repository | string | undefined> {
  const git = new Git(root, timeoutMs);
  const queries = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-common-dir'];
  const { stdout, problem } = await git.run(['rev-parse', ...queries], { signal });
  if (isRefusedRepository(problem) || isTimeout(problem)) return problem ?? undefined;
  const [top = '', prefix = '', gitFolder = '', common = ''] = stdout.split('\n');
  if (problem !== null || !isNearestTop(top, root)) return undefined;
  const repository = { top: path.resolve(top), prefix, gitFolder, commonFolder: path.resolve(root, common) };
  return (await belongsToWorkTree(git, repository, signal)) ? repository : NOT_LISTED_REASON;
}

/**
 * False if settings of git name another folder as the work tree. The files of that folder do not belong to the
 * repository.
 */
function isNearestTop(top: string, root: string): boolean {
  const nearest = findWorkTreeTop(realpathSync.native(root));
  return top !== '' && nearest !== undefined && isSamePath(top, nearest);
}

async function belongsToWorkTree(git: Git, repository: Repository, signal: AbortSignal | undefined): Promise<boolean> {
  const { top, gitFolder, commonFolder } = repository;
  if (WRITTEN_PATHS.some((name) => readStats(path.join(commonFolder, name))?.isSymbolicLink())) return false;
  const isNotLinked = isSamePath(gitFolder, commonFolder);
  if (readStats(path.join(top, '.git'))?.isDirectory()) return isNotLinked;
  return isNotLinked ? isWorkTreeConfigured(git, repository, signal) : isLinkedWorkTree(repository);
}

/** Checks that `core.worktree` names the work tree, for example in the git folder of a submodule. */
async function isWorkTreeConfigured(
  git: Git,
  { top, gitFolder }: Repository,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const args = ['--file', path.join(gitFolder, 'config'), '--get', 'core.worktree'];
  const { stdout, problem } = await git.run(['config', ...args], { signal });
  return problem === null && isSamePath(path.resolve(gitFolder, stdout.replace(/\n$/u, '')), top);
}

/**
 * Returns the paths (absolute or relative to `root`) that git tracks, or that are folders with tracked files. The case
 * of letters is ignored, because some file systems ignore it. Returns an empty set outside of a repository, and
 * undefined if git could not answer.
 */
export async function findTrackedPaths(root: string, paths: readonly string[]): Promise<Set<string> | undefined> {
  const specs = paths.map((one) => `:(icase,literal)${one}`);
  if (specs.length === 0) return new Set();
  const found = await Promise.all(specs.map((spec) => isTracked(root, spec)));
  if (found.includes(undefined)) return undefined;
  return new Set(paths.filter((_, index) => found[index] === true));
}

async function isTracked(root: string, spec: string): Promise<boolean | undefined> {
  const { stdout, problem } = await runGit(root, ['ls-files', '-z', '--cached', '--', spec], { maxBytes: 1_024 });
  if (problem === null) return stdout !== '';
  const isUntracked = /not a git repository|is outside repository|Invalid path|^git is not installed/u.test(problem);
  return isUntracked ? false : undefined;
}

/*
 * Finds the main work tree of a repository from a linked work tree. Both must name each other in git's files, because a
 * `.git` file in an archive may name any repository of this user. Git is started only if the repository's folder is not
 * called `.git`.
 */

/** Enough for a path. */
const MAX_BYTES = 64 * 1024;

/** A linked work tree, and the git folder that it shares with the other work trees. */
interface LinkedWorkTree {
  top: string;
  /** The git folder of this work tree. */
  gitFolder: string;
  commonFolder: string;
}

/**
 * Returns the folder that represents all work trees of the repository: the main work tree, or the folder of a bare
 * repository. Returns undefined if `top` is the main work tree, or if its `.git` leads to a repository that does not
 * name `top`.
 */
export async function findMainWorkTree(top: string): Promise<string | undefined> {
  const linked = readLinkedWorkTree(top);
  if (linked === undefined || !isLinkedWorkTree(linked)) return undefined;
  const { commonFolder } = linked;
  if (path.basename(commonFolder) === '.git') return path.dirname(commonFolder);
  return (await findWorkTreeOfSeparateGitDir(commonFolder)) ?? commonFolder;
}

/** True if the git folder is in the shared repository and names the `.git` file of the work tree. */
function isLinkedWorkTree({ top, gitFolder, commonFolder }: LinkedWorkTree): boolean {
  if (!isSamePath(path.dirname(gitFolder), path.join(commonFolder, 'worktrees'))) return false;
  const named = readPath(path.join(gitFolder, 'gitdir'));
  return named !== undefined && path.basename(named) === '.git' && isSamePath(path.dirname(named), top);
}

/** Compares real paths. Uses `path.relative`, because drive letters may differ in case. */
function isSamePath(one: string, other: string): boolean {
  try {
    return path.relative(realpathSync.native(one), realpathSync.native(other)) === '';
  } catch {
    return false;
  }
}

export function readStats(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

/**
 * Reads the linked work tree from git's files. Returns undefined for a submodule and for a repository with a separate
 * git folder, which have no common folder.
 */
function readLinkedWorkTree(top: string): LinkedWorkTree | undefined {
  const file = path.join(top, '.git');
  if (!readStats(file)?.isFile()) return undefined;
  const gitFolder = readPath(file, /^gitdir: /u);
  const common = gitFolder === undefined ? undefined : readPath(path.join(gitFolder, 'commondir'));
  if (gitFolder === undefined || common === undefined) return undefined;
  try {
    return { top, gitFolder, commonFolder: realpathSync.native(common) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the work tree of a repository with a separate git folder, such as a submodule. The `.git` file of the work
 * tree must name this git folder.
 */
async function findWorkTreeOfSeparateGitDir(commonFolder: string): Promise<string | undefined> {
  const args = ['--file', path.join(commonFolder, 'config'), '--get', 'core.worktree'];
  const { stdout, problem } = await runGit(commonFolder, ['config', ...args]);
  const named = stdout.replace(/\n$/u, '');
  if (problem !== null || named === '') return undefined;
  const top = path.resolve(commonFolder, named);
  const namedFolder = readPath(path.join(top, '.git'), /^gitdir: /u);
  return namedFolder !== undefined && isSamePath(namedFolder, commonFolder) ? realpathSync.native(top) : undefined;
}

/** Reads the path in a file of git. A relative path is resolved from the folder of the file. */
function readPath(file: string, prefix = /^/u): string | undefined {
  try {
    const text = readText(file, { maxBytes: MAX_BYTES, links: 'refused' }).replace(/\r?\n$/u, '');
    if (!prefix.test(text)) return undefined;
    return path.resolve(path.dirname(file), text.replace(prefix, ''));
  } catch {
    return undefined;
  }
}

/** Number of files in a call, because Windows limits the length of a command line. */
const FILES_PER_CALL = 200;

/**
 * Returns the files (absolute paths) that are part of the commit and unchanged. Returns an empty list outside of a
 * repository, or if git could not answer.
 */
export async function findUnchangedFiles(top: string, files: readonly string[]): Promise<string[]> {
  const [git, own] = [new Git(top), resolveRealPath(top)];
  const named = files.map((file) => ({
    file,
    name: path.relative(own, resolveRealPath(file)).split(path.sep).join('/'),
  }));
  const inside = named.filter(({ file }) => isWithin(resolveRealPath(file), own));
  const found: string[] = [];
  for (let at = 0; at < inside.length; at += FILES_PER_CALL) {
    const part = inside.slice(at, at + FILES_PER_CALL);
    const specs = part.map(({ name }) => `:(top,literal)${name}`);
    const [listed, status] = await Promise.all([
      git.run(['ls-files', '-z', '--cached', '--full-name', '--', ...specs]),
      git.run(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=no', '--', ...specs]),
    ]);
    const tracked = new Set(listed.stdout.split('\0'));
    const changed = new Set(status.stdout.split('\0').map((line) => line.slice(3)));
    found.push(...part.filter(({ name }) => tracked.has(name) && !changed.has(name)).map(({ file }) => file));
  }
  return found;
}
