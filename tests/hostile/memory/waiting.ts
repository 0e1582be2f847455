/** What the tests of waiting share: a memory, processes that store things in it, and what the system knows of locks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { installed, open, project, shell } from '../../faults/setup.ts';

const WORKER = fileURLToPath(new URL('waiting-worker.mjs', import.meta.url));

/** SQLite's bytes: RESERVED is held by who writes, PENDING by who commits. */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;

export interface Memory {
  readonly database: string;
  readonly failure: { readonly runId: string; readonly caseName: string };
  readonly solution: string;
}

/** A database with one failure and one solution. */
export async function memory(): Promise<Memory> {
  const { database, failures } = await project();
  const [failure] = failures;
  const engine = await open(database);
  const env = { os: 'linux' };
  const added = await engine.addIncident({ title: 'gyroscope drift', steps: 'Calibrate it.', env, worked: true });
  if (failure === undefined || !('solution_id' in added)) throw new Error('the database was empty');
  return { database, failure, solution: added.solution_id };
}

export interface Answer {
  readonly operation: string;
  readonly id?: string;
  readonly refused?: string;
  readonly ms: number;
}

export interface Storing {
  readonly process: ChildProcess;
  readonly answers: Answer[];
  readonly ready: Promise<void>;
  readonly done: Promise<number | null>;
}

/** A process that stores so many things, once it is told to begin; 0: until it is killed. */
export function storing({ database, failure, solution }: Memory, operations: number, seed: string): Storing {
  const args = [installed, database, failure.runId, failure.caseName, solution, String(operations), seed];
  const child = spawn(process.execPath, [WORKER, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const answers: Answer[] = [];
  const done = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve();
      // A killed process may leave half a line.
      else if (line.endsWith('}')) answers.push(JSON.parse(line));
    });
  });
  return { process: child, answers, ready, done };
}

/** Lets all begin together, once all are ready. */
export async function begin(all: readonly Storing[]): Promise<void> {
  await Promise.all(all.map((one) => one.ready));
  for (const one of all) one.process.stdin?.end('begin\n');
}

/** Stops it at a moment at which it writes and others can still read. */
export async function stopWriting({ process: child }: Storing): Promise<void> {
  await stop(child, () => {
    const held = locksOf(child).filter((lock) => lock.path.endsWith('.db'));
    return held.some((lock) => lock.start === RESERVED_BYTE) && !held.some((lock) => lock.start === PENDING_BYTE);
  });
}

/** Stops it at a moment at which it waits for its turn: one of the others has an earlier one. */
export async function stopWaiting({ process: child }: Storing, others: readonly Storing[]): Promise<void> {
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

/** What a process has locked, as Linux tells it. */
function locksOf({ pid }: ChildProcess): { path: string; start: number }[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
      const facts = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
      return [...facts.matchAll(/^lock:.* (\d+) (?:\d+|EOF)$/gm)].map((match) => ({ path, start: Number(match[1]) }));
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** SQLite's own shell with the lock in its hand. */
export async function shellThatHolds(database: string): Promise<ChildProcess> {
  const holder = spawn('sqlite3', [database], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  const answered = new Promise((resolve) => holder.stdout.once('data', resolve));
  holder.stdin.write("BEGIN IMMEDIATE;\nSELECT 'held';\n");
  await answered;
  return holder;
}

/** Stores so many runs as a version does that has no turns: SQLite asks for the lock again and again. */
export async function olderWriter(database: string, runs: number, seed: string): Promise<number | null> {
  const writer = spawn('sqlite3', ['-bail', '-cmd', '.timeout 8000', database], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const columns = 'id, started_at, duration_ms, status, passed, failed, skipped, flaky, timed_out';
  for (let count = 0; count < runs; count += 1) {
    const run = `INSERT INTO runs (${columns}) VALUES ('${seed}-${count}', ${count}, 1, 'passed', 1, 0, 0, 0, 0);`;
    writer.stdin.write(`BEGIN IMMEDIATE;\n${run}\nCOMMIT;\n`);
  }
  writer.stdin.end();
  return new Promise((resolve) => writer.on('close', resolve));
}

/** All answers, and those that refused. */
export function answersOf(all: readonly Storing[]): { answers: Answer[]; refused: string[] } {
  const answers = all.flatMap((one) => one.answers);
  return { answers, refused: answers.flatMap(({ refused }) => refused ?? []) };
}

/** Whatever was answered with an id of its own is in the file. */
export function expectAllKept(database: string, all: readonly Storing[]): void {
  const sql = ['runs', 'incidents', 'outcomes'].map((table) => `SELECT id FROM ${table}`).join(' UNION ALL ');
  const kept = new Set(shell(database, sql).split('\n'));
  const { answers } = answersOf(all);
  const made = answers.filter(({ operation }) => operation !== 'diagnose').flatMap(({ id }) => id ?? []);
  expect(made.filter((id) => !kept.has(id))).toEqual([]);
}
