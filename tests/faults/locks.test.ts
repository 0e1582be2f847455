/**
 * Access to a database while another process holds a lock. npm/engine/test/locks.test.ts has the unit tests of locks.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { startLockingShell } from '../hostile/memory/waiting.ts';
import {
  copyEngineWithoutAddon,
  createFailedProject,
  createFolder,
  openTestEngine,
  recordFailure,
  resultCode,
  startWorker,
  test,
} from './setup.ts';

/** Creates a project whose recorded kind of lock is a folder. */
async function createProjectWithDirectoryLock() {
  const root = createFolder();
  mkdirSync(join(root, '.argus'));
  writeFileSync(join(root, '.argus', 'argus.db.lockmode'), '{"version":1,"mode":"directory"}\n');
  return createFailedProject(1, root);
}

test('a failure is diagnosed without counting while another program writes, and nothing is read under an exclusive lock', async () => {
  const { database, failure } = await createFailedProject();
  const engine = await openTestEngine(database, { isImpatient: true });
  const holder = await startLockingShell(database);
  const answer = await engine.diagnose(failure);
  expect(answer.category).toBe('UNKNOWN');
  expect(answer.warnings.join(' ')).toMatch(/counted|stored|written|writing/);
  holder.stdin?.write("COMMIT;\nBEGIN EXCLUSIVE;\nSELECT 'held';\n");
  if (holder.stdout !== null) await once(holder.stdout, 'data');
  expect(await resultCode(engine.overview())).toBe('DATABASE_LOCKED');
});

test('the kind of lock is recorded once beside the database, and writers queue there', async () => {
  const { database } = await createFailedProject();
  await recordFailure(await openTestEngine(database), 'job-z');
  expect(JSON.parse(readFileSync(`${database}.lockmode`, 'utf8'))).toEqual({ version: 1, mode: 'byte-range' });
  expect(readdirSync(dirname(database)).sort()).toEqual([
    '.gitignore',
    'argus.db',
    'argus.db-journal',
    'argus.db.lockmode',
    'argus.db.queue',
  ]);
});

test('a process without the lock addon is refused if the recorded kind of lock needs the addon', async () => {
  const { database, failure } = await createFailedProject();
  const refused = startWorker(database, failure, 1, { engine: copyEngineWithoutAddon() });
  expect(await refused.done).toBe(3);
  const { code, message } = JSON.parse(refused.lines.at(-1) ?? '');
  expect(code).toBe('DATABASE_UNAVAILABLE');
  expect(message).toContain('fs-native-extensions');
  expect(message).toContain('argus.db.lockmode');
});

test('processes with and without the lock addon lose no diagnosis and leave no lock', async () => {
  const { database, failure } = await createProjectWithDirectoryLock();
  const engine = copyEngineWithoutAddon();
  const mixed = [{}, { engine }, { engine }].map((options) => startWorker(database, failure, 10, options));
  expect(await Promise.all(mixed.map((it) => it.done))).toEqual([0, 0, 0]);
  // Each count is returned once, because no process read the state before another process committed.
  const counts = mixed.flatMap((it) => it.counts).sort((one, other) => one - other);
  expect(counts).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(mixed[1]?.log.join('\n')).toContain('is locked by a folder');
  const left = readdirSync(dirname(database)).filter((name) => name.includes('.lock-') || name.endsWith('.lock'));
  expect(left).toEqual([]);
});

test('the lock of a process on another machine is respected', async () => {
  const { database } = await createProjectWithDirectoryLock();
  mkdirSync(`${database}.lock`);
  const stranger = { pid: 1, started: '1', space: 'another machine' };
  writeFileSync(join(`${database}.lock`, 'owner-1.json'), JSON.stringify(stranger));
  await expect(openTestEngine(database, { isImpatient: true })).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`${database}.lock`),
  });
});
