/**
 * Locks with files that identify a process, so that another process can check whether the owner of a lock still runs.
 */

import { linkSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { getSystemCode } from '../errors.ts';
import { createFileAtomically } from './files/atomic-file.ts';
import { readTextOrEmpty } from './files/read.ts';

export interface LockOwner {
  pid: number;
  host: string;
  /** Start of the process, if the system provides it. It is needed because process ids are reused. */
  began: string | null;
}

export function identifyThisProcess(): LockOwner {
  return { pid: process.pid, host: hostname(), began: readProcessStat(process.pid).began };
}

/** Parses the text that identifies a process. Returns undefined if the text is not valid. */
function parseOwner(text: string): LockOwner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return undefined;
    const { pid, host, began }: { pid?: unknown; host?: unknown; began?: unknown } = value;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    return { pid, host, began: typeof began === 'string' ? began : null };
  } catch {
    return undefined;
  }
}

/** True if the process runs. Also true for a process of another machine, because its state is not known. */
export function isProcessAlive({ pid, host, began }: LockOwner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (getSystemCode(thrown) !== 'EPERM') return false;
  }
  const { state, began: now } = readProcessStat(pid);
  // A zombie has exited, but its parent has not read the exit code. In a container, a zombie may stay forever.
  if (state === 'Z' || state === 'X') return false;
  return began === null || now === null || now === began;
}

/** Returns the state and the start (in clock ticks) of a process. Both are null if the system does not provide them. */
function readProcessStat(pid: number): { state: string | null; began: string | null } {
  const stat = readTextOrEmpty(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces. The state is the first field after the name.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] || null, began: fields[19] ?? null };
}

/** Two processes may try to take over a lock at the same time. If that happens more often, there is another problem. */
const MAX_TRIES = 5;

/** A lock file that names its owner. If the owner no longer runs, another process can take over the lock. */
export class ProcessLock {
  readonly #file: string;
  readonly #text: string;

  private constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** Never waits. Returns undefined while another process, or another call in this process, has the lock. */
  static tryAcquire(file: string): ProcessLock | undefined {
    // The last part distinguishes two calls of the same process.
    const text = `${JSON.stringify({ ...identifyThisProcess(), call: crypto.randomUUID() })}\n`;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (createFileAtomically(file, text)) return new ProcessLock(file, text);
      const current = readTextOrEmpty(file);
      if (current === '') continue;
      const owner = parseOwner(current);
      if (owner !== undefined && isProcessAlive(owner)) return undefined;
      removeStaleLock(file, current);
    }
    return undefined;
  }

  release(): void {
    if (readTextOrEmpty(this.#file) === this.#text) rmSync(this.#file, { force: true });
  }
}

/** Returns the owner that a lock file names, even if that process no longer runs. */
export function readLockOwner(file: string): LockOwner | undefined {
  return parseOwner(readTextOrEmpty(file));
}

/**
 * Removes a stale lock. Another process may have taken it over in the meantime, so the lock is moved and checked first,
 * and moved back if it is not stale.
 */
function removeStaleLock(file: string, stale: string): void {
  const movedFile = `${file}.${crypto.randomUUID()}`;
  try {
    renameSync(file, movedFile);
  } catch {
    return;
  }
  try {
    if (readTextOrEmpty(movedFile) !== stale) linkSync(movedFile, file);
  } catch {
    // There is already a new lock. Both owners check the lock again.
  } finally {
    rmSync(movedFile, { force: true });
  }
}

/**
 * The environment variable by which `run/processes.ts` finds processes that a run left behind. It contains the marks of
 * the run and of the runs in which it runs, separated by `:`.
 */
export const RUN_MARKS_VARIABLE = 'ARGUS_RUN_MARKS';
