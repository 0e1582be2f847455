/** The command `learn --from-ci`: imports runs from a folder of old reports, the oldest first and each run once. */

import { createHash } from 'node:crypto';
import path from 'node:path';
import { type GitFacts, LIMITS, type RecordRunParams, type TestState } from 'argus-engine';
import type { CiLearnResult } from '../../format/memory.ts';
import { completeGivenFacts } from '../../run/git-state.ts';
import { getFolderInProject } from '../../run/planning/test-command-location.ts';
import type { Session } from '../../sessions/session.ts';
import { createFileStream } from '../../system/files/read.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { loadZod } from '../../system/zod.ts';
import { createRunSchema, toImportParams } from '../failures/import-runs.ts';
import { startProgress } from '../terminal/interaction.ts';
import { type FoundRun, findRuns, type SkippedEntry } from './found-runs.ts';
import { type NewestRecordedRun, type OrderedRun, sortRuns } from './run-order.ts';

const OLDER_REASON = 'older than the recorded runs, whose fixes are already known';

const REPORT_READ_OPTIONS = { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' } as const;

/** Maximum number of tests that are counted by state. */
const MAX_TESTS = 1_000;

export async function learnFromCi(session: Session, given: string, signal: AbortSignal): Promise<CiLearnResult> {
  session.requireHistory();
  const { runs, leftOut } = await findRuns(toAbsolutePath(given));
  const newestRecorded = await findNewestRunIfFixesExist(session);
  const importer = new RunImporter(session);
  const readReportTime = (run: FoundRun) => importer.readReportTime(run);
  const ordered = await sortRuns(runs, {
    top: session.project.top,
    newest: newestRecorded,
    leftOut,
    readReportTime,
    signal,
  });
  const total = { runs: 0, known: 0, failures: 0 };
  const progress = await startProgress(ordered.length, 'importing runs');
  let cancelled = false;
  try {
    for (const run of ordered) {
      // Each run is stored completely or not at all, so a later call can import the rest.
      if (signal.aborted) {
        cancelled = true;
        break;
      }
      const id = await createRunId(run);
      if (await isKnown(session, id)) total.known += 1;
      else if (run.isOlder) leftOut.push({ name: run.name, reason: OLDER_REASON });
      else {
        const params = await importer.toImportParams(run, leftOut);
        if (params !== undefined) {
          const { failures } = await session.importRun({ id, run: params });
          total.runs += 1;
          total.failures += failures.length;
        }
      }
      progress.advance(1);
    }
  } finally {
    progress.stop();
  }
  return { ...total, leftOut, ...(await countTestsAndFixes(session)), ...(cancelled ? { cancelled } : {}) };
}

/** Converts the runs of a folder to the parameters of the engine. */
class RunImporter {
  readonly #session: Session;
  readonly #git = new Map<string, Promise<GitFacts | null>>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Returns undefined if the run has no test. */
  async toImportParams(run: OrderedRun, leftOut: SkippedEntry[]): Promise<RecordRunParams | undefined> {
    const { source } = run;
    if (source.kind === 'reports') return this.#toParamsFromReports(run, source.files, leftOut);
    const schema = createRunSchema(await loadZod());
    return toImportParams(schema.parse(JSON.parse(await readTextAt(source))), false).run;
  }

  async #toParamsFromReports(
    run: OrderedRun,
    files: string[],
    leftOut: SkippedEntry[],
  ): Promise<RecordRunParams | undefined> {
    const { prepared, ownTime } = await this.#prepareReports(files);
    const { cases = [], unread = [] } = prepared;
    const refused = unread.filter(({ at }) => files.includes(at));
    for (const { at, reason } of refused) leftOut.push({ name: formatReportName(run, at, files), reason });
    if (cases.length === 0) {
      if (refused.length === 0) leftOut.push({ name: run.name, reason: 'it contains no tests' });
      return undefined;
    }
    return {
      ...prepared,
      startedAt: run.startedAt ?? ownTime ?? run.time ?? null,
      git: await this.#readGitFacts(run),
      environment: run.job === undefined ? {} : { job: run.job },
      notes: [],
    };
  }

  async readReportTime({ source }: FoundRun): Promise<number | undefined> {
    return source.kind === 'reports' ? (await this.#prepareReports(source.files)).ownTime : undefined;
  }

  async #prepareReports(files: readonly string[]): Promise<{ prepared: RecordRunParams; ownTime: number | undefined }> {
    const session = this.#session;
    const startMs = io().now();
    const { value: prepared } = await session.withEngine((engine) =>
      engine.prepareRun({
        timedOut: false,
        folder: getFolderInProject(session.project, session.root),
        reports: files.map((file) => ({ path: file, format: null })),
        containers: [],
        notes: [],
      }),
    );
    // If no report contains a time, the engine returns the current time.
    const { startedAt } = prepared;
    return { prepared, ownTime: startedAt != null && startedAt < startMs ? startedAt : undefined };
  }

  /** Returns the git facts of the run's commit. Cached, because a commit often has several runs. */
  #readGitFacts({ commit, branch }: OrderedRun): Promise<GitFacts | null> {
    const key = `${commit} ${branch}`;
    const known = this.#git.get(key);
    if (known !== undefined) return known;
    const facts = completeGivenFacts(this.#session.root, { commit, branch, dirty: false });
    this.#git.clear();
    this.#git.set(key, facts);
    return facts;
  }
}

/**
 * Returns the newest recorded run if the memory has fixes, otherwise undefined. Runs older than this one are skipped,
 * because fixes depend on the order of the runs: if an old failure were imported now, it would look like a failure that
 * came back after its fix.
 */
async function findNewestRunIfFixesExist(session: Session): Promise<NewestRecordedRun | undefined> {
  const { value } = await session.withEngine(async (engine) => {
    const { fixes, reported } = await engine.fixes();
    if (fixes.length + reported.length === 0) return undefined;
    const { runs } = await engine.history({ limit: 1 });
    return runs[0];
  });
  return value && { commit: value.gitCommit ?? undefined, time: Date.parse(value.timestamp) };
}

async function isKnown(session: Session, id: string): Promise<boolean> {
  // The engine creates the ids of imported runs in the same way.
  const plain = id.replaceAll(/[^0-9A-Za-z]/gu, '-');
  const prefix = plain.startsWith('run-') ? plain : `run-${plain}`;
  const { value } = await session.withEngine((engine) => engine.completeIds({ kind: 'run', prefix }));
  return value.includes(prefix);
}

async function countTestsAndFixes(session: Session): Promise<Pick<CiLearnResult, 'tests' | 'fixes'>> {
  const { value } = await session.withEngine(async (engine) => {
    const { tests } = await engine.tests({ limit: MAX_TESTS });
    const { fixes } = await engine.fixes();
    return { tests, fixes };
  });
  const tests: Partial<Record<TestState, number>> = {};
  for (const { state } of value.tests) tests[state] = (tests[state] ?? 0) + 1;
  const proved = value.fixes.filter(({ status }) => status === 'proved').length;
  return { tests, fixes: { found: value.fixes.length, proved } };
}

/**
 * Returns an id that does not depend on the folder, because equal reports of a commit are the same run in any folder.
 */
async function createRunId({ commit, job, source }: OrderedRun): Promise<string> {
  if (source.kind === 'line') return source.id;
  const digest = createHash('sha256').update(`${commit}\0${job}`);
  for (const file of source.files) {
    digest.update(`\0${path.basename(file)}\0`);
    for await (const chunk of createFileStream(file, REPORT_READ_OPTIONS)) digest.update(chunk);
  }
  return `ci-${digest.digest('hex').slice(0, 32)}`;
}

function formatReportName(run: OrderedRun, file: string, files: readonly string[]): string {
  return files.length > 1 ? `${run.name}/${path.basename(file)}` : run.name;
}

async function readTextAt({ file, start, bytes }: { file: string; start: number; bytes: number }): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of createFileStream(file, REPORT_READ_OPTIONS, { start, end: start + bytes - 1 }))
    parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}
