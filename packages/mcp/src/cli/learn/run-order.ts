/**
 * Sorts old runs, because the verdict of a run depends on the runs that were imported before. The order is that of
 * their commits in git. Runs of the same commit, or of a commit that git does not know, are sorted by time.
 */

import { ArgusError } from '../../errors.ts';
import { Git, GitError, isTimeout } from '../../git/git.ts';
import { computeCommitTimes, HISTORY_TIMEOUT_MS, resolveCommits } from '../../git/history.ts';
import { findRepository } from '../../git/repository.ts';
import type { FoundRun, SkippedEntry } from './found-runs.ts';
import { isFullHash } from './report-commits.ts';

/** A run with its full commit hash and its time. */
export interface OrderedRun extends FoundRun {
  commit: string | undefined;
  /** Time of the run if known, otherwise time of its commit, in milliseconds since 1970. */
  time: number | undefined;
  /** True if the run is older than the newest recorded run. */
  isOlder: boolean;
}

/** Commit and time of the newest recorded run. */
export interface NewestRecordedRun {
  commit: string | undefined;
  time: number;
}

interface OrderingContext {
  /** Root of the repository. */
  top: string;
  newest: NewestRecordedRun | undefined;
  leftOut: SkippedEntry[];
  /** Returns the time that the reports of the run contain. */
  readReportTime(run: FoundRun): Promise<number | undefined>;
  signal: AbortSignal;
}

export async function sortRuns(
  runs: readonly FoundRun[],
  { top, newest, leftOut, readReportTime, signal }: OrderingContext,
): Promise<OrderedRun[]> {
  const repository = await findRepository(top, signal, HISTORY_TIMEOUT_MS);
  // Another order would store wrong fixes permanently, so this is an error.
  if (typeof repository === 'string' && isTimeout(repository))
    throw new ArgusError(
      'INVALID_INPUT',
      `The git repository of ${top} cannot be read: ${repository}. Try again later.`,
    );
  const git = typeof repository === 'object' ? new Git(repository.top, HISTORY_TIMEOUT_MS) : undefined;
  const names = new Set(runs.flatMap(({ commitNames }) => commitNames));
  if (newest?.commit !== undefined) names.add(newest.commit);
  const known = git === undefined ? new Map<string, string>() : await resolveCommits(git, [...names], signal);
  const times = await readCommitTimes(git, [...new Set(known.values())], signal);
  // The time of the commit counts first, so that runs of the same commit stay together.
  const newestAt = newest === undefined ? undefined : (times.get(newest.commit ?? '') ?? newest.time);
  const placed: { run: OrderedRun; at: number }[] = [];
  for (const run of runs) {
    const name = run.commitNames.find((one) => known.has(one)) ?? run.commitNames.find(isFullHash);
    const commit = name === undefined ? undefined : (known.get(name) ?? name);
    const committedAt = commit === undefined ? undefined : times.get(commit);
    if (commit === undefined && run.source.kind === 'reports') {
      leftOut.push({ name: run.name, reason: describeMissingCommit(run) });
      continue;
    }
    const time = run.startedAt ?? committedAt ?? (await readReportTime(run));
    const at = committedAt ?? time ?? 0;
    placed.push({ run: { ...run, commit, time, isOlder: newestAt !== undefined && at < newestAt }, at });
  }
  placed.sort(
    (one, other) =>
      one.at - other.at || (one.run.time ?? 0) - (other.run.time ?? 0) || compareNames(one.run, other.run),
  );
  return placed.map(({ run }) => run);
}

function describeMissingCommit({ commitNames }: FoundRun): string {
  const [name] = commitNames;
  return name === undefined
    ? 'neither its folder, its name nor a file beside it names a commit'
    : `the repository has no commit ${name}`;
}

async function readCommitTimes(
  git: Git | undefined,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (git === undefined) return new Map();
  try {
    return await computeCommitTimes(git, commits, signal);
  } catch (thrown) {
    // Without git, the times of the runs are the only known order.
    if (thrown instanceof GitError) return new Map();
    throw thrown;
  }
}

/** Compares names so that `2` comes before `10`. */
function compareNames(one: FoundRun, other: FoundRun): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}
