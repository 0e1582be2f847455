/**
 * Finds processes that a run left behind by a mark in their environment, even outside the process group. execute.ts
 * starts processes. On a system whose environments cannot be read exactly, such processes are reported but not ended.
 */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { textOrEmpty } from '../system/files/or-empty.ts';
import { io } from '../system/io.ts';
import { findProgram } from '../system/programs.ts';
import { RUN_MARKS } from '../system/run-marks.ts';

/**
 * Time between SIGTERM and SIGKILL for a process that outlived its parent. Also the time that a process of a successful
 * command has to end before it is reported, because Turbo 2.11 does not wait for its own `git status`.
 */
const GRACE_MS = 1_000;
const POLL_MS = 50;

/** Maximum number of attempts to end processes. A process that forks faster is reported instead. */
const MAX_ROUNDS = 20;

/** Maximum time for a list of processes. */
const PS_TIMEOUT_MS = 5_000;

const MAX_NAMED_PROCESSES = 5;
const NAME_CHARACTERS = 60;

/** Warning after a timeout about processes that cannot be found. */
export const UNFINDABLE =
  process.platform === 'win32'
    ? 'Its process tree was ended; a process that has left the tree may still run.'
    : 'Its process group was ended, and what left the group is found by its environment; a process that cleared its environment, too, may still run.';

const run = promisify(execFile);

export interface LeftProcess {
  pid: number;
  command: string;
}

export interface Ended {
  /** Processes that were ended. */
  ended: LeftProcess[];
  /** Processes that still run. */
  left: LeftProcess[];
}

let marks = 0;

/** Returns a unique mark. It needs no random number, because it is not a secret. */
export function newMark(): string {
  marks += 1;
  return `${process.pid}-${io().now().toString(36)}-${marks}`;
}

/** Environment entry for every program of a run. A run inside another run carries both marks. */
export function markEntry(mark: string): Record<string, string> {
  const outer = io().env[RUN_MARKS];
  return { [RUN_MARKS]: outer ? `${outer}:${mark}` : mark };
}

/** Ends every process with the mark, and returns those that it cannot end. */
export async function endMarked(mark: string): Promise<Ended> {
  if (process.platform !== 'linux') return { ended: [], left: await findMarked(mark) };
  const ended = new Map<number, LeftProcess>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = markedProcesses(mark);
    if (found.length === 0) return { ended: [...ended.values()], left: [] };
    for (const one of found) ended.set(one.pid, one);
    for (const { pid } of found) send(pid, round === 0 ? 'SIGTERM' : 'SIGKILL');
    await gone(mark, round === 0 ? GRACE_MS : POLL_MS);
  }
  const left = markedProcesses(mark);
  const leftIds = new Set(left.map(({ pid }) => pid));
  return { ended: [...ended.values()].filter(({ pid }) => !leftIds.has(pid)), left };
}

/** The processes that carry the mark now. */
export async function findMarked(mark: string): Promise<LeftProcess[]> {
  if (process.platform === 'linux') return markedProcesses(mark);
  return process.platform === 'win32' ? [] : listedByPs(mark);
}

/**
 * Ends left processes of a failed command. A successful command may have had the purpose to start a service, so its
 * processes keep running.
 */
export async function clearUp(mark: string, succeeded: boolean): Promise<{ left: LeftProcess[]; notes: string[] }> {
  if (succeeded) {
    const left = await lasting(mark);
    return { left, notes: left.length === 0 ? [] : [`Still running: ${named(left)}.`] };
  }
  const { ended, left } = await endMarked(mark);
  return { left: [...ended, ...left], notes: endedNotes({ ended, left }) };
}

/** Processes that still carry the mark after the grace period. */
async function lasting(mark: string): Promise<LeftProcess[]> {
  const until = performance.now() + GRACE_MS;
  for (;;) {
    const left = await findMarked(mark);
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(POLL_MS);
  }
}

/** The notes for people. */
function endedNotes({ ended, left }: Ended): string[] {
  return [
    ...(ended.length > 0 ? [`Left running by the command and ended: ${named(ended)}.`] : []),
    ...(left.length > 0 ? [`Left running by the command, to be ended by hand: ${named(left)}.`] : []),
  ];
}

/** The first few processes with their ids. */
export function named(processes: readonly LeftProcess[]): string {
  const names = processes
    .slice(0, MAX_NAMED_PROCESSES)
    .map(({ pid, command }) => `${pid} (${command.slice(0, NAME_CHARACTERS).toWellFormed()})`);
  const more = processes.length > MAX_NAMED_PROCESSES ? ` and ${processes.length - MAX_NAMED_PROCESSES} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Kills all marked processes without waiting, for use when this process must exit. */
export function killMarked(mark: string): void {
  if (process.platform !== 'linux') return;
  for (const { pid } of markedProcesses(mark)) send(pid, 'SIGKILL');
}

function markedProcesses(mark: string): LeftProcess[] {
  const found: LeftProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (carries(environmentOf(pid), mark)) found.push({ pid, command: commandOf(pid) });
  }
  return found;
}

function carries(environment: string, mark: string): boolean {
  // Almost no environment contains the mark, and splitting all of them would be slow.
  if (!environment.includes(mark)) return false;
  return environment.split('\0').some((entry) => hasMark(entry, mark));
}

/** Compares whole marks, because a mark may be the prefix of another mark. */
function hasMark(entry: string, mark: string): boolean {
  return (
    entry.startsWith(`${RUN_MARKS}=`) &&
    entry
      .slice(RUN_MARKS.length + 1)
      .split(':')
      .includes(mark)
  );
}

/** Returns an empty text for processes of other users and for processes that have ended. */
function environmentOf(pid: number): string {
  return textOrEmpty(`/proc/${pid}/environ`, 'latin1');
}

function commandOf(pid: number): string {
  return textOrEmpty(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim() || '?';
}

async function gone(mark: string, withinMs: number): Promise<void> {
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    await sleep(POLL_MS);
    if (markedProcesses(mark).length === 0) return;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** On BSD and macOS, ps prints the environments of a user's own processes after their commands. */
async function listedByPs(mark: string): Promise<LeftProcess[]> {
  const ps = findProgram('ps', io().cwd());
  if (ps === undefined) return [];
  try {
    const args = ['-Aeww', '-o', 'pid=,command='];
    const { stdout } = await run(ps, args, { timeout: PS_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
    const lines = stdout.split('\n').filter((line) => line.split(' ').some((word) => hasMark(word, mark)));
    return lines.flatMap((line) => {
      const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/u.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), command: command.split(' ').slice(0, 4).join(' ') }];
    });
  } catch {
    return [];
  }
}
