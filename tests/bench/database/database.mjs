// Measures a durable diagnose: the engine on its own VFS against the same SQL in better-sqlite3 (native) and
// node-sqlite3-wasm. Each side uses a copy of the same file with the same settings. ../server/stdio.mjs measures the
// protocol.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { goal, interleaved, OUT, optional, report, table, times } from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';
import { diagnose, SETTINGS, SQL } from './statements.mjs';

const CALLS = Number(process.argv[2] ?? 400);
const ROUNDS = Number(process.argv[3] ?? 7);
mkdirSync(OUT, { recursive: true });
// On the project's disk and not in memory, so that durable writes have their real cost.
const folder = mkdtempSync(join(process.env.BENCH_DIR ?? OUT, 'database-'));

/** Creates a file with a run, its failed case, a learned pattern and its fix. */
async function prepared(path) {
  const junit = join(mkdtempSync(join(tmpdir(), 'argus-bench-')), 'junit.xml');
  writeJunit(junit, 1);
  const engine = await openEngine({ databasePath: path, projectRoot: folder });
  const run = await engine.recordRun({ reports: [{ path: junit }], timedOut: false, containers: [], notes: [] });
  const [failure] = (await engine.runDetail({ runId: run.runId })).cases;
  const call = { runId: run.runId, caseName: failure.caseName };
  await engine.diagnose(call);
  await engine.reportFix({ ...call, fixDescription: 'Compare with the stored total', success: true });
  const result = await engine.diagnose(call);
  await engine.close();
  return { ...call, signature: result.signature };
}

const original = join(folder, 'original.db');
const facts = await prepared(original);
const copy = (name) => {
  const path = join(folder, `${name}.db`);
  copyFileSync(original, path);
  return path;
};

async function ourEngine() {
  const engine = await openEngine({ databasePath: copy('engine'), projectRoot: folder });
  let occurrences = 0;
  return {
    run: async () => {
      for (let call = 0; call < CALLS; call += 1) {
        const result = await engine.diagnose({ runId: facts.runId, caseName: facts.caseName });
        occurrences = result.pattern.occurrences;
      }
    },
    occurrences: () => occurrences,
    close: () => engine.close(),
  };
}

function rows(database, statement) {
  const recipe = statement(database, 'SELECT recipe FROM patterns WHERE signature = ?', [facts.signature])[0].recipe;
  return { ...facts, recipe, now: 1_767_225_600_000 };
}

async function betterSqlite() {
  const Database = (await optional('better-sqlite3'))?.default;
  if (Database === undefined) return undefined;
  const database = new Database(copy('better'));
  for (const setting of SETTINGS) database.exec(setting);
  const prepared = new Map(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]));
  const transactions = new Map(['BEGIN', 'BEGIN IMMEDIATE', 'COMMIT'].map((sql) => [sql, database.prepare(sql)]));
  const params = rows(database, (own, sql, values) => own.prepare(sql).all(...values));
  const driver = {
    all: (name, values) => prepared.get(name).all(...values),
    exec: (sql) => transactions.get(sql).run(),
  };
  return counting(driver, params, () => database.close());
}

async function nodeSqliteWasm() {
  const Database = (await optional('node-sqlite3-wasm'))?.default.Database;
  if (Database === undefined) return undefined;
  const database = new Database(copy('wasm'));
  for (const setting of SETTINGS) database.exec(setting);
  const prepared = new Map(Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]));
  const params = rows(database, (own, sql, values) => own.all(sql, values));
  const driver = { all: (name, values) => prepared.get(name).all(values), exec: (sql) => database.exec(sql) };
  return counting(driver, params, () => {
    for (const statement of prepared.values()) statement.finalize();
    database.close();
  });
}

function counting(driver, params, close) {
  let occurrences = 0;
  const run = () => {
    for (let call = 0; call < CALLS; call += 1) occurrences = diagnose(driver, params);
  };
  return { run, occurrences: () => occurrences, close };
}

const sides = {
  engine: await ourEngine(),
  'better-sqlite3': await betterSqlite(),
  'node-sqlite3-wasm': await nodeSqliteWasm(),
};
const present = Object.entries(sides).filter(([, side]) => side !== undefined);
const measured = await interleaved(Object.fromEntries(present.map(([name, side]) => [name, side.run])), ROUNDS);
const counts = new Set(present.map(([, side]) => side.occurrences()));
if (counts.size !== 1) throw new Error(`the sides did not do the same: ${[...counts].join(', ')} occurrences`);
for (const [, side] of present) await side.close();
rmSync(folder, { recursive: true, force: true });

const each = (name) => (measured.has(name) ? (measured.seconds(name) / CALLS) * 1e6 : undefined);
const ratio = (name) => (measured.has(name) ? measured.ratio('engine', name) : undefined);
const line = (name, limit) => [
  name,
  each(name) === undefined ? 'not installed' : each(name).toFixed(0),
  ratio(name) === undefined ? '-' : times(ratio(name)),
  ratio(name) === undefined || limit === undefined ? '-' : goal(ratio(name), '<=', limit),
];
report(
  'database',
  'Durable diagnose',
  `Microseconds a call, median of ${ROUNDS} interleaved rounds of ${CALLS} calls; rollback journal (PERSIST), synchronous=FULL. The engine's side also classifies, normalizes and signs.`,
  table([
    ['side', 'us', 'engine : side', 'goal'],
    line('engine'),
    line('better-sqlite3', 1.3),
    line('node-sqlite3-wasm', 1),
  ]),
);
