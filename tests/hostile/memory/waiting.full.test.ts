/**
 * Many processes that write the same database, some of them stopped: a blocking process is named and delays no reader.
 */

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { open, shell } from '../../faults/setup.ts';
import {
  answersOf,
  begin,
  expectOlderWritersTakeTurns,
  expectStormStored,
  memory,
  type Storing,
  shellThatHolds,
  storing,
} from './waiting.ts';

/** SQLite's lock bytes: a writer holds RESERVED, a committing writer also PENDING. */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;

test('32 processes with 100 operations each: none is refused, none is lost', { timeout: 900_000 }, () =>
  expectStormStored(32, 100),
);

test('8 processes and 4 writers of a version without turns all get to write', () =>
  expectOlderWritersTakeTurns(8, 4, 25));

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

test('a process that is stopped while it waits does not block the others', async () => {
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

test('names the sqlite3 shell when it holds the lock', async () => {
  const it = await memory();
  const holder = await shellThatHolds(it.database);
  const engine = await open(it.database);
  const outcome = engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  await expect(outcome).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`Process ${holder.pid} holds its lock.`),
  });
});

/** Stops a process while it writes and others can still read. */
async function stopWriting({ process: child }: Storing): Promise<void> {
  await stop(child, () => {
    const held = locksOf(child).filter((lock) => lock.path.endsWith('.db'));
    return held.some((lock) => lock.start === RESERVED_BYTE) && !held.some((lock) => lock.start === PENDING_BYTE);
  });
}

/** Stops a process while it waits for its turn, that is, while another process has an earlier ticket. */
async function stopWaiting({ process: child }: Storing, others: readonly Storing[]): Promise<void> {
  await stop(child, () => {
    const [own] = ticketsOf(child);
    return own !== undefined && others.some((other) => ticketsOf(other.process).some((ticket) => ticket < own));
  });
}

async function stop(child: ChildProcess, isThen: () => boolean): Promise<void> {
  for (;;) {
    await sleep(Math.random() * 20);
    child.kill('SIGSTOP');
    while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T ')) await sleep(1);
    if (isThen()) return;
    child.kill('SIGCONT');
  }
}

function ticketsOf(child: ChildProcess): number[] {
  return locksOf(child).flatMap(({ path, start }) => (path.endsWith('.queue') && start > RESERVED_BYTE ? [start] : []));
}

/** Returns the file locks of a process, read from Linux's `/proc`. */
function locksOf({ pid }: ChildProcess): { path: string; start: number }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      const facts = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      return [...facts.matchAll(/^lock:.* (\d+) (?:\d+|EOF)$/gm)].map((match) => ({ path, start: Number(match[1]) }));
    } catch {
      // The descriptor was closed after it was listed.
      return [];
    }
  });
}
