/** Access to a database while another process holds a lock. Unit tests of locks: npm/engine/test/locks.test.ts. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { shellThatHolds } from '../hostile/memory/waiting.ts';
import { codeOf, fail, folder, open, project, test, withoutAddon, worker } from './setup.ts';

/** Makes a project whose recorded kind of lock is a folder. */
async function lockedByFolder() {
  const root = folder();
  mkdirSync(join(root, '.argus'));
  writeFileSync(join(root, '.argus', 'argus.db.lockmode'), '{"version":1,"mode":"directory"}\n');
  return project(1, root);
}

test('diagnoses without counting while another program writes, and reads nothing under an exclusive lock', async () => {
  const { database, failure } = await project();
  const engine = await open(database, { isImpatient: true });
  const holder = await shellThatHolds(database);
  const answer = await engine.diagnose(failure);
  expect(answer.category).toBe('UNKNOWN');
  expect(answer.warnings.join(' ')).toMatch(/counted|stored|written|writing/);
  holder.stdin?.write("COMMIT;\nBEGIN EXCLUSIVE;\nSELECT 'held';\n");
  if (holder.stdout !== null) await once(holder.stdout, 'data');
  expect(await codeOf(engine.overview())).toBe('DATABASE_LOCKED');
});

test('records the kind of lock beside the database once, and writers queue there', async () => {
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

test('refuses a process without the lock addon when the recorded kind needs it', async () => {
  const { database, failure } = await project();
  const refused = worker(database, failure, 1, { engine: withoutAddon() });
  expect(await refused.done).toBe(3);
  const { code, message } = JSON.parse(refused.lines.at(-1) ?? '');
  expect(code).toBe('DATABASE_UNAVAILABLE');
  expect(message).toContain('fs-native-extensions');
  expect(message).toContain('argus.db.lockmode');
});

test('processes with and without the lock addon lose no diagnosis and leave no lock', async () => {
  const { database, failure } = await lockedByFolder();
  const engine = withoutAddon();
  const mixed = [{}, { engine }, { engine }].map((options) => worker(database, failure, 10, options));
  expect(await Promise.all(mixed.map((it) => it.done))).toEqual([0, 0, 0]);
  // Each count is returned once, because no process read the state before another process committed.
  const counts = mixed.flatMap((it) => it.counts).sort((one, other) => one - other);
  expect(counts).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(mixed[1]?.log.join('\n')).toContain('is locked by a folder');
  const left = readdirSync(dirname(database)).filter((name) => name.includes('.lock-') || name.endsWith('.lock'));
  expect(left).toEqual([]);
});

test('respects the lock of a process on another machine', async () => {
  const { database } = await lockedByFolder();
  mkdirSync(`${database}.lock`);
  const stranger = { pid: 1, started: '1', space: 'another machine' };
  writeFileSync(join(`${database}.lock`, 'owner-1.json'), JSON.stringify(stranger));
  await expect(open(database, { isImpatient: true })).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`${database}.lock`),
  });
});
