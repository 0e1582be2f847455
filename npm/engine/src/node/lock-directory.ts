/**
 * A lock for platforms on which the locks of the operating system are unusable. The lock is a folder beside the
 * database that only one process can have at a time; a file in the folder names its owner. Readers exclude each other,
 * and a lock is respected as long as its owner may still be alive.
 *
 * Every handle has its own folder with one file, whose name contains the handle's number. To take the lock, a process
 * renames its folder to the name of the lock. Renaming fails while a non-empty folder has that name. To release the
 * lock, the process renames the folder back. To break the lock of a dead owner, a process deletes the owner's file by
 * its unique name, so that a living owner is never affected.
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

interface LockOwner {
  readonly pid: number;
  /** Start of the process, to distinguish it from a later process with the same process id. */
  readonly started: string;
  readonly host: string;
  /** Boot id of the host. Empty if the system does not provide it. */
  readonly boot: string;
  /**
   * Process namespace, because process ids are unique only within a namespace. Empty if the system has only one
   * namespace.
   */
  readonly space: string;
}

const isWindows = process.platform === 'win32';
const DENIED_CODES = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * Owners write their file first and then rename the folder into place as the lock. An owner file that is still
 * unreadable after this time was damaged by a crash.
 */
const MAX_OWNER_WRITE_MS = 5_000;
/** Only files with such names are ever deleted. */
const OWNER_FILE_NAME = /^owner-.*\.json$/;

let handleCount = 0;

export class DirectoryLock implements FileLock {
  readonly #lock: string;
  readonly #own: string;
  readonly #file: string;
  #level: number = LockLevel.none;

  constructor(path: string) {
    handleCount += 1;
    const name = `${process.pid}-${process.hrtime.bigint()}-${handleCount}`;
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

  describeHolder(): string {
    const [file] = listOwnerFiles(this.#lock) ?? [];
    const owner = file === undefined ? undefined : parseOwner(readTextIfPossible(join(this.#lock, file)) ?? '');
    if (owner === undefined) return `If no other process uses the database, delete the folder ${this.#lock}.`;
    const where = [owner.host, owner.space, owner.boot].filter((part) => part !== '').join(' ');
    return `Process ${owner.pid} of '${where}' holds it. If this process does not exist any more, delete the folder ${this.#lock}.`;
  }

  release(): void {
    this.lower(LockLevel.none);
    removeLockFolder(this.#own, this.#file);
  }

  #take(): boolean {
    this.#prepare();
    if (this.#rename()) return true;
    return breakStaleLock(this.#lock) && this.#rename();
  }

  #prepare(): void {
    try {
      mkdirSync(this.#own, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      throw error;
    }
    try {
      writeFileSync(join(this.#own, this.#file), JSON.stringify(getCurrentOwner()), { mode: 0o600 });
    } catch (error) {
      // For example, the disk is full. A folder without the name of its owner must not become the lock.
      removeLockFolder(this.#own, this.#file);
      throw error;
    }
    // Remove folders of killed processes.
    for (const folder of findOtherLockFolders(this.#own, this.#lock)) breakStaleLock(folder);
  }

  #rename(): boolean {
    try {
      renameSync(this.#own, this.#lock);
      return true;
    } catch (error) {
      const code = errorCode(error);
      // Windows has no specific error code for a folder name that exists already.
      const taken = code === 'ENOTEMPTY' || code === 'EEXIST' || (isWindows && DENIED_CODES.includes(code));
      if (!taken) throw error;
      return false;
    }
  }
}

/** Returns true if the folder is free now, because its owner was dead or the folder did not exist. */
function breakStaleLock(folder: string): boolean {
  const files = listOwnerFiles(folder);
  if (files === undefined) return true;
  const [file] = files;
  if (file === undefined ? isRecentlyWritten(folder) : !isOwnerGone(join(folder, file))) return false;
  removeLockFolder(folder, file);
  return true;
}

/** Deletes the owner's file by its unique name, and then the folder if it is empty. */
function removeLockFolder(folder: string, file: string | undefined): void {
  try {
    if (file !== undefined) unlinkSync(join(folder, file));
    rmdirSync(folder);
  } catch {
    // Another process was faster, or has taken the folder since.
  }
}

function findOtherLockFolders(own: string, lock: string): string[] {
  const names = readFolderIfPossible(dirname(own)) ?? [];
  const mine = basename(own);
  return names
    .filter((name) => name.startsWith(`${basename(lock)}-`) && name !== mine)
    .map((name) => join(dirname(own), name));
}

/**
 * Returns true only if the owner is certainly gone: the same host was restarted, the process does not exist any more,
 * or the owner's file is unreadable and too old to be still in writing.
 */
function isOwnerGone(file: string): boolean {
  const text = readTextIfPossible(file);
  if (text === undefined) return false;
  const owner = parseOwner(text);
  if (owner === undefined) return !isRecentlyWritten(file);
  const me = getCurrentOwner();
  if (owner.host !== me.host) return false;
  if (owner.boot !== me.boot) return owner.boot !== '' && me.boot !== '';
  return owner.space === me.space && readProcessStart(owner.pid) !== owner.started;
}

/** Parses the content of an owner's file. Returns undefined if the text is not valid. */
function parseOwner(text: string): LockOwner | undefined {
  const value = parseJson(text);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns true if a file was written recently, or is gone. A date slightly in the future counts as recent. A date far
 * in the future comes from a clock that was corrected later.
 */
function isRecentlyWritten(path: string): boolean {
  try {
    return Math.abs(Date.now() - statSync(path).mtimeMs) < MAX_OWNER_WRITE_MS;
  } catch {
    return true;
  }
}

let currentOwner: LockOwner | undefined;

function getCurrentOwner(): LockOwner {
  currentOwner ??= {
    pid: process.pid,
    started: readProcessStart(process.pid) ?? '',
    host: hostname(),
    boot: readTextIfPossible('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    space: getProcessNamespace(),
  };
  return currentOwner;
}

/**
 * Returns the start of a process as reported by the system, or 'running' if the system does not report the start, or
 * undefined if the process does not exist.
 */
function readProcessStart(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name in parentheses may contain any character, so fields are counted after it: field 3 is the state,
    // field 22 the start.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (error) {
    return errorCode(error) === 'EPERM' ? 'running' : undefined;
  }
}

function getProcessNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // This system is not Linux.
    return '';
  }
}

function listOwnerFiles(folder: string): string[] | undefined {
  return readFolderIfPossible(folder)?.filter((name) => OWNER_FILE_NAME.test(name));
}

function readFolderIfPossible(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function readTextIfPossible(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
