/** Many processes on one database: nothing is lost, nobody is turned away. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { counted, project, shell, withoutAddon, worker } from './setup.ts';

const PROCESSES = 8;

async function compete(database: string, failure: { runId: string; caseName: string }, times: number, engine?: string) {
  const options = engine === undefined ? {} : { engine };
  const workers = Array.from({ length: PROCESSES }, () => worker(database, failure, times, options));
  const codes = await Promise.all(workers.map((it) => it.done));
  expect(workers.flatMap((it) => it.lines.filter((line) => line.startsWith('{')))).toEqual([]);
  expect(codes).toEqual(codes.map(() => 0));
  return workers;
}

test('8 processes with 250 write transactions each lose none', async () => {
  const { database, failures } = await project();
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const workers = await compete(database, failure, 250);
  expect(counted(database)).toBe(PROCESSES * 250);
  // Each count was answered once: nobody saw the state before another's commit.
  const answered = workers.flatMap((it) => it.lines.filter((line) => /^\d+$/.test(line)).map(Number));
  expect(new Set(answered).size).toBe(PROCESSES * 250);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});

test('without the lock addon they take turns by a folder, and lose none either', async () => {
  const engine = withoutAddon();
  const { database, failures } = await project(0);
  const { failures: recorded } = await projectWith(engine, database);
  expect(failures).toEqual([]);
  const workers = await compete(database, recorded, 60, engine);
  expect(counted(database)).toBe(PROCESSES * 60);
  expect(workers[0]?.log.join('\n')).toContain('is locked by a folder');
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});

async function projectWith(engine: string, database: string) {
  const { openEngine } = await import(engine);
  const opened = await openEngine({ databasePath: database, projectRoot: '/' });
  const outputTail = 'SomethingBroke: the job could not be done';
  const run = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [], outputTail };
  const { runId, failures } = await opened.recordRun(run);
  await opened.close();
  return { failures: { runId: String(runId), caseName: String(failures[0].caseName) } };
}

test('SQLite’s own shell writes to the file meanwhile', async () => {
  const { database, failures } = await project(2);
  const engines = failures.map((failure) => worker(database, failure, 150));
  await Promise.all(engines.map((it) => it.ready));
  const other = spawn('sqlite3', ['-bail', database], { stdio: ['pipe', 'ignore', 'pipe'] });
  let problems = '';
  other.stderr.on('data', (data) => {
    problems += data;
  });
  other.stdin.write('.timeout 20000\n');
  for (let n = 0; n < 150; n += 1) other.stdin.write(`INSERT INTO probes VALUES ('shell-${n}');\n`);
  other.stdin.end();
  const code = await new Promise((resolve) => other.on('close', resolve));
  expect([code, problems]).toEqual([0, '']);
  expect(await Promise.all(engines.map((it) => it.done))).toEqual([0, 0]);
  expect(counted(database)).toBe(300);
  expect(shell(database, "SELECT count(*) FROM probes WHERE id LIKE 'shell-%'; PRAGMA integrity_check")).toBe(
    '150\nok',
  );
});
