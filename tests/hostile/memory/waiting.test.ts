/** Processes that write the same database. More of them, some stopped: waiting.full.test.ts. Killed: kills.test.ts. */

import { expect, test } from 'vitest';
import { open, shell } from '../../faults/setup.ts';
import { expectOlderWritersTakeTurns, expectStormStored, memory } from './waiting.ts';

test('3 processes with 10 operations each: none is refused, none is lost', () => expectStormStored(3, 10));

test('a process and a writer of a version without turns both get to write', () =>
  expectOlderWritersTakeTurns(1, 1, 10));

test('writes nothing more after a newer version changed the open file', async () => {
  const it = await memory();
  const engine = await open(it.database);
  await engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  const schema = Number(shell(it.database, 'PRAGMA user_version'));
  shell(it.database, `ALTER TABLE outcomes ADD COLUMN of_tomorrow TEXT; PRAGMA user_version = ${schema + 1}`);
  const before = shell(it.database, '.dump');
  const refused = { code: 'DATABASE_NEWER', message: expect.stringContaining(`version ${schema + 1}`) };
  await expect(engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} })).rejects.toMatchObject(
    refused,
  );
  await expect(engine.diagnose(it.failure)).rejects.toMatchObject(refused);
  expect(shell(it.database, '.dump')).toBe(before);
});
