/**
 * An attempt as a recorded run: collects its cases while it runs, stores it like a run of `argus_run`, and reads it
 * back when the loop learns from its fixes.
 */

import type { FixRanCases, GitFacts, RecordRunParams, ReportCase, RunResult } from 'argus-engine';
import { z } from 'zod';
import { cachedNote } from '../../run/advice/cached.ts';
import { gitFacts } from '../../run/git-state.ts';
import { folderOf } from '../../run/planning/test-place.ts';
import { type Heard, Listener } from '../../run/reports/listener.ts';
import type { Kept } from '../../storage/outbox.ts';
import { shortLine } from '../../text/untrusted.ts';
import type { LoopContext } from '../loop-context.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { type AttemptRequest, type AttemptResult, runAttempt } from './attempt.ts';

/** A finished attempt. Its reports exist until `close`. */
export interface HeardAttempt {
  result: AttemptResult;
  heard: Heard;
  /** True if cases were collected. */
  isListened: boolean;
  git: GitFacts | null;
  close(): void;
}

/**
 * Runs an attempt and collects its cases. If the command does not accept the added reporter, runs it again without it.
 */
export async function runHeard({ session }: LoopContext, request: AttemptRequest): Promise<HeardAttempt> {
  const { root, config } = session;
  const git = await gitFacts(root);
  const listener = new Listener({ root, config, command: request.command });
  try {
    const result = await runAttempt({ ...request, command: listener.command, listener });
    const heard = await listener.heard(result.startedAt);
    const isUnheard = heard.reports.length === 0 && result.exitCode !== 0 && !result.timedOut;
    const refusal = isUnheard ? listener.refusal(result.text) : undefined;
    const cached = cachedNote(result.text);
    if (cached !== undefined) result.notes.push(cached);
    if (refusal === undefined) return { result, heard, isListened: true, git, close: () => listener.close() };
    listener.close();
    const unheard = await runUnheard(request);
    const note = `It was run once more, for it did not take what Argus adds for a report (${shortLine(refusal)}).`;
    return { ...unheard, git, result: { ...unheard.result, notes: [note, ...unheard.result.notes] } };
  } catch (thrown) {
    listener.close();
    throw thrown;
  }
}

/** Runs an attempt without collecting cases, because a command that gets secrets may write them to its reports. */
export async function runUnheard(request: AttemptRequest): Promise<HeardAttempt> {
  const result = await runAttempt(request);
  return {
    result,
    heard: { reports: [], runner: null, passedPackages: [], omitsPassed: false },
    isListened: false,
    git: null,
    close: () => {},
  };
}

/** The stored part of a recorded attempt: the cases of each cause. */
export interface AttemptRun {
  runId: string;
  causes: string[][];
}

/** Cases of an attempt, read before its reports are removed. */
export interface AttemptCases {
  /** The run with the cases of its reports, for recording. */
  run: RecordRunParams;
  ran: FixRanCases;
}

/** Null if no cases were collected. */
export async function casesOf(
  { session }: LoopContext,
  { command, text, result, heard, git, isListened }: Omit<HeardAttempt, 'close'> & { command: string; text: string },
): Promise<AttemptCases | null> {
  if (!isListened) return null;
  const rules = await session.rulesAlone();
  const run = await rules.prepareRun({
    command,
    runner: heard.runner,
    startedAt: result.startedAt,
    durationMs: Math.round(result.durationSeconds * 1_000),
    exitCode: result.exitCode,
    signal: result.signal,
    timedOut: result.timedOut,
    git,
    reports: heard.reports,
    outputTail: text,
    containers: [],
    notes: [],
    folder: folderOf(session.project, session.root),
  });
  const last = new Map((run.cases ?? []).map((one) => [nameOf(one), one.status]));
  const named = (status: ReportCase['status']) => [...last].flatMap(([name, is]) => (is === status ? [name] : []));
  const [passed, failed] = [named('passed'), named('failed')];
  const ran = { passed, failed, passed_files: [...heard.passedPackages], omits_passed: heard.omitsPassed };
  return { run, ran };
}

function nameOf({ file, suite, name }: ReportCase): string {
  return [file ?? '', ...suite, name].filter(Boolean).join(' > ');
}

/** Stores the attempt as a run in the memory of failures. The result states if it is not stored. */
export async function recordAttempt(
  { session }: LoopContext,
  folder: StateFolder,
  number: number,
  run: RecordRunParams,
): Promise<Kept<RunResult>> {
  const kept = await session.recordRun(run);
  const { runId, causes } = kept.value;
  const file: AttemptRun = { runId, causes: causes.map(({ cases }) => cases) };
  folder.writeJson(fileName(number), file);
  return kept;
}

/** Undefined if the attempt was not recorded. */
export function readAttemptRun(folder: StateFolder, number: number): AttemptRun | undefined {
  try {
    return attemptRun().safeParse(JSON.parse(folder.read(fileName(number)) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

function fileName(number: number): string {
  return `attempt_${number}_run.json`;
}

const attemptRun = () => z.object({ runId: z.string(), causes: z.array(z.array(z.string())) });
