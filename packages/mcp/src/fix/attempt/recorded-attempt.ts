/**
 * Records an attempt as a run: collects its cases while it runs, stores the run like `argus_run` does, and reads the
 * stored run when the loop learns from its fixes.
 */

import type { FixRanCases, GitFacts, RecordRunParams, ReportCase, RunResult } from 'argus-engine';
import { z } from 'zod';
import { createCacheNote } from '../../run/advice/missing-cases.ts';
import { readGitFacts } from '../../run/git-state.ts';
import { getFolderInProject } from '../../run/planning/test-command-location.ts';
import { type CollectedReports, ReportListener } from '../../run/reports/report-listener.ts';
import type { StorageResult } from '../../storage/outbox.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import type { LoopContext } from '../loop-context.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { type AttemptRequest, type AttemptResult, runAttempt } from './attempt.ts';

/** A finished attempt. Its report files exist until `close` is called. */
export interface FinishedAttempt {
  result: AttemptResult;
  collected: CollectedReports;
  /** True if Argus added a reporter to the command, which collects the cases. */
  usesReporter: boolean;
  git: GitFacts | null;
  close(): void;
}

/**
 * Runs an attempt and collects its cases with an added reporter. If the command does not accept the reporter, runs the
 * command again without it.
 */
export async function runWithReporter({ session }: LoopContext, request: AttemptRequest): Promise<FinishedAttempt> {
  const { root, config } = session;
  const git = await readGitFacts(root);
  const listener = new ReportListener({ root, config, command: request.command });
  try {
    const result = await runAttempt({ ...request, command: listener.command, listener });
    const collected = await listener.collectReports(result.startedAt);
    const hasNoReport = collected.reports.length === 0 && result.exitCode !== 0 && !result.timedOut;
    const rejection = hasNoReport ? listener.findRejection(result.text) : undefined;
    const cached = createCacheNote(result.text);
    if (cached !== undefined) result.notes.push(cached);
    if (rejection === undefined) return { result, collected, usesReporter: true, git, close: () => listener.close() };
    listener.close();
    const plain = await runWithoutReporter(request);
    const note = `The command ran again, because it rejected the additions of Argus for a report (${toShortLine(rejection)}).`;
    return { ...plain, git, result: { ...plain.result, notes: [note, ...plain.result.notes] } };
  } catch (thrown) {
    listener.close();
    throw thrown;
  }
}

/**
 * Runs an attempt without collecting cases. Used for commands that get secrets as input, because reports may contain
 * the input.
 */
export async function runWithoutReporter(request: AttemptRequest): Promise<FinishedAttempt> {
  const result = await runAttempt(request);
  return {
    result,
    collected: { reports: [], runner: null, passedPackages: [], omitsPassed: false },
    usesReporter: false,
    git: null,
    close: () => {},
  };
}

/** The part of an attempt's run that is stored in a file: the cases of each cause. */
export interface AttemptRun {
  runId: string;
  causes: string[][];
}

/** Cases of an attempt, which are read before its reports are deleted. */
export interface AttemptCases {
  /** The run with the cases of its reports, ready to be recorded. */
  run: RecordRunParams;
  ran: FixRanCases;
}

/** Returns null if no cases were collected. */
export async function readCases(
  { session }: LoopContext,
  {
    command,
    text,
    result,
    collected,
    git,
    usesReporter,
  }: Omit<FinishedAttempt, 'close'> & { command: string; text: string },
): Promise<AttemptCases | null> {
  if (!usesReporter) return null;
  const rules = await session.openRulesEngine();
  const run = await rules.prepareRun({
    command,
    runner: collected.runner,
    startedAt: result.startedAt,
    durationMs: Math.round(result.durationSeconds * 1_000),
    exitCode: result.exitCode,
    signal: result.signal,
    timedOut: result.timedOut,
    git,
    reports: collected.reports,
    outputTail: text,
    containers: [],
    notes: [],
    folder: getFolderInProject(session.project, session.root),
  });
  const statusByName = new Map((run.cases ?? []).map((one) => [formatCaseName(one), one.status]));
  const listNamesWithStatus = (status: ReportCase['status']) =>
    [...statusByName].flatMap(([name, is]) => (is === status ? [name] : []));
  const [passed, failed] = [listNamesWithStatus('passed'), listNamesWithStatus('failed')];
  const ran = { passed, failed, passed_files: [...collected.passedPackages], omits_passed: collected.omitsPassed };
  return { run, ran };
}

function formatCaseName({ file, suite, name }: ReportCase): string {
  return [file ?? '', ...suite, name].filter(Boolean).join(' > ');
}

/** Stores the attempt as a run. The result states whether the run is stored. */
export async function recordAttempt(
  { session }: LoopContext,
  folder: StateFolder,
  number: number,
  run: RecordRunParams,
): Promise<StorageResult<RunResult>> {
  const kept = await session.recordRun(run);
  const { runId, causes } = kept.value;
  const file: AttemptRun = { runId, causes: causes.map(({ cases }) => cases) };
  folder.writeJson(getRunFileName(number), file);
  return kept;
}

/** Returns undefined if the attempt was not recorded. */
export function readAttemptRun(folder: StateFolder, number: number): AttemptRun | undefined {
  try {
    return createAttemptRunSchema().safeParse(JSON.parse(folder.read(getRunFileName(number)) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

function getRunFileName(number: number): string {
  return `attempt_${number}_run.json`;
}

const createAttemptRunSchema = () => z.object({ runId: z.string(), causes: z.array(z.array(z.string())) });
