/**
 * import --runs: takes in a history of runs that was recorded elsewhere, one JSON object a line, and says what each failure
 * was found to be. A run that is known stays as it is, so the same history can be given again.
 */

import { createReadStream } from 'node:fs';
import type { HistoricRun, ImportRunParams, ReportCase } from 'argus-engine';
import { ArgusError, messageOf } from '../../errors.ts';
import { formatImportedRuns, type ImportedRuns } from '../../format/evidence-text.ts';
import type { Session } from '../../sessions/session.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { adoptsInCi } from '../recorder.ts';
import { EXIT } from '../terminal/exit.ts';
import { batches, sizeOfLines, write } from '../terminal/lines.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress-bar.ts';

/** A run has many cases, and is recorded alone. */
const BATCH_LINES = 16;
const BATCH_BYTES = 4 * 1024 * 1024;

export async function importRuns(file: string, options: GlobalOptions & { foreign?: boolean }): Promise<void> {
  // Each run is answered as soon as it is recorded; nothing is said behind the last.
  const onRun = options.json ? (run: HistoricRun) => write(`${JSON.stringify(shown(run))}\n`) : undefined;
  await answer(
    { ...options, json: false },
    ({ session }) => importAll(session, file, options.foreign === true, onRun),
    (imported) => (options.json ? '' : formatImportedRuns(imported)),
    { exitCode: () => EXIT.done, adopts: adoptsInCi() },
  );
}

function shown({ runId, failures }: HistoricRun): Pick<HistoricRun, 'runId' | 'failures'> {
  return { runId, failures };
}

async function importAll(
  session: Session,
  file: string,
  isForeign: boolean,
  onRun?: (run: HistoricRun) => Promise<void> | void,
): Promise<ImportedRuns> {
  const z = await loadZod();
  const schema = runSchema(z);
  const total: ImportedRuns = { runs: 0, known: 0, failures: 0 };
  const size = file === '-' ? undefined : sizeOfLines(file);
  const input = file === '-' ? process.stdin : createReadStream(file);
  const progress = await startProgress(size);
  try {
    let before = 0;
    for await (const lines of batches(input, { bytes: BATCH_BYTES, lines: BATCH_LINES })) {
      for (const [index, line] of new TextDecoder().decode(lines.bytes).split('\n').entries()) {
        if (line.trim() === '') continue;
        const run = await session.importRun(paramsOf(readLine(schema, line, before + index + 1), isForeign));
        total.runs += 1;
        total.known += Number(run.wasKnown);
        total.failures += run.failures.length;
        await onRun?.(run);
      }
      before += lines.count;
      progress.advance(lines.bytes.length);
    }
    return total;
  } finally {
    progress.stop();
  }
}

/** One run of a history; what it does not know it leaves out. */
function runSchema(z: Zod) {
  const text = z.string().max(200_000);
  const commit = z.object({ commit: text, parents: z.array(text).default([]), files: z.array(text).default([]) });
  const one = z.object({
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
    cases: z.array(one),
  });
}

type RunLine = ReturnType<ReturnType<typeof runSchema>['parse']>;

function readLine(schema: ReturnType<typeof runSchema>, line: string, number: number): RunLine {
  try {
    return schema.parse(JSON.parse(line));
  } catch (thrown) {
    const issues =
      thrown instanceof Error && 'issues' in thrown
        ? (thrown.issues as { path: PropertyKey[]; message: string }[])
        : [];
    const [issue] = issues;
    const what = issue === undefined ? messageOf(thrown) : `${issue.path.join('.')}: ${issue.message}`;
    throw new ArgusError('INVALID_INPUT', `Line ${number} is no run (${what}). The lines before it are recorded.`);
  }
}

function paramsOf(run: RunLine, isForeign: boolean): ImportRunParams {
  const { runner = null, ...environment } = run.environment;
  // Commits since the run before, the oldest first; without them the run's own.
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
      cases: run.cases.map(caseOf),
      outputTail: null,
      containers: [],
      notes: [],
    },
  };
}

/** Its name is qualified as it is, with the file in front. */
function caseOf({ name, status, durationMs, attempts, error }: RunLine['cases'][number]): ReportCase {
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
