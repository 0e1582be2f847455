/**
 * Commits of a repository: which are meant, and in which order they came. Nothing is fetched and nothing is started by it:
 * settings.ts.
 */

import type { Git } from './git.ts';

/** A long history takes git a while. */
const TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 64 * 1024 * 1024;

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

/** The whole hash of each name that is a commit here and of no other. */
export async function resolvedCommits(
  git: Git,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const resolved = new Map<string, string>();
  if (names.length === 0) return resolved;
  const stdin = `${names.map((name) => `${name}^{commit}`).join('\n')}\n`;
  const options = { signal, stdin, timeoutMs: TIMEOUT_MS, maxBytes: MAX_LOG_BYTES };
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
    timeoutMs: TIMEOUT_MS,
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
