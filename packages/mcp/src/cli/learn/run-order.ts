/**
 * Sorts old runs, because the first imported run is judged first. The order is the order of their commits in git. Runs
 * of the same commit, or of a commit that git does not know, are sorted by their time.
 */

import { ArgusError } from '../../errors.ts';
import { Git, GitError, isTooSlow } from '../../git/git.ts';
import { HISTORY_TIMEOUT_MS, orderOf, resolvedCommits } from '../../git/history.ts';
import { repositoryOf } from '../../git/repository.ts';
import type { FoundRun, LeftOut } from './found-runs.ts';
import { isWhole } from './named-commits.ts';

/** A run with its full commit hash. */
export interface PlacedRun extends FoundRun {
  commit: string | undefined;
  /** Time of the run, otherwise of its commit. */
  time: number | undefined;
  /** True if the run is older than the newest recorded run. */
  isOlder: boolean;
}

/** The newest recorded run. */
export interface Newest {
  commit: string | undefined;
  time: number;
}

interface Ordering {
  /** Root of the repository. */
  top: string;
  newest: Newest | undefined;
  leftOut: LeftOut[];
  /** Returns the time of the run from its reports. */
  ownTime(run: FoundRun): Promise<number | undefined>;
  signal: AbortSignal;
}

export async function inOrder(
  runs: readonly FoundRun[],
  { top, newest, leftOut, ownTime, signal }: Ordering,
): Promise<PlacedRun[]> {
  const repository = await repositoryOf(top, signal, HISTORY_TIMEOUT_MS);
  // Another order would teach other fixes, and those would stay.
  if (typeof repository === 'string' && isTooSlow(repository))
    throw new ArgusError('INVALID_INPUT', `The git repository of ${top} is not read: ${repository}. Try again later.`);
  const git = typeof repository === 'object' ? new Git(repository.top, HISTORY_TIMEOUT_MS) : undefined;
  const names = new Set(runs.flatMap(({ commitNames }) => commitNames));
  if (newest?.commit !== undefined) names.add(newest.commit);
  const known = git === undefined ? new Map<string, string>() : await resolvedCommits(git, [...names], signal);
  const times = await timesOf(git, [...new Set(known.values())], signal);
  // The time of the commit counts first, so that runs of the same commit stay together.
  const newestAt = newest === undefined ? undefined : (times.get(newest.commit ?? '') ?? newest.time);
  const placed: { run: PlacedRun; at: number }[] = [];
  for (const run of runs) {
    const name = run.commitNames.find((one) => known.has(one)) ?? run.commitNames.find(isWhole);
    const commit = name === undefined ? undefined : (known.get(name) ?? name);
    const committedAt = commit === undefined ? undefined : times.get(commit);
    if (commit === undefined && run.source.kind === 'reports') {
      leftOut.push({ name: run.name, reason: reasonOf(run) });
      continue;
    }
    const time = run.startedAt ?? committedAt ?? (await ownTime(run));
    const at = committedAt ?? time ?? 0;
    placed.push({ run: { ...run, commit, time, isOlder: newestAt !== undefined && at < newestAt }, at });
  }
  placed.sort(
    (one, other) => one.at - other.at || (one.run.time ?? 0) - (other.run.time ?? 0) || byName(one.run, other.run),
  );
  return placed.map(({ run }) => run);
}

function reasonOf({ commitNames }: FoundRun): string {
  const [name] = commitNames;
  return name === undefined
    ? 'no commit is named by its folder, its name or a file beside it'
    : `the repository has no commit ${name}`;
}

async function timesOf(
  git: Git | undefined,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (git === undefined) return new Map();
  try {
    return await orderOf(git, commits, signal);
  } catch (thrown) {
    // Without git, the times in the runs are the only order.
    if (thrown instanceof GitError) return new Map();
    throw thrown;
  }
}

/** Sorts `2` before `10`. */
function byName(one: FoundRun, other: FoundRun): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}
