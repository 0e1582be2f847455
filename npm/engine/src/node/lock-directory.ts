/**
 * A lock where the operating system's cannot be had: a folder beside the database that only one process can have
 * there, with its owner's name in it. Does not: let readers in together, or trust an owner that is gone.
 *
 * Every handle has a folder of its own with one file in it, named after the handle. Taking the lock is renaming that
 * folder to the lock's name, which fails while another's non-empty folder has it; giving it back is renaming it back.
 * The lock of a dead owner is broken by deleting its file by that unique name, so a living one is never hit.
 */

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { LockLevel } from '../host.ts';
import type { FileLock } from './locks.ts';

interface Owner {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same number. */
  readonly started: string;
  /** Process numbers mean something only within one of these. */
  readonly space: string;
}

const windows = process.platform === 'win32';
const DENIED = ['EPERM', 'EACCES', 'EBUSY'];

let handles = 0;

export class DirectoryLock implements FileLock {
  readonly #lock: string;
  readonly #own: string;
  readonly #file: string;
  #level: number = LockLevel.none;

  constructor(path: string) {
    handles += 1;
    const name = `${process.pid}-${process.hrtime.bigint()}-${handles}`;
    this.#lock = `${path}.lock`;
    this.#own = `${path}.lock-${name}`;
    this.#file = `owner-${name}.json`;
  }

  raise(level: number): boolean {
    if (this.#level === LockLevel.none && !this.#take()) return false;
    this.#level = Math.max(level, this.#level);
    return true;
  }

  anticipate(): boolean {
    return this.raise(LockLevel.shared);
  }

  lower(level: number): void {
    if (level !== LockLevel.none) {
      this.#level = Math.min(level, this.#level);
    } else if (this.#level !== LockLevel.none) {
      renameSync(this.#lock, this.#own);
      this.#level = LockLevel.none;
    }
  }

  reserved(): boolean {
    return this.#level >= LockLevel.reserved;
  }

  holder(): string {
    const [file] = readdirQuietly(this.#lock) ?? [];
    const owner = file === undefined ? undefined : readOwner(join(this.#lock, file));
    if (owner === undefined) return '';
    return `Process ${owner.pid} of '${owner.space}' holds it; if there is no such process any more, delete ${this.#lock}.`;
  }

  release(): void {
    this.lower(LockLevel.none);
    discard(this.#own, this.#file);
  }

  #take(): boolean {
    this.#prepare();
    if (this.#rename()) return true;
    return breakStale(this.#lock) && this.#rename();
  }

  #prepare(): void {
    try {
      mkdirSync(this.#own, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return;
      throw error;
    }
    writeFileSync(join(this.#own, this.#file), JSON.stringify(self()), { mode: 0o600 });
    // What killed processes left behind.
    for (const folder of strangers(this.#own, this.#lock)) {
      const [file] = readdirQuietly(folder) ?? [];
      if (file !== undefined && isGone(join(folder, file))) discard(folder, file);
    }
  }

  #rename(): boolean {
    try {
      renameSync(this.#own, this.#lock);
      return true;
    } catch (error) {
      const code = codeOf(error);
      // Windows has no code of its own for a name that is taken.
      const taken = code === 'ENOTEMPTY' || code === 'EEXIST' || (windows && DENIED.includes(code));
      if (!taken) throw error;
      return false;
    }
  }
}

/** True when the lock is free now: its owner was dead, or there was none any more. */
function breakStale(lock: string): boolean {
  const files = readdirQuietly(lock);
  if (files === undefined) return true;
  const [file] = files;
  if (file !== undefined && !isGone(join(lock, file))) return false;
  discard(lock, file);
  return true;
}

/** Deletes the one file, by its unique name, then the folder if that left it empty. */
function discard(folder: string, file: string | undefined): void {
  try {
    if (file !== undefined) unlinkSync(join(folder, file));
    rmdirSync(folder);
  } catch {
    // Somebody else was faster, or has taken it meanwhile.
  }
}

function strangers(own: string, lock: string): string[] {
  const names = readdirQuietly(dirname(own)) ?? [];
  const mine = basename(own);
  return names
    .filter((name) => name.startsWith(`${basename(lock)}-`) && name !== mine)
    .map((name) => join(dirname(own), name));
}

/** Only where it is certain: same machine and process space, and no such process any more. */
function isGone(file: string): boolean {
  const owner = readOwner(file);
  const me = self();
  if (owner === undefined || owner.space !== me.space) return false;
  return startOf(owner.pid) !== owner.started;
}

function readOwner(path: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    if (!('pid' in value && 'started' in value && 'space' in value)) return undefined;
    if (typeof value.pid !== 'number' || typeof value.started !== 'string' || typeof value.space !== 'string')
      return undefined;
    return { pid: value.pid, started: value.started, space: value.space };
  } catch {
    return undefined;
  }
}

let known: Owner | undefined;

function self(): Owner {
  known ??= { pid: process.pid, started: startOf(process.pid) ?? '', space: space() };
  return known;
}

/** When a process began, as the system tells it; 'running' where it does not tell; undefined: no such process. */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in parentheses, which may hold anything: field 3, the state, to field 22, the start.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (error) {
    return codeOf(error) === 'EPERM' ? 'running' : undefined;
  }
}

function space(): string {
  const parts = [hostname()];
  try {
    parts.push(readlinkSync('/proc/self/ns/pid'), readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  } catch {
    // Not Linux.
  }
  return parts.join(' ');
}

function readdirQuietly(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
