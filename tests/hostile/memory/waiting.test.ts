/**
 * Processes that write the same database, and a few kills after a process has begun to write. Other tests use more
 * processes, some of them stopped (waiting.full.test.ts), and many kills (kills.full.test.ts). tests/e2e/process kills
 * the program.
 */

import { expect, test } from 'vitest';
import { openTestEngine, runSql } from '../../faults/setup.ts';
import { killMigrations, killWriters } from './kills.ts';
import { createMemory, expectOlderWritersTakeTurns, expectStormStored } from './waiting.ts';

test('3 processes with 10 operations each lose no operation and get no refusal', () => expectStormStored(3, 10));

test('a process and a writer of a version without a queue both get to write', () =>
  expectOlderWritersTakeTurns(1, 1, 10));

test('nothing more is written after a newer version has changed the open file', async () => {
  const it = await createMemory();
  const engine = await openTestEngine(it.database);
  await engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  const schema = Number(runSql(it.database, 'PRAGMA user_version'));
  runSql(it.database, `ALTER TABLE outcomes ADD COLUMN of_tomorrow TEXT; PRAGMA user_version = ${schema + 1}`);
  const before = runSql(it.database, '.dump');
  const refused = { code: 'DATABASE_NEWER', message: expect.stringContaining(`version ${schema + 1}`) };
  await expect(engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} })).rejects.toMatchObject(
    refused,
  );
  await expect(engine.diagnose(it.failure)).rejects.toMatchObject(refused);
  expect(runSql(it.database, '.dump')).toBe(before);
});

test('2 processes that are killed while they wait or write block no other process', () => killWriters(2));

test('2 kills while older files are migrated lose no row', () => killMigrations(2));
