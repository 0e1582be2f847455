/** Who may use the file, and how long one waits for it. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fail, folder, open, project, withoutAddon, worker } from './setup.ts';

/** The store waits 8 seconds for a lock; a call looks up and then writes. */
const PATIENCE_MS = 25_000;

async function hold(database: string, statement: string): Promise<void> {
  const holder = spawn('sqlite3', [database], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  const answered = new Promise((resolve) => holder.stdout.once('data', resolve));
  holder.stdin.write(`${statement};\nSELECT 'held';\n`);
  await answered;
}

test('a database that another program holds is DATABASE_LOCKED, in bounded time', async () => {
  const { database, failures } = await project();
  const engine = await open(database);
  await hold(database, 'BEGIN EXCLUSIVE');
  const started = performance.now();
  await expect(engine.overview()).rejects.toMatchObject({ code: 'DATABASE_LOCKED' });
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  expect(failures).toHaveLength(1);
});

test('while another program is about to write, a failure is still diagnosed, without being counted', async () => {
  const { database, failures } = await project();
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const engine = await open(database);
  await hold(database, 'BEGIN IMMEDIATE');
  const started = performance.now();
  const answer = await engine.diagnose(failure);
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  expect(answer.category).toBe('UNKNOWN');
  expect(answer.warnings.join(' ')).toMatch(/counted|stored|written|writing/);
});

test('the kind of lock is recorded beside the database, once, and writers line up there', async () => {
  const { database } = await project();
  await fail(await open(database), 'job-z');
  expect(JSON.parse(readFileSync(`${database}.lockmode`, 'utf8'))).toEqual({ version: 1, mode: 'byte-range' });
  expect(readdirSync(dirname(database)).sort()).toEqual([
    '.gitignore',
    'argus.db',
    'argus.db-journal',
    'argus.db.lockmode',
    'argus.db.queue',
  ]);
});

test('a process that cannot take the recorded kind is refused, with what to do', async () => {
  const { database, failures } = await project();
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const refused = worker(database, failure, 1, { engine: withoutAddon() });
  expect(await refused.done).toBe(3);
  const answer = JSON.parse(refused.lines.at(-1) ?? '');
  expect(answer.code).toBe('DATABASE_UNAVAILABLE');
  expect(answer.message).toContain('fs-native-extensions');
  expect(answer.message).toContain('argus.db.lockmode');
});

test('a process with the addon joins one without', async () => {
  const root = folder();
  const engine = withoutAddon();
  mkdirSync(join(root, '.argus'));
  writeFileSync(join(root, '.argus', 'argus.db.lockmode'), '{"version":1,"mode":"directory"}\n');
  const { database, failures } = await project(1, root);
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const mixed = [worker(database, failure, 40), worker(database, failure, 40, { engine })];
  expect(await Promise.all(mixed.map((it) => it.done))).toEqual([0, 0]);
  expect(Math.max(...mixed.map((it) => it.acknowledged))).toBe(80);
  expect(readdirSync(dirname(database)).filter((name) => name.includes('.lock-') || name.endsWith('.lock'))).toEqual(
    [],
  );
});

test('the lock of a dead owner is broken, that of a stranger is not', async () => {
  const root = folder();
  mkdirSync(join(root, '.argus'));
  writeFileSync(join(root, '.argus', 'argus.db.lockmode'), '{"version":1,"mode":"directory"}\n');
  const { database, failures } = await project(1, root);
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const killed = worker(database, failure, 0);
  await killed.ready;
  // It holds the lock most of the time; once it died with it, the folder stays.
  await new Promise((resolve) => setTimeout(resolve, 150));
  killed.process.kill('SIGKILL');
  await killed.done;
  const [left] = readdirSync(dirname(database)).filter((name) => name.includes('.lock-'));
  if (left !== undefined) renameSync(join(dirname(database), left), `${database}.lock`);
  expect(readdirSync(`${database}.lock`)).toHaveLength(1);
  const engine = await open(database);
  const { pattern } = await engine.diagnose(failure);
  expect(pattern?.occurrences ?? 1).toBeGreaterThan(killed.acknowledged);
  await engine.close();

  mkdirSync(`${database}.lock`);
  const stranger = { pid: 1, started: '1', space: 'another machine' };
  writeFileSync(join(`${database}.lock`, 'owner-1.json'), JSON.stringify(stranger));
  await expect(open(database)).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`${database}.lock`),
  });
});
