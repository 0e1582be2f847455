/**
 * Finds what a run left behind: its processes carry a mark in their environment, wherever they have gone. Starting
 * processes: execute.ts. On a system whose environments cannot be read exactly they are named, not ended.
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
 * Between the polite signal and the one that cannot be ignored, for a process that has already outlived its parent. Also how
 * long a process that a successful command left may take to end before it is named: Turbo 2.11 does not wait for its own
 * `git status`.
 */
const GRACE_MS = 1_000;
const POLL_MS = 50;

/** What forks faster than it can be ended is named instead. */
const MAX_ROUNDS = 20;

/** A listing of processes that takes longer is not worth the wait. */
const PS_TIMEOUT_MS = 5_000;

const MAX_NAMED_PROCESSES = 5;
const NAME_CHARACTERS = 60;

/** What nobody can find is said where a command was ended before it ended itself. */
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
  /** Ended here. */
  ended: LeftProcess[];
  /** Still there, to be named. */
  left: LeftProcess[];
}

let marks = 0;

/** A mark nothing else has. It is no secret, and so is made of what is there at once. */
export function newMark(): string {
  marks += 1;
  return `${process.pid}-${io().now().toString(36)}-${marks}`;
}

/** For the environment of everything that is run. A run inside a run carries both marks. */
export function markEntry(mark: string): Record<string, string> {
  const outer = io().env[RUN_MARKS];
  return { [RUN_MARKS]: outer ? `${outer}:${mark}` : mark };
}

/** Ends every process with the mark; what it cannot end it names. */
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

/** What carries the mark now. */
export async function findMarked(mark: string): Promise<LeftProcess[]> {
  if (process.platform === 'linux') return markedProcesses(mark);
  return process.platform === 'win32' ? [] : listedByPs(mark);
}

/** A service that a successful command started is what it was run for, and stays. */
export async function clearUp(mark: string, succeeded: boolean): Promise<{ left: LeftProcess[]; notes: string[] }> {
  if (succeeded) {
    const left = await lasting(mark);
    return { left, notes: left.length === 0 ? [] : [`Still running: ${named(left)}.`] };
  }
  const { ended, left } = await endMarked(mark);
  return { left: [...ended, ...left], notes: endedNotes({ ended, left }) };
}

/** What still carries the mark after the grace period. */
async function lasting(mark: string): Promise<LeftProcess[]> {
  const until = performance.now() + GRACE_MS;
  for (;;) {
    const left = await findMarked(mark);
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(POLL_MS);
  }
}

/** How people are told. */
function endedNotes({ ended, left }: Ended): string[] {
  return [
    ...(ended.length > 0 ? [`Left running by the command and ended: ${named(ended)}.`] : []),
    ...(left.length > 0 ? [`Left running by the command, to be ended by hand: ${named(left)}.`] : []),
  ];
}

/** The first few, with their ids. */
export function named(processes: readonly LeftProcess[]): string {
  const names = processes
    .slice(0, MAX_NAMED_PROCESSES)
    .map(({ pid, command }) => `${pid} (${command.slice(0, NAME_CHARACTERS).toWellFormed()})`);
  const more = processes.length > MAX_NAMED_PROCESSES ? ` and ${processes.length - MAX_NAMED_PROCESSES} more` : '';
  return `${names.join(', ')}${more}`;
}

/** For the moment this process is told to go: nothing is waited for. */
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
  // Nearly none does, and to split all of them takes longer than the rest.
  if (!environment.includes(mark)) return false;
  return environment.split('\0').some((entry) => hasMark(entry, mark));
}

/** Compares whole marks, because one mark may be the beginning of another. */
function hasMark(entry: string, mark: string): boolean {
  return (
    entry.startsWith(`${RUN_MARKS}=`) &&
    entry
      .slice(RUN_MARKS.length + 1)
      .split(':')
      .includes(mark)
  );
}

/** Empty for those of others and those that are gone or dead. */
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
    // It has ended by itself.
  }
}

/** BSD and macOS show the environments of a user's own processes behind their commands. */
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
