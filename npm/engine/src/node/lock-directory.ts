/**
 * A lock where the operating system's cannot be had: a folder beside the database that only one process can have there,
 * with its owner's name in it. Readers are not let in together, and an owner that is gone is not trusted.
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
  statSync,
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
  readonly host: string;
  /** Of the host; empty where the system does not tell. */
  readonly boot: string;
  /** Process numbers mean something only within one of these; empty where there is but one. */
  readonly space: string;
}

const windows = process.platform === 'win32';
const DENIED = ['EPERM', 'EACCES', 'EBUSY'];

/** An owner's file is written before it counts. One that says nothing after so long was lost in a crash. */
const WRITTEN_WITHIN_MS = 5_000;
/** Nothing else is ever deleted. */
const OWNER_FILE = /^owner-.*\.json$/;

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
    const [file] = ownersIn(this.#lock) ?? [];
    const owner = file === undefined ? undefined : ownerIn(readQuietly(join(this.#lock, file)) ?? '');
    if (owner === undefined) return `If no other process uses the database, delete the folder ${this.#lock}.`;
    const where = [owner.host, owner.space, owner.boot].filter((part) => part !== '').join(' ');
    return `Process ${owner.pid} of '${where}' holds it; if there is no such process any more, delete the folder ${this.#lock}.`;
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
    try {
      writeFileSync(join(this.#own, this.#file), JSON.stringify(self()), { mode: 0o600 });
    } catch (error) {
      // As on a full disk. Without an owner's name in it the folder must not become the lock.
      discard(this.#own, this.#file);
      throw error;
    }
    // What killed processes left behind.
    for (const folder of strangers(this.#own, this.#lock)) breakStale(folder);
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

/** True when the folder is free now: its owner was dead, or there was none any more. */
function breakStale(folder: string): boolean {
  const files = ownersIn(folder);
  if (files === undefined) return true;
  const [file] = files;
  if (file === undefined ? isNew(folder) : !isGone(join(folder, file))) return false;
  discard(folder, file);
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

/**
 * Only where it is certain: the same host was started anew since, or it has no such process any more, or nobody can
 * still be writing what says nothing.
 */
function isGone(file: string): boolean {
  const text = readQuietly(file);
  if (text === undefined) return false;
  const owner = ownerIn(text);
  if (owner === undefined) return !isNew(file);
  const me = self();
  if (owner.host !== me.host) return false;
  if (owner.boot !== me.boot) return owner.boot !== '' && me.boot !== '';
  return owner.space === me.space && startOf(owner.pid) !== owner.started;
}

/** Undefined where it is not what an owner writes. */
function ownerIn(text: string): Owner | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('pid' in value && 'started' in value && 'space' in value)) return undefined;
  const { pid, started, space } = value;
  if (typeof pid !== 'number' || typeof started !== 'string' || typeof space !== 'string') return undefined;
  if ('host' in value && 'boot' in value && typeof value.host === 'string' && typeof value.boot === 'string')
    return { pid, started, host: value.host, boot: value.boot, space };
  // The older form has all three in one.
  const [host = '', own = '', boot = ''] = space.split(' ');
  return { pid, started, host, boot, space: own };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Or dated just ahead; a date far ahead was written by a clock that has been put right since. */
function isNew(path: string): boolean {
  try {
    return Math.abs(Date.now() - statSync(path).mtimeMs) < WRITTEN_WITHIN_MS;
  } catch {
    return true;
  }
}

let known: Owner | undefined;

function self(): Owner {
  known ??= {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    host: hostname(),
    boot: readQuietly('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    space: space(),
  };
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
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux.
    return '';
  }
}

function ownersIn(folder: string): string[] | undefined {
  return readdirQuietly(folder)?.filter((name) => OWNER_FILE.test(name));
}

function readdirQuietly(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
