/**
 * Many processes that write one database, some of them stopped or killed: everybody's turn comes, nothing is lost, who
 * stands in the way is named, and who only looks waits for nobody.
 * Does not: damage files; tests/faults does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { counted, open, shell } from '../faults/setup.ts';
import {
  answersOf,
  begin,
  memory,
  type Storing,
  shellThatHolds,
  stopWaiting,
  stopWriting,
  storing,
} from './waiting.ts';

const PROCESSES = 32;
const OPERATIONS = 100;
const KINDS = 5;
const KILLS = 24;

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
  const began = performance.now();
  const { ranked_solutions, warnings } = await searcher.rankedSolutions({ query_text: 'gyroscope drift', env: {} });
  await searcher.overview();
  expect(performance.now() - began).toBeLessThan(2_000);
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

test(`${KILLS} processes that are killed while they wait or write block nobody`, { timeout: 300_000 }, async () => {
  const it = await memory();
  const steady = [storing(it, 0, 'steady0'), storing(it, 0, 'steady1')];
  await begin(steady);
  const dead: Storing[] = [];
  while (dead.length < KILLS) {
    const victims = Array.from({ length: 4 }, (_, index) => storing(it, 0, `v${dead.length + index}`));
    await begin(victims);
    for (const victim of victims) {
      await sleep(Math.random() * 80);
      victim.process.kill('SIGKILL');
    }
    await Promise.all(victims.map((victim) => victim.done));
    dead.push(...victims);
  }
  const before = steady.map((one) => one.answers.length);
  await expect.poll(() => steady.every((one, index) => one.answers.length > (before[index] ?? 0) + 10)).toBe(true);
  for (const one of steady) one.process.kill('SIGKILL');
  await Promise.all(steady.map((one) => one.done));
  expect(answersOf([...steady, ...dead]).refused).toEqual([]);
  expectAllKept(it.database, [...steady, ...dead]);
  expect(shell(it.database, 'PRAGMA integrity_check')).toBe('ok');
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

/** Whatever was answered with an id of its own is in the file. */
function expectAllKept(database: string, all: readonly Storing[]): void {
  const sql = ['runs', 'incidents', 'outcomes'].map((table) => `SELECT id FROM ${table}`).join(' UNION ALL ');
  const kept = new Set(shell(database, sql).split('\n'));
  const { answers } = answersOf(all);
  const made = answers.filter(({ operation }) => operation !== 'diagnose').flatMap(({ id }) => id ?? []);
  expect(made.filter((id) => !kept.has(id))).toEqual([]);
}

function countOf(database: string, sql: string): number {
  return Number(shell(database, sql));
}
