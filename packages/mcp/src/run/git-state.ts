/** Reads the state of the work tree at the start of a run. Changes nothing, not even the index of git. */

import path from 'node:path';
import { type CommitFacts, type EditedFile, type GitFacts, LIMITS } from 'argus-engine';
import {
  addCommitDiffs,
  computeDigest,
  MAX_STORED_EDITS,
  parseEditedFiles,
  readUncommittedDiff,
} from '../git/changes.ts';
import { decodePath, Git, type GitArgs, isRefusedRepository } from '../git/git.ts';
import { EXCLUDE_ARGUS_FILES } from '../git/settings.ts';
import { log } from '../log.ts';
import { type Environment, readCiCheckout } from '../system/ci.ts';
import { findWorkTreeTop, resolveRealPath } from '../system/files/path-safety.ts';
import { io } from '../system/io.ts';
import { removeInvisibleCharacters } from '../text/untrusted-text.ts';
import {
  computeWorkTreeId,
  findSubmodules,
  isToolOutputFile,
  listUntrackedFiles,
  readChangedFiles,
  type Submodule,
} from './work-tree.ts';

/** Maximum time of a call of git. */
const TIMEOUT_MS = 5_000;

/** Maximum time to list the files of commits, which only help to rank suspects. */
const FILES_TIMEOUT_MS = 1_000;

const MAX_BYTES = 64 * 1024 * 1024;

/** Matches files of memories, and files that a repository shares. */
const ARGUS_FILE = /^(?:[^"].*\/)?\.argus(?:-shared)?\//u;

/** Maximum number of commits that are read, which limits how far back the first failing commit can be found. */
const MAX_COMMITS = 100;

/** Folders for which the log already says that git refuses them. */
const loggedRefusals = new Set<string>();

/** Paths are arbitrary bytes, and latin1 keeps different bytes distinct. */
const GIT_OPTIONS = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, encoding: 'latin1' } as const;

/** The state of git, which is read in two parts. */
export interface PendingGitState {
  /** Resolves when the work tree has been read and may change again. */
  treeRead: Promise<void>;
  /**
   * Reads the rest, which no command changes. Returns null outside a repository, if git refuses the repository, or if
   * git is not installed.
   */
  readFacts: () => Promise<GitFacts | null>;
}

/** Maximum depth of nested submodules. */
const MAX_SUBMODULE_DEPTH = 3;

/** @param reports absolute paths of report files, which do not count as edits unless git tracks them */
export function startReadingGit(root: string, reports: readonly string[] = [], depth = 0): PendingGitState {
  const git = new Git(root);
  const reading = readWorkTree(git, root, reports, depth);
  return {
    treeRead: reading.then(() => undefined),
    readFacts: async () => {
      const state = await reading;
      if (state === null) return null;
      const { commit, branch, changed, tracked, files, diff, projectFolder, submodules } = state;
      const changedInside = await findChangedSubmodules(submodules);
      const isDirty = changed.size > 0 || changedInside.length > 0;
      const [commits, tree] = await Promise.all([
        commit === null ? [] : readLog(git, commit).then((log) => addChanges(git, log)),
        files && isDirty ? computeWorkTreeId(git, commit, files, changedInside, GIT_OPTIONS) : undefined,
      ]);
      const isUntracked = tracked.size === 0 && changedInside.every(({ facts }) => facts.untrackedOnly === true);
      const edits = [
        ...parseEditedFiles(diff),
        ...changedInside.flatMap((submodule) => listSubmoduleEdits(submodule, projectFolder)),
        ...listUntrackedFiles(files, { tracked, projectFolder }),
      ].slice(0, MAX_STORED_EDITS);
      return {
        commit,
        branch: branch ?? readCiCheckout(io().env).branch,
        dirty: isDirty,
        ...(isDirty && isUntracked ? { untrackedOnly: true } : {}),
        tree: (isDirty ? tree : commits[0]?.tree) ?? null,
        commits,
        ...(edits.length > 0 ? { edits } : {}),
      };
    },
  };
}

/** Reads only the id of the tree, without the history that `readGitFacts` reads. */
export async function readTreeId(root: string): Promise<string | null> {
  const git = new Git(root);
  const state = await readWorkTree(git, root, [], 0);
  if (state === null) return null;
  const { commit, changed, files, submodules } = state;
  const changedInside = await findChangedSubmodules(submodules);
  if (changed.size > 0 || changedInside.length > 0)
    return (files && (await computeWorkTreeId(git, commit, files, changedInside, GIT_OPTIONS))) ?? null;
  const { stdout, problem } = await git.run(['rev-parse', 'HEAD^{tree}'], GIT_OPTIONS);
  return problem === null ? stdout.trim() : null;
}

export const readGitFacts = (root: string, reports: readonly string[] = []): Promise<GitFacts | null> =>
  startReadingGit(root, reports).readFacts();

/** A submodule with other files or another commit than in the last commit of the repository. */
interface ChangedSubmodule extends Submodule {
  facts: GitFacts;
}

async function findChangedSubmodules(
  submodules: ReadonlyArray<Submodule & { state: PendingGitState }>,
): Promise<ChangedSubmodule[]> {
  const submodulesWithFacts = await Promise.all(
    submodules.map(async ({ state, ...submodule }) => ({ ...submodule, facts: await state.readFacts() })),
  );
  return submodulesWithFacts.flatMap(({ facts, ...submodule }) => {
    const isChanged = facts !== null && (facts.dirty === true || facts.commit !== submodule.commit);
    return isChanged ? [{ ...submodule, facts }] : [];
  });
}

/**
 * Returns the edits of a submodule without their hunks, because the files have other names in the submodule. Includes
 * the submodule itself if its commit changed.
 */
function listSubmoduleEdits({ name, commit, facts }: ChangedSubmodule, projectFolder: string): EditedFile[] {
  const [full, prefix] = [decodePath(name), projectFolder === '' ? '' : `${projectFolder}/`];
  if (!full.startsWith(prefix)) return [];
  const moved = facts.commit === commit ? [] : [{ path: full, digest: computeDigest(facts.commit ?? '') }];
  const innerEdits = (facts.edits ?? []).map(({ hunks: _, ...edit }) => ({ ...edit, path: `${full}/${edit.path}` }));
  return [...moved, ...innerEdits].map((edit) => ({ ...edit, path: edit.path.slice(prefix.length) }));
}

/**
 * Reads the differences from the last commit. In the result, `files` is undefined if the changed files exceed the
 * limits.
 */
async function readWorkTree(git: Git, root: string, reports: readonly string[], depth: number) {
  const nearest = findWorkTreeTop(resolveRealPath(root));
  if (nearest === undefined) return null;
  const status = await git.run(
    ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--', ':(top)', ...EXCLUDE_ARGUS_FILES],
    GIT_OPTIONS,
  );
  if (isRefusedRepository(status.problem)) logRefusal(root, status.problem);
  if (status.problem !== null || status.cut) return null;
  const parsedStatus = parseStatus(status.stdout);
  const top =
    parsedStatus.changed.size > 0 && (await git.hasSetting('core.worktree')) ? await readTopLevel(git) : nearest;
  for (const report of reports) {
    const name = Buffer.from(path.relative(top, resolveRealPath(report)).split(path.sep).join('/')).toString('latin1');
    if (!parsedStatus.tracked.has(name)) parsedStatus.changed.delete(name);
  }
  const submodules = depth < MAX_SUBMODULE_DEPTH ? await findSubmodules(git, top, GIT_OPTIONS) : [];
  const submoduleStates = submodules.map((submodule) => ({
    ...submodule,
    state: startReadingGit(submodule.folder, [], depth + 1),
  }));
  await Promise.all(submoduleStates.map(({ state }) => state.treeRead));
  const projectFolder = path.relative(top, resolveRealPath(root)).split(path.sep).join('/');
  if (parsedStatus.changed.size === 0)
    return { ...parsedStatus, files: new Map(), diff: '', projectFolder, submodules: submoduleStates };
  const diff = parsedStatus.commit === null ? '' : readUncommittedDiff(git, top, parsedStatus.tracked);
  const files = readChangedFiles(top, parsedStatus.changed);
  return { ...parsedStatus, files, diff: await diff, projectFolder, submodules: submoduleStates };
}

/** Returns the work tree that the settings of git name. */
async function readTopLevel(git: Git): Promise<string> {
  const { stdout } = await git.run(['rev-parse', '--show-toplevel'], GIT_OPTIONS);
  return decodePath(stdout.replace(/\n$/u, ''));
}

/** Facts about git that the caller passes for a run on another machine. */
interface GivenGitFacts {
  commit?: string | undefined;
  branch?: string | undefined;
  dirty?: boolean | undefined;
  tree?: string | undefined;
}

/** Adds details from the local repository to facts about a run on another machine. Returns null if no fact is given. */
export async function completeGivenFacts(root: string, given: GivenGitFacts): Promise<GitFacts | null> {
  const { commit, branch, dirty, tree } = given;
  if (Object.values(given).every((fact) => fact === undefined)) return null;
  const history = commit !== undefined && isFullHash(commit) ? await readLog(new Git(root), commit) : [];
  return {
    commit: commit ?? null,
    branch: branch ?? null,
    dirty: dirty ?? (commit === undefined ? null : false),
    tree: tree ?? (dirty === true ? null : (history[0]?.tree ?? null)),
    commits: history,
  };
}

/**
 * Returns the checkout that CI reports. It is used if git cannot be used, for example in a container or if the files
 * belong to another user. The tree counts as clean, because files are normally not edited in CI. Returns null if CI
 * reports no commit.
 */
export function createCiFacts(env: Environment = io().env): GitFacts | null {
  const { commit, branch } = readCiCheckout(env);
  if (commit === null || !isFullHash(commit)) return null;
  return { commit, branch, dirty: false, tree: null, commits: [] };
}

function isFullHash(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(text);
}

/**
 * Returns the newest commits, starting with `from`, with their files. The list is empty if the commit is unknown here.
 * In a partial clone without the folders of its commits, the files are missing.
 */
async function readLog(git: Git, from: string): Promise<CommitWithTree[]> {
  for (const files of [['--name-only', '--no-renames', '--relative'], []]) {
    const args = [`--max-count=${MAX_COMMITS}`, '--format=%x00%H %T %at %P', ...files, from, '--'];
    const timeoutMs = files.length > 0 ? FILES_TIMEOUT_MS : TIMEOUT_MS;
    const log = await git.run(['log', ...args], { ...GIT_OPTIONS, timeoutMs });
    if (log.problem === null && !log.cut) return parseLog(log.stdout);
  }
  return [];
}

/** Adds the diffs of the newest commits, and the files of the newest commit if it is a merge. */
async function addChanges(git: Git, log: CommitWithTree[]): Promise<CommitFacts[]> {
  const [newest, ...others] = log;
  const [one, other, ...more] = newest?.parents ?? [];
  if (newest === undefined || one === undefined || other === undefined || more.length > 0)
    return addCommitDiffs(git, log);
  const files = await listDroppedFiles(git, newest.commit, one, other);
  return addCommitDiffs(git, [{ ...newest, ...(files.length > 0 ? { files } : {}) }, ...others]);
}

/**
 * Returns the files in which a merge dropped what one side had changed, for example with `git merge -s ours`. Git itself
 * lists no files of a merge that equal a parent.
 */
async function listDroppedFiles(git: Git, merge: string, one: string, other: string): Promise<string[]> {
  const list = async (...args: GitArgs) => {
    const { stdout, problem, cut } = await git.run(args, { ...GIT_OPTIONS, timeoutMs: FILES_TIMEOUT_MS });
    return new Set(problem !== null || cut ? [] : stdout.split('\n').filter((name) => name !== ''));
  };
  const differingFrom = (parent: string) =>
    list('diff-tree', '-r', '--name-only', '--no-renames', '--relative', parent, merge);
  const changedIn = (side: string, base: string) =>
    list(
      'log',
      '--name-only',
      '--no-renames',
      '--relative',
      '--format=',
      `--max-count=${MAX_COMMITS}`,
      `${base}..${side}`,
      '--',
    );
  const [fromOne, fromOther, inOne, inOther] = await Promise.all([
    differingFrom(one),
    differingFrom(other),
    changedIn(one, other),
    changedIn(other, one),
  ]);
  const dropped = [
    ...[...fromOther].filter((name) => !fromOne.has(name) && inOther.has(name) && !inOne.has(name)),
    ...[...fromOne].filter((name) => !fromOther.has(name) && inOne.has(name) && !inOther.has(name)),
  ];
  return dropped
    .filter((name) => !name.startsWith('"') && !ARGUS_FILE.test(name))
    .slice(0, LIMITS.MAX_COMMIT_FILES)
    .map(decodePath);
}

function logRefusal(root: string, problem: string | null): void {
  if (loggedRefusals.has(root)) return;
  loggedRefusals.add(root);
  log(removeInvisibleCharacters(`${root} is not used as a git repository: ${problem}`));
}

interface CommitWithTree extends CommitFacts {
  tree: string;
}

/**
 * Parses entries of `commit tree author-time parents`, each followed by the files of the commit, relative to the folder of the
 * call. Git lists no files of a merge. The files of a commit without parents are ignored, because a shallow clone may
 * end there and list all files. Quoted names are skipped. If a commit changes only files of Argus, a single file is
 * kept, because these files cannot affect a test.
 */
function parseLog(output: string): CommitWithTree[] {
  return output
    .split('\0')
    .slice(1)
    .map((entry) => {
      const [head = '', ...lines] = entry.split('\n');
      const [commit = '', tree = '', seconds = '', ...parents] = head.trim().split(' ');
      const names = lines.filter((line) => line !== '');
      const otherFiles = names.filter((name) => !ARGUS_FILE.test(name));
      const files = otherFiles.length > 0 ? otherFiles.filter((name) => !name.startsWith('"')) : names.slice(0, 1);
      const areKnown = parents.length > 0 && files.length > 0 && files.length <= LIMITS.MAX_COMMIT_FILES;
      const authoredAt = Number(seconds) * 1000;
      return { commit, tree, parents, authoredAt, ...(areKnown ? { files: files.map(decodePath) } : {}) };
    });
}

/** The result of `git status`. Paths are latin1 bytes. */
interface Status {
  /** Null before the first commit. */
  commit: string | null;
  /** Null if no branch is checked out. */
  branch: string | null;
  /** Paths that differ from the last commit, without untracked files that tools created. */
  changed: Set<string>;
  /** The changed paths that git tracks. */
  tracked: Set<string>;
}

/** Parses the output of `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string): Status {
  const result: Status = { commit: null, branch: null, changed: new Set(), tracked: new Set() };
  const add = (name: string) => result.tracked.add(name);
  const entries = output.split('\0');
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] ?? '';
    if (entry.startsWith('# branch.oid ')) result.commit = nullIfEqual(entry.slice(13), '(initial)');
    else if (entry.startsWith('# branch.head ')) result.branch = nullIfEqual(decodePath(entry.slice(14)), '(detached)');
    else if (entry.startsWith('? ')) {
      if (!isToolOutputFile(entry.slice(2))) result.changed.add(entry.slice(2));
    } else if (entry.startsWith('1 ')) add(getPathAfterWords(entry, 8));
    else if (entry.startsWith('u ')) add(getPathAfterWords(entry, 10));
    else if (entry.startsWith('2 ')) {
      // The old path is a separate entry.
      add(getPathAfterWords(entry, 9));
      at += 1;
      add(entries[at] ?? '');
    }
  }
  for (const name of result.tracked) result.changed.add(name);
  return result;
}

/** Returns the path that follows after this number of words. The path may contain spaces. */
function getPathAfterWords(entry: string, wordCount: number): string {
  return entry.split(' ').slice(wordCount).join(' ');
}

function nullIfEqual(value: string, absent: string): string | null {
  return value === absent ? null : value;
}
