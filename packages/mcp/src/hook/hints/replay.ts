/**
 * Replays the history of a project: computes the messages that the hook would have printed with the facts that were
 * known at that time, and whether the failure was gone in the next run of the command on other files.
 */

import type { RunError, RunRecord } from 'argus-engine';
import type { Session } from '../../sessions/session.ts';
import type { EngineCalls } from '../../storage/database.ts';
import { type Signer, signErrors, withSigner } from '../command-run.ts';
import { type Hint, selectMatchingHints } from '../state.ts';
import { collectHints } from './collect-hints.ts';
import { estimateTokens, formatMessage } from './format-message.ts';

/** Maximum number of runs that are replayed. */
const MAX_RUNS = 1_000;
const PAGE_SIZE = 100;
const MAX_CASES = 200;

export interface ReplayResult {
  runs: number;
  failed: number;
  /** Number of messages. */
  spoken: number;
  right: number;
  wrong: number;
  /** Number of messages without a later run that decides. */
  open: number;
  tokens: number;
  precision: number | null;
}

/** The fields of a run that the replay needs. */
export interface PastRun extends Pick<RunRecord, 'id' | 'timestamp' | 'gitCommit' | 'dirty' | 'command'> {
  errors: RunError[];
}

export async function replayHistory(session: Session): Promise<ReplayResult> {
  const entries = await collectHints(session, []);
  const { value: runs } = await session.withEngine((engine) =>
    withSigner(session.config, session.project.top, (signer) => readPastRuns(engine, signer)),
  );
  return replayRuns(runs, entries);
}

/** `runs` has the oldest run first. */
export function replayRuns(runs: readonly PastRun[], entries: readonly Hint[]): ReplayResult {
  const knownSinceIndex = new Map(entries.map((one) => [one, findIndexOfRun(runs, one.since)]));
  const sum = { spoken: 0, right: 0, wrong: 0, open: 0, tokens: 0 };
  const reported = new Set<string>();
  for (const [at, run] of runs.entries()) {
    const families = new Set(run.errors.map(({ family }) => family));
    // Forget a message when its failure ends, so that each lasting failure gets a single message.
    for (const key of reported)
      if (key.startsWith(`${run.command}\0`) && !families.has(key.split('\0')[1] ?? '')) reported.delete(key);
    for (const error of run.errors) {
      const key = `${run.command}\0${error.family}`;
      const known = entries.filter((one) => (knownSinceIndex.get(one) ?? at) < at);
      const text = reported.has(key) ? undefined : formatMessage(selectMatchingHints(known, error));
      if (text === undefined) continue;
      reported.add(key);
      sum.spoken += 1;
      sum.tokens += estimateTokens(text);
      sum[evaluateMessage(runs, at, error.family)] += 1;
    }
  }
  const decided = sum.right + sum.wrong;
  const failed = runs.filter(({ errors }) => errors.length > 0).length;
  return { runs: runs.length, failed, ...sum, precision: decided === 0 ? null : sum.right / decided };
}

/** Returns whether a message was right, from the next run of the command on other files. */
function evaluateMessage(runs: readonly PastRun[], at: number, family: string): 'right' | 'wrong' | 'open' {
  const run = runs[at];
  const next = runs.slice(at + 1).find((later) => {
    const isOther = later.gitCommit !== run?.gitCommit || later.dirty !== false || run?.dirty !== false;
    return later.command === run?.command && isOther;
  });
  if (next === undefined) return 'open';
  return next.errors.some((error) => error.family === family) ? 'wrong' : 'right';
}

/**
 * Returns the index of a run, or of the last run before a time. Returns -1 if the run or time is not known, because the
 * fact is then older than all runs.
 */
function findIndexOfRun(runs: readonly PastRun[], since: string | undefined): number {
  if (since === undefined) return -1;
  const at = runs.findIndex(({ id }) => id === since);
  if (at >= 0) return at;
  const time = Date.parse(since);
  if (Number.isNaN(time)) return -1;
  return runs.filter(({ timestamp }) => Date.parse(timestamp) < time).length - 1;
}

async function readPastRuns(engine: EngineCalls, signer: Signer): Promise<PastRun[]> {
  const records: RunRecord[] = [];
  for (let offset = 0; offset < MAX_RUNS; offset += PAGE_SIZE) {
    const { runs, hasMore } = await engine.history({ limit: PAGE_SIZE, offset });
    records.push(...runs);
    if (!hasMore) break;
  }
  const past: PastRun[] = [];
  for (const run of records.reverse()) {
    const cases = run.status === 'failed' ? (await engine.runDetail({ runId: run.id, limit: MAX_CASES })).cases : [];
    const failed = cases.filter(({ status }) => status === 'failed');
    past.push({ ...run, errors: failed.length === 0 ? [] : await signErrors(signer, failed) });
  }
  return past;
}
