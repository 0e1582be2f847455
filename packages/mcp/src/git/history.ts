/**
 * Reads commits of a repository: messages, diffs, order, branches, and descriptions for people. Reading fetches nothing
 * and starts no program (see `settings.ts`).
 */

import type { RelatedCommit } from 'argus-engine';
import { Git, runGit } from './git.ts';

/** Enough for a long history. */
export const HISTORY_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Limit for the text of a message. */
const MAX_MESSAGE_CHARACTERS = 4_096;
/** Number of commits in a call of git. */
const COMMITS_PER_CALL = 40;
const MAX_DIFFS_BYTES = 32 * 1024 * 1024;
/** Number of unchanged lines around a change. They usually contain the line with the function's name. */
const CONTEXT_LINES = 20;

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

export interface LoggedCommit {
  commit: string;
  committedAt: number;
  message: string;
}

/** Resolves a name such as `main`, `v1.2` or `HEAD~3` to a hash. Returns null if git does not know the name. */
export async function resolveCommit(git: Git, name: string, signal?: AbortSignal): Promise<string | null> {
  // Reject options, and NUL, which an argument cannot contain.
  if (/^-|\0/u.test(name)) return null;
  const { stdout, problem } = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { signal });
  return problem === null && HASH.test(stdout.trim()) ? stdout.trim() : null;
}

/**
 * Returns the newest commits of HEAD without merges, the newest first. Returns an empty list if the repository has no
 * commits. Throws `GitError`.
 */
export async function listNewestCommits(git: Git, limit: number, signal?: AbortSignal): Promise<LoggedCommit[]> {
  if ((await resolveCommit(git, 'HEAD', signal)) === null) return [];
  const args = ['log', '-z', '--no-merges', `--max-count=${limit}`, '--format=%H%n%ct%n%B', 'HEAD', '--'] as const;
  const log = await git.readText(args, { signal, timeoutMs: HISTORY_TIMEOUT_MS, maxBytes: MAX_LOG_BYTES });
  return log.split('\0').flatMap((entry) => {
    const [commit = '', seconds = '', ...message] = entry.split('\n');
    if (!HASH.test(commit)) return [];
    const text = message.join('\n').slice(0, MAX_MESSAGE_CHARACTERS);
    return [{ commit, committedAt: Number(seconds) * 1000, message: text }];
  });
}

/**
 * Reads the diffs of commits in batches. Only files below the folder in which git runs are included. Skips diffs that
 * are too large, and commits without a parent, because the first commit of a shallow clone would contain all files.
 */
export async function* readDiffs(
  git: Git,
  commits: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<{ read: number; diffs: Map<string, string> }> {
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '-p',
    '-M',
    '--relative',
    `-U${CONTEXT_LINES}`,
    '--format=%x00%H',
  ] as const;
  for (let at = 0; at < commits.length; ) {
    const batch = commits.slice(at, at + COMMITS_PER_CALL);
    const stdin = `${batch.join('\n')}\n`;
    const { stdout, cut, problem } = await git.run(args, {
      signal,
      stdin,
      timeoutMs: HISTORY_TIMEOUT_MS,
      maxBytes: MAX_DIFFS_BYTES,
    });
    const diffs = parseDiffs(stdout);
    // If the output was cut, the diff of the last commit is incomplete.
    const last = [...diffs.keys()].at(-1);
    const isBroken = cut || problem !== null;
    if (isBroken && last !== undefined) diffs.delete(last);
    const read = isBroken && last !== undefined ? batch.indexOf(last) + 1 : batch.length;
    at += read;
    yield { read, diffs };
  }
}

/**
 * Reads the diffs of a few commits with little context, in a single call. Returns an empty map if git does not answer
 * in time.
 */
export async function readFewDiffs(
  git: Git,
  commits: readonly string[],
  limits: { timeoutMs: number; maxBytes: number },
): Promise<Map<string, string>> {
  const args = ['diff-tree', '--stdin', '-r', '-p', '--no-renames', '--relative', '--format=%x00%H'] as const;
  const { stdout, cut, problem } = await git.run(args, { stdin: `${commits.join('\n')}\n`, ...limits });
  return cut || problem !== null ? new Map() : parseDiffs(stdout);
}

function parseDiffs(output: string): Map<string, string> {
  const diffs = new Map<string, string>();
  let commit: string | undefined;
  for (const part of output.split('\0')) {
    const end = part.indexOf('\n');
    const head = part.slice(0, end);
    if (HASH.test(head)) {
      commit = head;
      diffs.set(commit, part.slice(end + 1));
      // A diff may contain NUL, so this part belongs to the previous diff.
    } else if (commit !== undefined) diffs.set(commit, `${diffs.get(commit) ?? ''}\0${part}`);
  }
  return diffs;
}

/** Returns the full hash of each name that is a commit in this repository and not ambiguous. */
export async function resolveCommits(
  git: Git,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const resolved = new Map<string, string>();
  if (names.length === 0) return resolved;
  const stdin = `${names.map((name) => `${name}^{commit}`).join('\n')}\n`;
  const options = { signal, stdin, timeoutMs: HISTORY_TIMEOUT_MS, maxBytes: MAX_LOG_BYTES };
  const { stdout, problem } = await git.run(['cat-file', '--batch-check=%(objectname)'], options);
  if (problem !== null) return resolved;
  const answers = stdout.split('\n');
  for (const [index, name] of names.entries()) {
    const answer = answers[index] ?? '';
    if (HASH.test(answer)) resolved.set(name, answer);
  }
  return resolved;
}

/**
 * Returns a time for each commit, in milliseconds. The times increase from the oldest commit to the newest, in the
 * order of the history.
 */
export async function computeCommitTimes(
  git: Git,
  commits: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const wanted = new Set(commits);
  const found: [string, number][] = [];
  if (wanted.size === 0) return new Map();
  const stdin = `${[...wanted].join('\n')}\n`;
  const takeLine = (line: string) => {
    const [commit = '', seconds = ''] = line.split(' ');
    if (wanted.has(commit)) found.push([commit, Number(seconds) * 1000]);
    return found.length < wanted.size;
  };
  await git.forEachLine(['log', '--topo-order', '--format=%H %ct', '--stdin'], takeLine, {
    signal,
    stdin,
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  let latest = 0;
  return new Map(
    found.reverse().map(([commit, time]) => {
      // Clocks differ, but a commit is always newer than its parents, so correct the time.
      latest = Math.max(latest + 1, time);
      return [commit, latest];
    }),
  );
}

/** True if HEAD contains the commit. False if the commit was lost in a rebase or was never fetched. */
async function isInHead(git: Git, commit: string, signal?: AbortSignal): Promise<boolean> {
  if (!HASH.test(commit)) return false;
  const args = ['log', '--max-count=1', '--no-patch', '--format=%H', commit, '^HEAD', '--'] as const;
  const { stdout, problem } = await git.run(args, { signal, maxBytes: 256 });
  return problem === null && stdout.trim() === '';
}

/** False outside of a git repository, and before the first commit. */
export async function hasCommits(root: string): Promise<boolean> {
  const { problem, stdout } = await runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    maxBytes: 256,
  });
  return problem === null && stdout.trim() !== '';
}

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 20;
const MAX_TITLE_CHARACTERS = 100;

interface DescribedCommit {
  title: string;
  author: string;
  /** Time in ISO 8601. */
  date: string;
  /** Paths relative to the folder in which git runs. */
  files: string[];
}

/**
 * Describes commits by full hash. Skips commits that this repository does not have. Returns an empty map if git does
 * not answer in time.
 */
export async function describeCommits(git: Git, hashes: readonly string[]): Promise<Map<string, DescribedCommit>> {
  const known = hashes.filter((hash) => /^[0-9a-f]{40,64}$/u.test(hash));
  if (known.length === 0) return new Map();
  const format = '--format=%x00%H%n%an%n%aI%n%s';
  const args = ['log', '--no-walk=unsorted', '--ignore-missing', '--name-only', '--relative', format] as const;
  const { stdout, problem } = await git.run([...args, ...known, '--'], { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  if (problem !== null) return new Map();
  return new Map(stdout.split('\0').slice(1).map(parseDescription));
}

function parseDescription(entry: string): [string, DescribedCommit] {
  const [hash = '', author = '', date = '', title = '', ...names] = entry.split('\n');
  const files = names.filter((name) => name !== '').slice(0, MAX_FILES);
  return [hash, { title: title.slice(0, MAX_TITLE_CHARACTERS), author, date, files }];
}

/** Maximum number of commits to check, because each check starts a process. */
const MAX_CHECKED_COMMITS = 12;

/** A failure or a diagnosis. */
interface HasRelatedCommits {
  changedBefore?: RelatedCommit[];
}

/**
 * Removes related commits that are not in HEAD, and keeps at most `max` commits for each item. The engine cannot do
 * this, because only git knows the branch.
 */
export async function removeCommitsOffBranch(
  root: string,
  all: readonly HasRelatedCommits[],
  max: number,
): Promise<void> {
  const named = new Set(all.flatMap(({ changedBefore = [] }) => changedBefore.map(({ commit }) => commit)));
  if (named.size === 0) return;
  const git = new Git(root);
  const checked = [...named].slice(0, MAX_CHECKED_COMMITS);
  const areInHead = await Promise.all(checked.map((commit) => isInHead(git, commit)));
  const inHead = new Set(checked.filter((_, index) => areInHead[index]));
  for (const one of all) {
    const remaining = (one.changedBefore ?? []).filter(({ commit }) => inHead.has(commit)).slice(0, max);
    if (remaining.length > 0) one.changedBefore = remaining;
    else delete one.changedBefore;
  }
}
