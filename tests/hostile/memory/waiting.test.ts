/**
 * Many processes that write one database, some of them stopped: everybody's turn comes, nothing is lost, who stands in
 * the way is named, and who only looks waits for nobody. Killed processes: kills.test.ts.
 */
import { expect, test } from 'vitest';
import { counted, open, shell } from '../../faults/setup.ts';
import {
  answersOf,
  begin,
  expectAllKept,
  memory,
  olderWriter,
  shellThatHolds,
  stopWaiting,
  stopWriting,
  storing,
} from './waiting.ts';

const PROCESSES = 32;
const OPERATIONS = 100;
const KINDS = 5;

test(`${PROCESSES} processes with ${OPERATIONS} operations each: none is refused, none is lost`, {
  timeout: 900_000,
}, async () => {
  const it = await memory();
  const all = Array.from({ length: PROCESSES }, (_, index) => storing(it, OPERATIONS, `w${index}`));
  await begin(all);
  expect(await Promise.all(all.map((one) => one.done))).toEqual(all.map(() => 0));
  const { answers, refused } = answersOf(all);
  expect(refused).toEqual([]);
  expect(answers).toHaveLength(PROCESSES * OPERATIONS);
  expectAllKept(it.database, all);
  const each = (PROCESSES * OPERATIONS) / KINDS;
  expect(counted(it.database), 'each diagnosis of the one failure').toBe(each);
  expect(countOf(it.database, 'SELECT count(*) FROM runs')).toBe(each + 1);
  expect(countOf(it.database, 'SELECT count(*) FROM incidents')).toBe(each + 1);
  // Reported fixes, outcomes of the one solution, and those that incidents came with.
  expect(countOf(it.database, 'SELECT count(*) FROM outcomes')).toBe(3 * each + 1);
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
});

test('a stopped writer is named with its age, and a search answers meanwhile', async () => {
  const it = await memory();
  const stopped = storing(it, 0, 'stopped');
  await begin([stopped]);
  await stopWriting(stopped);
  const [searcher, writer] = [await open(it.database), await open(it.database)];
  const refused = writer.recordOutcome({ solution_id: it.solution, worked: true, env: {} }).then(
    () => ({ code: 'stored', message: '' }),
    (error: { code: string; message: string }) => error,
  );
  let isRefused = false;
  refused.then(() => {
    isRefused = true;
  });
  const { ranked_solutions, warnings } = await searcher.rankedSolutions({ query_text: 'gyroscope drift', env: {} });
  await searcher.overview();
  expect(isRefused, 'the writer still waits').toBe(false);
  expect(ranked_solutions.map((one) => one.solution_id)).toContain(it.solution);
  expect(warnings?.join(' ')).toContain('not remembered');

  const { code, message } = await refused;
  expect([code, message]).toEqual([
    'DATABASE_LOCKED',
    expect.stringContaining(`Process ${stopped.process.pid} has been`),
  ]);
  const age = Number(/writing to the database for (\d+) s\./.exec(message)?.[1]);
  expect(age).toBeGreaterThanOrEqual(8);

  stopped.process.kill('SIGCONT');
  const { outcome_id } = await writer.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  expect(shell(it.database, 'SELECT id FROM outcomes').split('\n')).toContain(outcome_id);
});

test('one that is stopped while it waits keeps nobody else waiting', async () => {
  const it = await memory();
  const all = Array.from({ length: 6 }, (_, index) => storing(it, 0, `p${index}`));
  await begin(all);
  const others = all.splice(3);
  for (const one of all) await stopWaiting(one, others);
  const before = others.map((one) => one.answers.length);
  const hasGoneOn = () => others.every((one, index) => one.answers.length > (before[index] ?? 0) + 10);
  await expect.poll(hasGoneOn).toBe(true);
  expect(answersOf(others).refused).toEqual([]);
  for (const one of all) one.process.kill('SIGCONT');
  await expect.poll(() => all.every((one) => one.answers.at(-1)?.refused === undefined)).toBe(true);
});

test('writers of a version that knows nothing of turns get theirs, and take nobody else’s', async () => {
  const it = await memory();
  const all = Array.from({ length: 8 }, (_, index) => storing(it, 25, `n${index}`));
  await begin(all);
  const older = await Promise.all(Array.from({ length: 4 }, (_, index) => olderWriter(it.database, 25, `old${index}`)));
  expect(older).toEqual(older.map(() => 0));
  expect(await Promise.all(all.map((one) => one.done))).toEqual(all.map(() => 0));
  expect(answersOf(all).refused).toEqual([]);
  expectAllKept(it.database, all);
  expect(countOf(it.database, "SELECT count(*) FROM runs WHERE id LIKE 'old%'")).toBe(4 * 25);
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
});

test('a newer version changes the file while this one has it open: it writes nothing more', async () => {
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

test('SQLite’s own shell is named too where it holds the lock', async () => {
  const it = await memory();
  const holder = await shellThatHolds(it.database);
  const engine = await open(it.database);
  const outcome = engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  await expect(outcome).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`Process ${holder.pid} holds its lock.`),
  });
});

function countOf(database: string, sql: string): number {
  return Number(shell(database, sql));
}
