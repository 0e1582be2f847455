/**
 * Reads commits of a repository: messages, diffs, order and branches. Reading fetches nothing and starts no program
 * (see `settings.ts`).
 */

import type { Git } from './git.ts';

/** Enough for a long history. */
export const HISTORY_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** The limit for the text of a message. */
const MAX_MESSAGE_CHARACTERS = 4_096;
/** The number of commits in one call of git. */
const DIFFS_AT_ONCE = 40;
const MAX_DIFFS_BYTES = 32 * 1024 * 1024;
/** The context around a change, which usually contains the line with the function's name. */
const CONTEXT_LINES = 20;

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

export interface LoggedCommit {
  commit: string;
  committedAt: number;
  message: string;
}

/** Resolves a name such as `main`, `v1.2` or `HEAD~3`. Null if git does not know it. */
export async function commitOf(git: Git, name: string, signal?: AbortSignal): Promise<string | null> {
  // Refuses options, and NUL, which an argument cannot contain.
  if (/^-|\0/u.test(name)) return null;
  const { stdout, problem } = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { signal });
  return problem === null && HASH.test(stdout.trim()) ? stdout.trim() : null;
}

/**
 * The newest commits of HEAD without merges, newest first. Empty in a repository without commits. Throws `GitError`.
 */
export async function newestCommits(git: Git, limit: number, signal?: AbortSignal): Promise<LoggedCommit[]> {
  if ((await commitOf(git, 'HEAD', signal)) === null) return [];
  const args = ['log', '-z', '--no-merges', `--max-count=${limit}`, '--format=%H%n%ct%n%B', 'HEAD', '--'] as const;
  const log = await git.text(args, { signal, timeoutMs: HISTORY_TIMEOUT_MS, maxBytes: MAX_LOG_BYTES });
  return log.split('\0').flatMap((entry) => {
    const [commit = '', seconds = '', ...message] = entry.split('\n');
    if (!HASH.test(commit)) return [];
    const text = message.join('\n').slice(0, MAX_MESSAGE_CHARACTERS);
    return [{ commit, committedAt: Number(seconds) * 1000, message: text }];
  });
}

/**
 * The diffs of commits below the folder that git runs in, in batches. Leaves out diffs that are too large, and commits
 * without a parent, because the first commit of a shallow clone would contain all files.
 */
export async function* diffsOf(
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
    const asked = commits.slice(at, at + DIFFS_AT_ONCE);
    const stdin = `${asked.join('\n')}\n`;
    const { stdout, cut, problem } = await git.run(args, {
      signal,
      stdin,
      timeoutMs: HISTORY_TIMEOUT_MS,
      maxBytes: MAX_DIFFS_BYTES,
    });
    const found = diffsIn(stdout);
    // The diff of the last commit is incomplete.
    const last = [...found.keys()].at(-1);
    const isBroken = cut || problem !== null;
    if (isBroken && last !== undefined) found.delete(last);
    const read = isBroken && last !== undefined ? asked.indexOf(last) + 1 : asked.length;
    at += read;
    yield { read, diffs: found };
  }
}

function diffsIn(output: string): Map<string, string> {
  const diffs = new Map<string, string>();
  let commit: string | undefined;
  for (const part of output.split('\0')) {
    const end = part.indexOf('\n');
    const head = part.slice(0, end);
    if (HASH.test(head)) {
      commit = head;
      diffs.set(commit, part.slice(end + 1));
      // The part belongs to the previous diff, because a diff may contain NUL.
    } else if (commit !== undefined) diffs.set(commit, `${diffs.get(commit) ?? ''}\0${part}`);
  }
  return diffs;
}

/** The full hash of each name that is an unambiguous commit here. */
export async function resolvedCommits(
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
 * Returns for each commit a time that increases from the oldest commit to the newest, following the order of the
 * history.
 */
export async function orderOf(
  git: Git,
  commits: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const wanted = new Set(commits);
  const found: [string, number][] = [];
  if (wanted.size === 0) return new Map();
  const stdin = `${[...wanted].join('\n')}\n`;
  const take = (line: string) => {
    const [commit = '', seconds = ''] = line.split(' ');
    if (wanted.has(commit)) found.push([commit, Number(seconds) * 1000]);
    return found.length < wanted.size;
  };
  await git.eachLine(['log', '--topo-order', '--format=%H %ct', '--stdin'], take, {
    signal,
    stdin,
    timeoutMs: HISTORY_TIMEOUT_MS,
  });
  let latest = 0;
  return new Map(
    found.reverse().map(([commit, time]) => {
      // Corrects the time, because clocks differ and a commit is always newer than its parents.
      latest = Math.max(latest + 1, time);
      return [commit, latest];
    }),
  );
}

/** True if HEAD contains the commit. False if it is gone after a rebase or was never fetched. */
export async function isInHead(git: Git, commit: string, signal?: AbortSignal): Promise<boolean> {
  if (!HASH.test(commit)) return false;
  const args = ['log', '--max-count=1', '--no-patch', '--format=%H', commit, '^HEAD', '--'] as const;
  const { stdout, problem } = await git.run(args, { signal, maxBytes: 256 });
  return problem === null && stdout.trim() === '';
}
