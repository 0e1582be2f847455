/**
 * Many processes that write the same database, some of them stopped: a blocking process is named, and delays no reader.
 */

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestEngine, runSql } from '../../faults/setup.ts';
import {
  beginAll,
  collectAnswers,
  createMemory,
  expectOlderWritersTakeTurns,
  expectStormStored,
  type StoringProcess,
  startLockingShell,
  startStoring,
} from './waiting.ts';

/** SQLite's lock bytes. A writer locks RESERVED, and a writer that commits also locks PENDING. */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;
/** Bytes of the queue file that processes lock: the first while they draw a ticket, the others for their tickets. */
const DRAWING_BYTE = 0x40000000;
const FIRST_TICKET_BYTE = DRAWING_BYTE + 1;

test('32 processes with 100 operations each lose no operation and get no refusal', { timeout: 900_000 }, () =>
  expectStormStored(32, 100),
);

test('8 processes and 4 writers of a version without a queue all get to write', () =>
  expectOlderWritersTakeTurns(8, 4, 25));

test('a stopped writer is named with its age, and a search still answers', async () => {
  const it = await createMemory();
  const stopped = startStoring(it, 0, 'stopped');
  await beginAll([stopped]);
  await stopWhileWriting(stopped);
  const [searcher, writer] = [await openTestEngine(it.database), await openTestEngine(it.database)];
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
  expect(warnings?.join(' ')).toContain('was not stored');

  const { code, message } = await refused;
  expect([code, message]).toEqual([
    'DATABASE_LOCKED',
    expect.stringContaining(`Process ${stopped.process.pid} has been`),
  ]);
  const age = Number(/writing to the database for (\d+) s\./.exec(message)?.[1]);
  expect(age).toBeGreaterThanOrEqual(8);

  stopped.process.kill('SIGCONT');
  const { outcome_id } = await writer.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  expect(runSql(it.database, 'SELECT id FROM outcomes').split('\n')).toContain(outcome_id);
});

test('a process that is stopped while it waits does not block the others', async () => {
  const it = await createMemory();
  const all = Array.from({ length: 6 }, (_, index) => startStoring(it, 0, `p${index}`));
  await beginAll(all);
  const others = all.splice(3);
  for (const one of all) await stopWhileWaiting(one, others);
  const before = others.map((one) => one.answers.length);
  const hasGoneOn = () => others.every((one, index) => one.answers.length > (before[index] ?? 0) + 10);
  await expect.poll(hasGoneOn).toBe(true);
  expect(collectAnswers(others).refused).toEqual([]);
  for (const one of all) one.process.kill('SIGCONT');
  await expect.poll(() => all.every((one) => one.answers.at(-1)?.refused === undefined)).toBe(true);
});

test('the sqlite3 shell is named if it holds the lock', async () => {
  const it = await createMemory();
  const holder = await startLockingShell(it.database);
  const engine = await openTestEngine(it.database);
  const outcome = engine.recordOutcome({ solution_id: it.solution, worked: true, env: {} });
  await expect(outcome).rejects.toMatchObject({
    code: 'DATABASE_LOCKED',
    message: expect.stringContaining(`Process ${holder.pid} holds its lock.`),
  });
});

/** Stops a process while it writes and others can still read. */
async function stopWhileWriting({ process: child }: StoringProcess): Promise<void> {
  await stopWhen(child, () => {
    const held = listFileLocks(child).filter((lock) => lock.path.endsWith('.db'));
    return held.some((lock) => lock.start === RESERVED_BYTE) && !held.some((lock) => lock.start === PENDING_BYTE);
  });
}

/**
 * Stops a process while it waits for its turn, that is, while another process has an earlier ticket. A process that is
 * still drawing its ticket does not count, because the others would then continue without tickets.
 */
async function stopWhileWaiting({ process: child }: StoringProcess, others: readonly StoringProcess[]): Promise<void> {
  await stopWhen(child, () => {
    const held = listQueueLocks(child);
    const own = held.find((byte) => byte > FIRST_TICKET_BYTE);
    if (own === undefined || held.includes(DRAWING_BYTE)) return false;
    return others.some((other) => listQueueLocks(other.process).some((byte) => byte > FIRST_TICKET_BYTE && byte < own));
  });
}

async function stopWhen(child: ChildProcess, isThen: () => boolean): Promise<void> {
  for (;;) {
    await sleep(Math.random() * 20);
    child.kill('SIGSTOP');
    while (!readFileSync(`/proc/${child.pid}/stat`, 'utf8').includes(') T ')) await sleep(1);
    if (isThen()) return;
    child.kill('SIGCONT');
  }
}

function listQueueLocks(child: ChildProcess): number[] {
  return listFileLocks(child).flatMap(({ path, start }) => (path.endsWith('.queue') ? [start] : []));
}

/** Returns the file locks of a process, read from Linux's `/proc`. */
function listFileLocks({ pid }: ChildProcess): { path: string; start: number }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      const facts = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      return [...facts.matchAll(/^lock:.* (\d+) (?:\d+|EOF)$/gm)].map((match) => ({ path, start: Number(match[1]) }));
    } catch {
      // The file was closed after it was listed.
      return [];
    }
  });
}
