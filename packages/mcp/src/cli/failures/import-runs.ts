/**
 * The command `import --runs`: records a history of runs from elsewhere, with a JSON object on each line, and prints
 * the result for each failure. Known runs are not changed, so the same history can be imported again.
 */

import type { CaseRecord, GitFacts, HistoricRun, ImportRunParams, ReportCase } from 'argus-engine';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { formatRunImportResult, type RunImportResult } from '../../format/failures/evidence-text.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import type { Session } from '../../sessions/session.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { startProgress } from '../terminal/interaction.ts';
import { openLineInput, readBatches, writeToStdout } from '../terminal/lines.ts';
import { type GlobalOptions, isAdoptionAllowedInCi, runProjectCommand } from '../terminal/output.ts';

/** Batches are small because a run has many cases and each run is recorded separately. */
const BATCH_LINES = 16;
const BATCH_BYTES = 4 * 1024 * 1024;

export async function importRuns(file: string, options: GlobalOptions & { foreign?: boolean }): Promise<void> {
  // JSON output has a line for each run, written as soon as the run is recorded, and no summary at the end.
  const onRun = options.json
    ? (run: HistoricRun) => writeToStdout(`${JSON.stringify(pickPrintedFields(run))}\n`)
    : undefined;
  await runProjectCommand(
    { ...options, json: false },
    ({ session }) => importAll(session, file, options.foreign === true, onRun),
    (imported) => (options.json ? '' : formatRunImportResult(imported)),
    { exitCode: () => EXIT_CODES.done, adopts: isAdoptionAllowedInCi() },
  );
}

function pickPrintedFields({ runId, failures }: HistoricRun): Pick<HistoricRun, 'runId' | 'failures'> {
  return { runId, failures };
}

async function importAll(
  session: Session,
  file: string,
  isForeign: boolean,
  onRun?: (run: HistoricRun) => Promise<void> | void,
): Promise<RunImportResult> {
  const z = await loadZod();
  const schema = createRunSchema(z);
  const total: RunImportResult = { runs: 0, known: 0, failures: 0 };
  const { input, size } = openLineInput(file);
  const progress = await startProgress(size);
  try {
    let previousLines = 0;
    for await (const lines of readBatches(input, { bytes: BATCH_BYTES, lines: BATCH_LINES })) {
      for (const [index, line] of new TextDecoder().decode(lines.bytes).split('\n').entries()) {
        if (line.trim() === '') continue;
        const run = await session.importRun(
          toImportParams(readLine(schema, line, previousLines + index + 1), isForeign),
        );
        total.runs += 1;
        total.known += Number(run.wasKnown);
        total.failures += run.failures.length;
        await onRun?.(run);
      }
      previousLines += lines.count;
      progress.advance(lines.bytes.length);
    }
    return total;
  } finally {
    progress.stop();
  }
}

/* Reads a run of a history from a line of JSON, and converts it for the engine. */

/** Schema of a run in a history. Facts that are not known are left out. */
export function createRunSchema(z: Zod) {
  const text = z.string().max(200_000);
  const commit = z.object({ commit: text, parents: z.array(text).default([]), files: z.array(text).default([]) });
  const caseSchema = z.object({
    name: text.min(1),
    status: z.enum(['passed', 'failed', 'skipped']),
    durationMs: z.number().nonnegative().optional(),
    attempts: z.int().positive().default(1),
    error: text.optional(),
  });
  return z.object({
    id: text.min(1),
    startedAt: z.int().nonnegative(),
    commit: text.optional(),
    parents: z.array(text).optional(),
    path: z.array(commit).optional(),
    branch: text.optional(),
    dirty: z.boolean().optional(),
    tree: text.optional(),
    environment: z.record(text, text).default({}),
    foreign: z.boolean().default(false),
    cases: z.array(caseSchema),
  });
}

type RunSchema = ReturnType<typeof createRunSchema>;
type RunLine = ReturnType<RunSchema['parse']>;

function readLine(schema: RunSchema, line: string, number: number): RunLine {
  try {
    return schema.parse(JSON.parse(line));
  } catch (thrown) {
    throw new ArgusError(
      'INVALID_INPUT',
      `Line ${number} is not a valid run (${describeFirstIssue(thrown)}). The lines before it are recorded.`,
    );
  }
}

/** Returns the name of the first wrong field and what is wrong with it. */
export function describeFirstIssue(thrown: unknown): string {
  const issues =
    thrown instanceof Error && 'issues' in thrown ? (thrown.issues as { path: PropertyKey[]; message: string }[]) : [];
  const [issue] = issues;
  return issue === undefined ? getErrorMessage(thrown) : `${issue.path.join('.')}: ${issue.message}`;
}

export function toImportParams(run: RunLine, isForeign: boolean): ImportRunParams {
  const { runner = null, ...environment } = run.environment;
  // `path` has the commits since the previous run. If it is missing, only the run's own commit is used.
  const own = run.commit === undefined ? [] : [{ commit: run.commit, parents: run.parents ?? [] }];
  return {
    id: run.id,
    run: {
      command: null,
      runner,
      startedAt: run.startedAt,
      durationMs: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      git: {
        commit: run.commit ?? null,
        branch: run.branch ?? null,
        dirty: run.dirty ?? null,
        tree: run.tree ?? null,
        commits: run.path === undefined || run.path.length === 0 ? own : run.path.toReversed(),
      },
      environment,
      foreign: run.foreign || isForeign,
      reports: [],
      cases: run.cases.map(toReportCase),
      outputTail: null,
      containers: [],
      notes: [],
    },
  };
}

/** Converts a case. The name already contains the file, so `file` and `suite` are empty. */
function toReportCase({ name, status, durationMs, attempts, error }: RunLine['cases'][number]): ReportCase {
  return {
    file: null,
    suite: [],
    name,
    status,
    runnerStatus: null,
    flaky: status === 'passed' && attempts > 1,
    durationMs: durationMs ?? null,
    attempts,
    errorType: null,
    error: error ?? null,
    stdoutTail: null,
    stderrTail: null,
    runner: null,
  };
}

/** Facts about the environment of the run, which the recorded run does not contain. */
interface RunFacts {
  git: GitFacts | null;
  environment: Record<string, string>;
}

/**
 * Returns a recorded run as a line for `argus import --runs`. Texts are redacted as in the database, and the id
 * identifies the run in a second import.
 */
export function formatRunLine({ run, cases }: RunReport, { git, environment }: RunFacts): string {
  const commits = git?.commits ?? [];
  const line = {
    id: run.id,
    startedAt: Date.parse(run.timestamp),
    commit: run.gitCommit ?? undefined,
    // The oldest commit comes first.
    path: commits.length > 0 ? commits.toReversed() : undefined,
    branch: run.gitBranch ?? undefined,
    dirty: run.dirty ?? undefined,
    tree: git?.tree ?? undefined,
    foreign: run.foreign || undefined,
    environment,
    cases: cases.map(toLineCase),
  };
  return `${JSON.stringify(line)}\n`;
}

function toLineCase({ caseName, status, durationMs, attempts, error }: CaseRecord) {
  return { name: caseName, status, durationMs: durationMs ?? undefined, attempts, error: error ?? undefined };
}
