/**
 * Replays the history of a project: computes the messages that the hook would have printed with the facts that were
 * known by then, and whether the failure was gone in the next run of the command on other files.
 */

import type { RunError, RunRecord } from 'argus-engine';
import type { Session } from '../../sessions/session.ts';
import type { Calling } from '../../storage/database.ts';
import type { Earned } from '../state.ts';
import { message, tokensOf } from './lines.ts';
import { lookForEarned } from './look-for-earned.ts';
import { matching } from './matching.ts';
import { type Signer, signed, signing } from './signing.ts';

/** Maximum number of runs. */
const MAX_RUNS = 1_000;
const PAGE = 100;
const MAX_CASES = 200;

export interface Replay {
  runs: number;
  failed: number;
  /** Number of messages. */
  spoken: number;
  right: number;
  wrong: number;
  /** Messages without a later run. */
  open: number;
  tokens: number;
  precision: number | null;
}

/** The fields of a run that the replay needs. */
export interface PastRun extends Pick<RunRecord, 'id' | 'timestamp' | 'gitCommit' | 'dirty' | 'command'> {
  errors: RunError[];
}

export async function replay(session: Session): Promise<Replay> {
  const entries = await lookForEarned(session, []);
  const { value: runs } = await session.withEngine((engine) =>
    signing(session.config, session.project.top, (signer) => pastRuns(engine, signer)),
  );
  return replayOf(runs, entries);
}

/** `runs` has the oldest run first. */
export function replayOf(runs: readonly PastRun[], entries: readonly Earned[]): Replay {
  const since = new Map(entries.map((one) => [one, indexOf(runs, one.since)]));
  const sum = { spoken: 0, right: 0, wrong: 0, open: 0, tokens: 0 };
  const said = new Set<string>();
  for (const [at, run] of runs.entries()) {
    const families = new Set(run.errors.map(({ family }) => family));
    // Forgets a message when its failure ends, so that each lasting failure gets a single message.
    for (const key of said)
      if (key.startsWith(`${run.command}\0`) && !families.has(key.split('\0')[1] ?? '')) said.delete(key);
    for (const error of run.errors) {
      const key = `${run.command}\0${error.family}`;
      const known = entries.filter((one) => (since.get(one) ?? at) < at);
      const text = said.has(key) ? undefined : message(matching(known, error));
      if (text === undefined) continue;
      said.add(key);
      sum.spoken += 1;
      sum.tokens += tokensOf(text);
      sum[cameOf(runs, at, error.family)] += 1;
    }
  }
  const decided = sum.right + sum.wrong;
  const failed = runs.filter(({ errors }) => errors.length > 0).length;
  return { runs: runs.length, failed, ...sum, precision: decided === 0 ? null : sum.right / decided };
}

/** The outcome of a message, from the next run of the command on other files. */
function cameOf(runs: readonly PastRun[], at: number, family: string): 'right' | 'wrong' | 'open' {
  const run = runs[at];
  const next = runs.slice(at + 1).find((later) => {
    const isOther = later.gitCommit !== run?.gitCommit || later.dirty !== false || run?.dirty !== false;
    return later.command === run?.command && isOther;
  });
  if (next === undefined) return 'open';
  return next.errors.some((error) => error.family === family) ? 'wrong' : 'right';
}

/**
 * The index of a run, or of the last run before a time. Returns -1 if it is unknown, because the fact is then older
 * than all runs.
 */
function indexOf(runs: readonly PastRun[], since: string | undefined): number {
  if (since === undefined) return -1;
  const at = runs.findIndex(({ id }) => id === since);
  if (at >= 0) return at;
  const time = Date.parse(since);
  if (Number.isNaN(time)) return -1;
  return runs.filter(({ timestamp }) => Date.parse(timestamp) < time).length - 1;
}

async function pastRuns(engine: Calling, signer: Signer): Promise<PastRun[]> {
  const records: RunRecord[] = [];
  for (let offset = 0; offset < MAX_RUNS; offset += PAGE) {
    const { runs, hasMore } = await engine.history({ limit: PAGE, offset });
    records.push(...runs);
    if (!hasMore) break;
  }
  const past: PastRun[] = [];
  for (const run of records.reverse()) {
    const cases = run.status === 'failed' ? (await engine.runDetail({ runId: run.id, limit: MAX_CASES })).cases : [];
    const failed = cases.filter(({ status }) => status === 'failed');
    past.push({ ...run, errors: failed.length === 0 ? [] : await signed(signer, failed) });
  }
  return past;
}
