/** learn --from-ci: imports the runs from a folder of old reports, the oldest first, each run once. */

import { createHash } from 'node:crypto';
import path from 'node:path';
import { type GitFacts, LIMITS, type RecordRunParams, type TestState } from 'argus-engine';
import type { LearnedFromCi } from '../../format/memory/learned-text.ts';
import { givenFacts } from '../../run/git-state.ts';
import { folderOf } from '../../run/planning/test-place.ts';
import type { Session } from '../../sessions/session.ts';
import { readPieces } from '../../system/files/read.ts';
import { absolutePath, io } from '../../system/io.ts';
import { loadZod } from '../../system/zod.ts';
import { paramsOf, runSchema } from '../failures/run-line.ts';
import { startProgress } from '../terminal/progress-bar.ts';
import { type FoundRun, type LeftOut, runsIn } from './found-runs.ts';
import { inOrder, type Newest, type PlacedRun } from './run-order.ts';

const OLDER = 'older than what is recorded, by which fixes are known already';

const REPORT = { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' } as const;

/** Limit for the tests that are counted by state. */
const MAX_TESTS = 1_000;

export async function learnFromCi(session: Session, given: string, signal: AbortSignal): Promise<LearnedFromCi> {
  session.requireHistory();
  const { runs, leftOut } = await runsIn(absolutePath(given));
  const newest = await newestWithFixes(session);
  const importing = new Importing(session);
  const ownTime = (run: FoundRun) => importing.ownTimeOf(run);
  const placed = await inOrder(runs, { top: session.project.top, newest, leftOut, ownTime, signal });
  const total = { runs: 0, known: 0, failures: 0 };
  const progress = await startProgress(placed.length, 'taking in runs');
  let cancelled = false;
  try {
    for (const run of placed) {
      // Each run is stored whole or not at all. A later call imports the rest.
      if (signal.aborted) {
        cancelled = true;
        break;
      }
      const id = await idOf(run);
      if (await isKnown(session, id)) total.known += 1;
      else if (run.isOlder) leftOut.push({ name: run.name, reason: OLDER });
      else {
        const params = await importing.paramsOf(run, leftOut);
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
  return { ...total, leftOut, ...(await knownNow(session)), ...(cancelled ? { cancelled } : {}) };
}

/** Converts a found run to the parameters of the engine. */
class Importing {
  readonly #session: Session;
  readonly #git = new Map<string, Promise<GitFacts | null>>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Undefined if the run has no test. */
  async paramsOf(run: PlacedRun, leftOut: LeftOut[]): Promise<RecordRunParams | undefined> {
    const { source } = run;
    if (source.kind === 'reports') return this.#ofReports(run, source.files, leftOut);
    const schema = runSchema(await loadZod());
    return paramsOf(schema.parse(JSON.parse(await textAt(source))), false).run;
  }

  async #ofReports(run: PlacedRun, files: string[], leftOut: LeftOut[]): Promise<RecordRunParams | undefined> {
    const { prepared, ownTime } = await this.#prepared(files);
    const { cases = [], unread = [] } = prepared;
    const refused = unread.filter(({ at }) => files.includes(at));
    for (const { at, reason } of refused) leftOut.push({ name: nameOf(run, at, files), reason });
    if (cases.length === 0) {
      if (refused.length === 0) leftOut.push({ name: run.name, reason: 'no test in it' });
      return undefined;
    }
    return {
      ...prepared,
      startedAt: run.startedAt ?? ownTime ?? run.time ?? null,
      git: await this.#gitOf(run),
      environment: run.job === undefined ? {} : { job: run.job },
      notes: [],
    };
  }

  async ownTimeOf({ source }: FoundRun): Promise<number | undefined> {
    return source.kind === 'reports' ? (await this.#prepared(source.files)).ownTime : undefined;
  }

  async #prepared(files: readonly string[]): Promise<{ prepared: RecordRunParams; ownTime: number | undefined }> {
    const session = this.#session;
    const asked = io().now();
    const { value: prepared } = await session.withEngine((engine) =>
      engine.prepareRun({
        timedOut: false,
        folder: folderOf(session.project, session.root),
        reports: files.map((file) => ({ path: file, format: null })),
        containers: [],
        notes: [],
      }),
    );
    // If no report has a time, the engine returns the current time.
    const { startedAt } = prepared;
    return { prepared, ownTime: startedAt != null && startedAt < asked ? startedAt : undefined };
  }

  /** Cached, because a commit often has several runs. */
  #gitOf({ commit, branch }: PlacedRun): Promise<GitFacts | null> {
    const key = `${commit} ${branch}`;
    const known = this.#git.get(key);
    if (known !== undefined) return known;
    const facts = givenFacts(this.#session.root, { commit, branch, dirty: false });
    this.#git.clear();
    this.#git.set(key, facts);
    return facts;
  }
}

/**
 * Returns the newest recorded run if there are fixes, otherwise undefined. Older runs are then left out, because fixes
 * depend on the order of the runs: an old failure that is imported late would look like a failure that came back.
 */
async function newestWithFixes(session: Session): Promise<Newest | undefined> {
  const { value } = await session.withEngine(async (engine) => {
    const { fixes, reported } = await engine.fixes();
    if (fixes.length + reported.length === 0) return undefined;
    const { runs } = await engine.history({ limit: 1 });
    return runs[0];
  });
  return value && { commit: value.gitCommit ?? undefined, time: Date.parse(value.timestamp) };
}

async function isKnown(session: Session, id: string): Promise<boolean> {
  // The engine builds ids of imported runs in the same way.
  const plain = id.replaceAll(/[^0-9A-Za-z]/gu, '-');
  const prefix = plain.startsWith('run-') ? plain : `run-${plain}`;
  const { value } = await session.withEngine((engine) => engine.completeIds({ kind: 'run', prefix }));
  return value.includes(prefix);
}

async function knownNow(session: Session): Promise<Pick<LearnedFromCi, 'tests' | 'fixes'>> {
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

/** Returns an id without the folder, because equal reports of a commit are the same run in any folder. */
async function idOf({ commit, job, source }: PlacedRun): Promise<string> {
  if (source.kind === 'line') return source.id;
  const digest = createHash('sha256').update(`${commit}\0${job}`);
  for (const file of source.files) {
    digest.update(`\0${path.basename(file)}\0`);
    for await (const chunk of readPieces(file, REPORT)) digest.update(chunk);
  }
  return `ci-${digest.digest('hex').slice(0, 32)}`;
}

function nameOf(run: PlacedRun, file: string, files: readonly string[]): string {
  return files.length > 1 ? `${run.name}/${path.basename(file)}` : run.name;
}

async function textAt({ file, start, bytes }: { file: string; start: number; bytes: number }): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of readPieces(file, REPORT, { start, end: start + bytes - 1 })) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}
