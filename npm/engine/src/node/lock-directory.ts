/**
 * A lock for platforms without usable locks of the operating system: a folder beside the database that only one process
 * can have at a time, with a file that names its owner. Readers exclude each other, and a lock whose owner may still
 * live is respected.
 *
 * Every handle has its own folder with one file in it, named after the handle. To take the lock, a process renames its
 * folder to the name of the lock, which fails while a non-empty folder has that name. To release the lock, it renames
 * the folder back. The lock of a dead owner is broken by deleting its file under its unique name, so that a living
 * owner is never affected.
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
  /** Start of the process, to distinguish it from a later process with the same number. */
  readonly started: string;
  readonly host: string;
  /** Boot id of the host. Empty if the system does not provide it. */
  readonly boot: string;
  /**
   * Process namespace, because process numbers are unique only within a namespace. Empty if the system has only one.
   */
  readonly space: string;
}

const windows = process.platform === 'win32';
const DENIED = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * An owner writes its file before the folder becomes the lock. An unreadable file that is older than this was lost in a
 * crash.
 */
const WRITTEN_WITHIN_MS = 5_000;
/** Only files with such names are ever deleted. */
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
      // For example on a full disk. A folder without the name of its owner must not become the lock.
      discard(this.#own, this.#file);
      throw error;
    }
    // Removes folders of killed processes.
    for (const folder of strangers(this.#own, this.#lock)) breakStale(folder);
  }

  #rename(): boolean {
    try {
      renameSync(this.#own, this.#lock);
      return true;
    } catch (error) {
      const code = codeOf(error);
      // Windows has no specific error code for a name that is taken.
      const taken = code === 'ENOTEMPTY' || code === 'EEXIST' || (windows && DENIED.includes(code));
      if (!taken) throw error;
      return false;
    }
  }
}

/** Returns true if the folder is free now, because its owner was dead or the folder was gone. */
function breakStale(folder: string): boolean {
  const files = ownersIn(folder);
  if (files === undefined) return true;
  const [file] = files;
  if (file === undefined ? isNew(folder) : !isGone(join(folder, file))) return false;
  discard(folder, file);
  return true;
}

/** Deletes the file by its unique name, then the folder if it is empty. */
function discard(folder: string, file: string | undefined): void {
  try {
    if (file !== undefined) unlinkSync(join(folder, file));
    rmdirSync(folder);
  } catch {
    // Another process was faster or has taken the folder meanwhile.
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
 * Returns true only if the owner is certainly gone: the same host was restarted, the process does not exist any more,
 * or the file is unreadable and too old to be still in writing.
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

/** Returns undefined if the text is not a valid owner. */
function ownerIn(text: string): Owner | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('pid' in value && 'started' in value && 'space' in value)) return undefined;
  const { pid, started, space } = value;
  if (typeof pid !== 'number' || typeof started !== 'string' || typeof space !== 'string') return undefined;
  if ('host' in value && 'boot' in value && typeof value.host === 'string' && typeof value.boot === 'string')
    return { pid, started, host: value.host, boot: value.boot, space };
  // An older version wrote host, namespace and boot id in one field.
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

/**
 * A file is also new if its date is slightly in the future. A date far in the future comes from a clock that was
 * corrected since.
 */
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

/**
 * Start of a process as reported by the system. Returns 'running' if the system does not report it, and undefined if
 * the process does not exist.
 */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything, so fields are counted after it: field 3 is the state, field 22 the
    // start.
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
