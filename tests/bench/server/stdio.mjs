// Measures `argus_diagnose` over stdio with a growing number of stored patterns: p50 and p99 must stay constant. The
// first call, which opens the database, does not count.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatGoal, formatRatio, formatTable, OUT, quantile, ROOT, writeReport } from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';
import { StdioClient } from './stdio-client.mjs';

const SIZES = (process.argv[2] ?? '1000,100000,1000000').split(',').map(Number);
const CALLS = Number(process.argv[3] ?? 300);
const CALLS_PER_TURN = 25;
const serverPath = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(OUT, 'stdio-'));

/**
 * Returns SQL that creates patterns like those that diagnoses create: random signatures, and one in a hundred is
 * similar to the queried failure.
 */
const createPatternsSql = (count) => `
PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, description, occurrences,
  resolutions, first_seen_at, last_seen_at, updated_at)
SELECT printf('pat-%032x', i), 'learned', 'UNKNOWN', (SELECT recipe FROM patterns WHERE source = 'learned' LIMIT 1),
  lower(hex(randomblob(32))), lower(hex(randomblob(32))), 'tests/f' || (i % 5000) || '.test.ts > case ' || i,
  'TypeError: cannot read <VALUE> of case ' || i || ' at step <NUMBER>', 'TypeError: cannot read it', 1 + i % 50, 0,
  1767225600000, 1767225600000 + i, 1767225600000 + i FROM n;
INSERT OR IGNORE INTO pattern_bands SELECT (b.column1 << 32) | (abs(random()) % 4294967296), p.key
  FROM patterns p, (VALUES (0), (1), (2), (3)) b WHERE p.id LIKE 'pat-000%';
INSERT OR IGNORE INTO pattern_bands SELECT b.band, p.key FROM patterns p,
  (SELECT band FROM pattern_bands WHERE pattern_key = (SELECT MIN(key) FROM patterns WHERE source = 'learned')) b
  WHERE p.id LIKE 'pat-000%' AND p.key % 100 = 0;
INSERT INTO pattern_counts (category, learned) VALUES ('UNKNOWN', ${count})
  ON CONFLICT (category) DO UPDATE SET learned = learned + ${count};
COMMIT;`;

/**
 * Creates a project with `patterns` stored patterns and a run of two failures, of which only the first has a known fix.
 */
async function createProject(patterns) {
  const path = join(benchFolder, String(patterns));
  mkdirSync(path);
  writeJunit(join(path, 'junit.xml'), 200);
  const setup = await startClient(path);
  const { databasePath } = await setup.call('argus_init', { projectPath: path });
  const run = await setup.call('argus_import', { projectPath: path, path: 'junit.xml' });
  const calls = run.failures.map(({ caseName }) => ({ projectPath: path, runId: run.runId, caseName }));
  for (const call of calls) await setup.call('argus_diagnose', call);
  await setup.call('argus_report_fix', { ...calls[0], fixDescription: 'Compare with the stored total', success: true });
  await setup.close();
  execFileSync('sqlite3', [databasePath], { input: createPatternsSql(patterns) });
  const client = await startClient(path);
  await client.call('argus_init', { projectPath: path });
  return { client, patterns, megabytes: statSync(databasePath).size / 1e6, calls, fixed: [], open: [] };
}

async function startClient(cwd) {
  const client = new StdioClient(process.execPath, [serverPath], { cwd });
  await client.initialize();
  return client;
}

async function timeCalls(client, call, milliseconds) {
  const start = performance.now();
  await client.call('argus_diagnose', call);
  milliseconds.push(performance.now() - start);
}

const projects = [];
for (const size of SIZES) projects.push(await createProject(size));
for (const { client, calls } of projects)
  for (const call of [...calls, ...calls]) await client.call('argus_diagnose', call);
for (let turn = 0; turn < CALLS / CALLS_PER_TURN; turn += 1) {
  for (const { client, calls, fixed, open } of projects) {
    for (let call = 0; call < CALLS_PER_TURN; call += 1) {
      await timeCalls(client, calls[0], fixed);
      await timeCalls(client, calls[1], open);
    }
  }
}
for (const { client } of projects) await client.close();
rmSync(benchFolder, { recursive: true, force: true });

const [smallest] = projects;
const flat = (of) => {
  const most = projects.map((one) => quantile(one[of], 0.5) / quantile(smallest[of], 0.5));
  return Math.max(...most);
};
const ms = (values, part) => quantile(values, part).toFixed(2);
writeReport(
  'stdio',
  'Diagnose over stdio',
  `Milliseconds a call, ${CALLS} calls each, in turns of ${CALLS_PER_TURN}; each call is one durable write. One pattern in a hundred resembles the failure.`,
  formatTable([
    ['patterns', 'database', 'known fix: p50', 'p99', 'no fix yet: p50', 'p99'],
    ...projects.map(({ patterns, megabytes, fixed, open }) => [
      patterns.toLocaleString('en'),
      `${megabytes.toFixed(0)} MB`,
      ms(fixed, 0.5),
      ms(fixed, 0.99),
      ms(open, 0.5),
      ms(open, 0.99),
    ]),
  ]),
  `p50 against the smallest, at most: known fix ${formatRatio(flat('fixed'))} (${formatGoal(flat('fixed'), '<=', 1.5)}), no fix yet ${formatRatio(flat('open'))} (${formatGoal(flat('open'), '<=', 1.5)})`,
);
