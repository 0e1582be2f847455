// Measures a durable diagnose call: the engine on its own VFS compared with the same SQL in better-sqlite3 (native) and
// node-sqlite3-wasm. Each candidate uses a copy of the same file with the same settings. ../server/stdio.mjs measures
// the protocol.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import {
  formatGoal,
  formatRatio,
  formatTable,
  importOptional,
  measureInterleaved,
  OUT,
  writeReport,
} from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';
import { diagnose, SETTINGS, SQL } from './statements.mjs';

const CALLS = Number(process.argv[2] ?? 400);
const ROUNDS = Number(process.argv[3] ?? 7);
mkdirSync(OUT, { recursive: true });
// The folder is on the project's disk and not in memory, so that durable writes have their real cost.
const benchFolder = mkdtempSync(join(process.env.BENCH_DIR ?? OUT, 'database-'));

/** Creates a file with a run, its failed case, a learned pattern and the pattern's fix. */
async function createOriginal(path) {
  const junit = join(mkdtempSync(join(tmpdir(), 'argus-bench-')), 'junit.xml');
  writeJunit(junit, 1);
  const engine = await openEngine({ databasePath: path, projectRoot: benchFolder });
  const run = await engine.recordRun({ reports: [{ path: junit }], timedOut: false, containers: [], notes: [] });
  const [failure] = (await engine.runDetail({ runId: run.runId })).cases;
  const call = { runId: run.runId, caseName: failure.caseName };
  await engine.diagnose(call);
  await engine.reportFix({ ...call, fixDescription: 'Compare with the stored total', success: true });
  const result = await engine.diagnose(call);
  await engine.close();
  return { ...call, signature: result.signature };
}

const original = join(benchFolder, 'original.db');
const originalFacts = await createOriginal(original);
const copyOriginal = (name) => {
  const path = join(benchFolder, `${name}.db`);
  copyFileSync(original, path);
  return path;
};

async function openEngineCandidate() {
  const engine = await openEngine({ databasePath: copyOriginal('engine'), projectRoot: benchFolder });
  let occurrences = 0;
  return {
    run: async () => {
      for (let call = 0; call < CALLS; call += 1) {
        const result = await engine.diagnose({ runId: originalFacts.runId, caseName: originalFacts.caseName });
        occurrences = result.pattern.occurrences;
      }
    },
    occurrences: () => occurrences,
    close: () => engine.close(),
  };
}

function queryRows(database, statement) {
  const recipe = statement(database, 'SELECT recipe FROM patterns WHERE signature = ?', [originalFacts.signature])[0]
    .recipe;
  return { ...originalFacts, recipe, now: 1_767_225_600_000 };
}

async function openBetterSqlite() {
  const Database = (await importOptional('better-sqlite3'))?.default;
  if (Database === undefined) return undefined;
  const database = new Database(copyOriginal('better'));
  for (const setting of SETTINGS) database.exec(setting);
  const prepared = new Map(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]));
  const transactions = new Map(['BEGIN', 'BEGIN IMMEDIATE', 'COMMIT'].map((sql) => [sql, database.prepare(sql)]));
  const params = queryRows(database, (own, sql, values) => own.prepare(sql).all(...values));
  const driver = {
    all: (name, values) => prepared.get(name).all(...values),
    exec: (sql) => transactions.get(sql).run(),
  };
  return createCandidate(driver, params, () => database.close());
}

async function openNodeSqliteWasm() {
  const Database = (await importOptional('node-sqlite3-wasm'))?.default.Database;
  if (Database === undefined) return undefined;
  const database = new Database(copyOriginal('wasm'));
  for (const setting of SETTINGS) database.exec(setting);
  const prepared = new Map(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]));
  const params = queryRows(database, (own, sql, values) => own.all(sql, values));
  const driver = { all: (name, values) => prepared.get(name).all(values), exec: (sql) => database.exec(sql) };
  return createCandidate(driver, params, () => {
    for (const statement of prepared.values()) statement.finalize();
    database.close();
  });
}

function createCandidate(driver, params, close) {
  let occurrences = 0;
  const run = () => {
    for (let call = 0; call < CALLS; call += 1) occurrences = diagnose(driver, params);
  };
  return { run, occurrences: () => occurrences, close };
}

const allCandidates = {
  engine: await openEngineCandidate(),
  'better-sqlite3': await openBetterSqlite(),
  'node-sqlite3-wasm': await openNodeSqliteWasm(),
};
const availableCandidates = Object.entries(allCandidates).filter(([, side]) => side !== undefined);
const measurements = await measureInterleaved(
  Object.fromEntries(availableCandidates.map(([name, side]) => [name, side.run])),
  ROUNDS,
);
const occurrenceCounts = new Set(availableCandidates.map(([, side]) => side.occurrences()));
if (occurrenceCounts.size !== 1)
  throw new Error(`the sides did not do the same: ${[...occurrenceCounts].join(', ')} occurrences`);
for (const [, side] of availableCandidates) await side.close();
rmSync(benchFolder, { recursive: true, force: true });

const microsecondsPerCall = (name) => (measurements.has(name) ? (measurements.seconds(name) / CALLS) * 1e6 : undefined);
const ratioToEngine = (name) => (measurements.has(name) ? measurements.ratio('engine', name) : undefined);
const formatRow = (name, limit) => [
  name,
  microsecondsPerCall(name) === undefined ? 'not installed' : microsecondsPerCall(name).toFixed(0),
  ratioToEngine(name) === undefined ? '-' : formatRatio(ratioToEngine(name)),
  ratioToEngine(name) === undefined || limit === undefined ? '-' : formatGoal(ratioToEngine(name), '<=', limit),
];
writeReport(
  'database',
  'Durable diagnose',
  `Microseconds a call, median of ${ROUNDS} interleaved rounds of ${CALLS} calls; rollback journal (PERSIST), synchronous=FULL. The engine's side also classifies, normalizes and signs.`,
  formatTable([
    ['side', 'us', 'engine : side', 'goal'],
    formatRow('engine'),
    formatRow('better-sqlite3', 1.3),
    formatRow('node-sqlite3-wasm', 1),
  ]),
);
