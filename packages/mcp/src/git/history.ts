/**
 * Commits of a repository: what they say and changed, in which order they came, and which of them a branch has. Nothing is
 * fetched and nothing is started by it: settings.ts.
 */

import type { Git } from './git.ts';

/** A long history takes git a while. */
export const HISTORY_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Of what stands below a title. */
const MAX_MESSAGE_CHARACTERS = 4_096;
/** Commits whose diffs are asked for at once. */
const DIFFS_AT_ONCE = 40;
const MAX_DIFFS_BYTES = 32 * 1024 * 1024;
/** Lines around a change, in which the function stands that it is in. */
const CONTEXT_LINES = 20;

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

export interface LoggedCommit {
  commit: string;
  committedAt: number;
  message: string;
}

/** The commit that a name means here, as `main`, `v1.2` or `HEAD~3`; null where git knows none. */
export async function commitOf(git: Git, name: string, signal?: AbortSignal): Promise<string | null> {
  // An option, or what no argument of a program can hold.
  if (/^-|\0/u.test(name)) return null;
  const { stdout, problem } = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { signal });
  return problem === null && HASH.test(stdout.trim()) ? stdout.trim() : null;
}

/** The newest commits of HEAD without merges, the newest first; none where nothing was committed yet. Throws `GitError`. */
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
 * What commits changed below the folder that git is asked in, some at a time, as git writes it. What is too much to read is
 * left out, and so is a commit without a parent: of a shallow clone that is all that it has.
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
    // The last that was begun is not whole.
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
      // A text may hold the letter that parts them.
    } else if (commit !== undefined) diffs.set(commit, `${diffs.get(commit) ?? ''}\0${part}`);
  }
  return diffs;
}

/** The whole hash of each name that is a commit here and of no other. */
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

/** Where commits stand among all that came before the newest of them: the oldest first, with a time that only grows. */
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
      // Clocks differ; what stands on another commit came after it.
      latest = Math.max(latest + 1, time);
      return [commit, latest];
    }),
  );
}

/** Whether HEAD has the commit: one that is gone after a rebase, or was never fetched, is none that can be looked at. */
export async function isInHead(git: Git, commit: string, signal?: AbortSignal): Promise<boolean> {
  if (!HASH.test(commit)) return false;
  const args = ['log', '--max-count=1', '--no-patch', '--format=%H', commit, '^HEAD', '--'] as const;
  const { stdout, problem } = await git.run(args, { signal, maxBytes: 256 });
  return problem === null && stdout.trim() === '';
}
