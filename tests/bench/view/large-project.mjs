// Creates a project with a large memory through the engine's own calls, so that the memory resembles that of a project
// in long use. Creating it takes minutes, so the result is kept under .bench.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adopt, identify, openEngine } from '../../../npm/engine/dist/node.mjs';
import { OUT } from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';

/** Number of cases in each run. */
export const CASES_PER_RUN = 1_000;
const WORDS = ['cart', 'order', 'login', 'invoice', 'search', 'upload', 'export', 'queue', 'cache', 'mail'];
const HOUR_MS = 3_600_000;

const MEMORY_ID = 'mem-00000000-0000-4000-8000-000000000001';
/** Environment variables of the user who owns the memory. */
export const OWNER_ENVIRONMENT = { XDG_DATA_HOME: join(OUT, 'data') };

/** Creates a project with `runs` runs, whose failures have `patterns` patterns in total. */
export async function createLargeProject(patterns, runs) {
  const project = join(OUT, `large-${patterns}-${runs}`);
  const database = join(project, '.argus', 'argus.db');
  const mark = join(project, 'complete');
  if (existsSync(mark)) return { project, database: makeOwned(database) };
  rmSync(project, { recursive: true, force: true });
  createEmptyProject(project);
  const engine = await openEngine({ databasePath: database, projectRoot: project, locale: 'en' });
  for (let run = 0; run < runs; run += 1) {
    await recordRun(engine, project, run, Math.ceil(patterns / runs));
    if (run % 50 === 0) process.stderr.write(`${run} of ${runs} runs are recorded\n`);
  }
  await engine.close();
  writeFileSync(mark, '');
  return { project, database: makeOwned(database) };
}

/** Creates a git repository, because a plain folder inside this repository would use this repository's memory. */
export function createEmptyProject(folder) {
  execFileSync('git', ['init', '--quiet', folder]);
}

function makeOwned(database) {
  const memories = join(OWNER_ENVIRONMENT.XDG_DATA_HOME, 'argus', 'memories');
  mkdirSync(memories, { recursive: true });
  writeFileSync(join(memories, MEMORY_ID), '{"version":1}\n');
  if (identify(database).id !== MEMORY_ID) adopt(database, MEMORY_ID);
  return database;
}

async function recordRun(engine, project, run, failing) {
  const junit = join(project, 'junit.xml');
  writeJunit(junit, CASES_PER_RUN, (index) => (index < failing ? createFailure(run, index) : undefined));
  const startedAt = Date.UTC(2026, 0, 1) + run * HOUR_MS;
  const git = {
    commit: Math.floor(run / 3)
      .toString(16)
      .padStart(40, '0'),
  };
  const facts = { startedAt, git, timedOut: false, containers: [], notes: [] };
  const { runId } = await engine.recordRun({ ...facts, reports: [{ path: junit }] });
  const { cases } = await engine.runDetail({ runId, limit: failing });
  for (const { caseName } of cases) await engine.diagnose({ runId, caseName });
}

/** Each failure has its own pattern, because each run has its own cases. */
function createFailure(run, index) {
  const message = `OddError: the ${WORDS[index % WORDS.length]} of the ${WORDS[run % WORDS.length]} does not close`;
  return { type: 'OddError', message, stack: `${message}\n    at tests/orders.test.ts:12:20`, name: ` in part ${run}` };
}
