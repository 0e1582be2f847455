/**
 * Finds processes that a run left behind, even outside the process group, by a mark in their environment. execute.ts
 * starts processes. On systems where environments cannot be read exactly, leftover processes are reported but not
 * ended.
 */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readTextOrEmpty } from '../system/files/read.ts';
import { io } from '../system/io.ts';
import { RUN_MARKS_VARIABLE } from '../system/process-lock.ts';
import { findProgram } from '../system/programs.ts';

/**
 * Time between SIGTERM and SIGKILL for a leftover process. A process of a successful command also has this time to end
 * before it is reported, because Turbo 2.11 does not wait for its own `git status`.
 */
const TERM_GRACE_MS = 1_000;
const POLL_MS = 50;

/** Maximum number of attempts to end processes. A process that forks faster is reported instead. */
const MAX_ROUNDS = 20;

/** Maximum time to list processes. */
const PS_TIMEOUT_MS = 5_000;

const MAX_NAMED_PROCESSES = 5;
const MAX_NAME_CHARACTERS = 60;

/** Warning after a timeout, because some processes cannot be found. */
export const MAY_STILL_RUN_WARNING =
  process.platform === 'win32'
    ? 'Its process tree was stopped, but a process that left the tree may still run.'
    : 'Its process group was stopped, and so were processes outside the group that Argus found by their environment. A process that also cleared its environment may still run.';

const runFile = promisify(execFile);

export interface LeftoverProcess {
  pid: number;
  command: string;
}

export interface ProcessCleanupResult {
  /** Processes that were ended. */
  ended: LeftoverProcess[];
  /** Processes that still run. */
  left: LeftoverProcess[];
}

let markCount = 0;

/** Returns a unique mark. The mark needs no random number, because it is not a secret. */
export function createRunMark(): string {
  markCount += 1;
  return `${process.pid}-${io().now().toString(36)}-${markCount}`;
}

/** Returns the environment entry for every program of a run. A run inside another run carries both marks. */
export function createRunMarkVariable(mark: string): Record<string, string> {
  const outer = io().env[RUN_MARKS_VARIABLE];
  return { [RUN_MARKS_VARIABLE]: outer ? `${outer}:${mark}` : mark };
}

/** Ends every process with the mark. Returns the ended processes and those that could not be ended. */
export async function endMarkedProcesses(mark: string): Promise<ProcessCleanupResult> {
  if (process.platform !== 'linux') return { ended: [], left: await findMarkedProcesses(mark) };
  const ended = new Map<number, LeftoverProcess>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const marked = listMarkedInProc(mark);
    if (marked.length === 0) return { ended: [...ended.values()], left: [] };
    for (const leftover of marked) ended.set(leftover.pid, leftover);
    for (const { pid } of marked) sendSignal(pid, round === 0 ? 'SIGTERM' : 'SIGKILL');
    await waitUntilGone(mark, round === 0 ? TERM_GRACE_MS : POLL_MS);
  }
  const left = listMarkedInProc(mark);
  const leftIds = new Set(left.map(({ pid }) => pid));
  return { ended: [...ended.values()].filter(({ pid }) => !leftIds.has(pid)), left };
}

/** The processes that carry the mark now. */
export async function findMarkedProcesses(mark: string): Promise<LeftoverProcess[]> {
  if (process.platform === 'linux') return listMarkedInProc(mark);
  return process.platform === 'win32' ? [] : listMarkedWithPs(mark);
}

/**
 * Ends the leftover processes of a failed command. Those of a successful command keep running, because the command may
 * have started a service on purpose.
 */
export async function cleanUpProcesses(
  mark: string,
  succeeded: boolean,
): Promise<{ left: LeftoverProcess[]; notes: string[] }> {
  if (succeeded) {
    const left = await waitForLeftovers(mark);
    return { left, notes: left.length === 0 ? [] : [`Still running: ${formatProcesses(left)}.`] };
  }
  const { ended, left } = await endMarkedProcesses(mark);
  return { left: [...ended, ...left], notes: createLeftoverNotes({ ended, left }) };
}

/** Returns the processes that still carry the mark after the grace period. */
async function waitForLeftovers(mark: string): Promise<LeftoverProcess[]> {
  const until = performance.now() + TERM_GRACE_MS;
  for (;;) {
    const left = await findMarkedProcesses(mark);
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(POLL_MS);
  }
}

/** Returns notes for people about ended and remaining processes. */
function createLeftoverNotes({ ended, left }: ProcessCleanupResult): string[] {
  return [
    ...(ended.length > 0 ? [`The command left processes running, which were stopped: ${formatProcesses(ended)}.`] : []),
    ...(left.length > 0
      ? [`The command left processes running, which you must stop yourself: ${formatProcesses(left)}.`]
      : []),
  ];
}

/** Formats the first processes with their ids. */
export function formatProcesses(processes: readonly LeftoverProcess[]): string {
  const names = processes
    .slice(0, MAX_NAMED_PROCESSES)
    .map(({ pid, command }) => `${pid} (${command.slice(0, MAX_NAME_CHARACTERS).toWellFormed()})`);
  const more = processes.length > MAX_NAMED_PROCESSES ? ` and ${processes.length - MAX_NAMED_PROCESSES} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Kills all marked processes without waiting, for a process that must exit. */
export function killMarkedProcesses(mark: string): void {
  if (process.platform !== 'linux') return;
  for (const { pid } of listMarkedInProc(mark)) sendSignal(pid, 'SIGKILL');
}

function listMarkedInProc(mark: string): LeftoverProcess[] {
  const found: LeftoverProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (environmentHasMark(readEnvironment(pid), mark)) found.push({ pid, command: readCommandLine(pid) });
  }
  return found;
}

function environmentHasMark(environment: string, mark: string): boolean {
  // Almost no environment contains the mark, and splitting all of them would be slow.
  if (!environment.includes(mark)) return false;
  return environment.split('\0').some((entry) => entryHasMark(entry, mark));
}

/** Compares whole marks, because a mark may be the prefix of another mark. */
function entryHasMark(entry: string, mark: string): boolean {
  return (
    entry.startsWith(`${RUN_MARKS_VARIABLE}=`) &&
    entry
      .slice(RUN_MARKS_VARIABLE.length + 1)
      .split(':')
      .includes(mark)
  );
}

/** Returns an empty text for processes of other users and for processes that have ended. */
function readEnvironment(pid: number): string {
  return readTextOrEmpty(`/proc/${pid}/environ`, 'latin1');
}

function readCommandLine(pid: number): string {
  return readTextOrEmpty(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim() || '?';
}

async function waitUntilGone(mark: string, withinMs: number): Promise<void> {
  for (let waited = 0; waited < withinMs; waited += POLL_MS) {
    await sleep(POLL_MS);
    if (listMarkedInProc(mark).length === 0) return;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** On BSD and macOS, ps prints the environments of a user's own processes after their commands. */
async function listMarkedWithPs(mark: string): Promise<LeftoverProcess[]> {
  const ps = findProgram('ps', io().cwd());
  if (ps === undefined) return [];
  try {
    const args = ['-Aeww', '-o', 'pid=,command='];
    const { stdout } = await runFile(ps, args, { timeout: PS_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
    const lines = stdout.split('\n').filter((line) => line.split(' ').some((word) => entryHasMark(word, mark)));
    return lines.flatMap((line) => {
      const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/u.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), command: command.split(' ').slice(0, 4).join(' ') }];
    });
  } catch {
    return [];
  }
}
