/**
 * The order in which old runs are told, for what came first is judged first: by their commits in git; of one commit, and where
 * git does not know it, by when they ran.
 */

import { ArgusError } from '../../errors.ts';
import { Git, GitError, isTooSlow } from '../../git/git.ts';
import { HISTORY_TIMEOUT_MS, orderOf, resolvedCommits } from '../../git/history.ts';
import { repositoryOf } from '../../git/repository.ts';
import type { FoundRun, LeftOut } from './found-runs.ts';
import { isWhole } from './named-commits.ts';

/** A run of a commit that is known whole. */
export interface PlacedRun extends FoundRun {
  commit: string | undefined;
  /** When it ran; where nobody says, when its commit was made. */
  time: number | undefined;
  /** It comes before the newest that is recorded. */
  isOlder: boolean;
}

/** The newest run that is recorded. */
export interface Newest {
  commit: string | undefined;
  time: number;
}

interface Ordering {
  /** Of the repository. */
  top: string;
  newest: Newest | undefined;
  leftOut: LeftOut[];
  /** When its reports say that it ran. */
  ownTime(run: FoundRun): Promise<number | undefined>;
  signal: AbortSignal;
}

export async function inOrder(
  runs: readonly FoundRun[],
  { top, newest, leftOut, ownTime, signal }: Ordering,
): Promise<PlacedRun[]> {
  const repository = await repositoryOf(top, signal, HISTORY_TIMEOUT_MS);
  // In any other order other things would be learned, and what is learned stays.
  if (typeof repository === 'string' && isTooSlow(repository))
    throw new ArgusError('INVALID_INPUT', `The git repository of ${top} is not read: ${repository}. Try again later.`);
  const git = typeof repository === 'object' ? new Git(repository.top, HISTORY_TIMEOUT_MS) : undefined;
  const names = new Set(runs.flatMap(({ commitNames }) => commitNames));
  if (newest?.commit !== undefined) names.add(newest.commit);
  const known = git === undefined ? new Map<string, string>() : await resolvedCommits(git, [...names], signal);
  const times = await timesOf(git, [...new Set(known.values())], signal);
  // Runs of one commit stand together, whenever they ran.
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
    // Then the times that the runs themselves say are what there is.
    if (thrown instanceof GitError) return new Map();
    throw thrown;
  }
}

/** `2` before `10`. */
function byName(one: FoundRun, other: FoundRun): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}
