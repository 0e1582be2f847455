/**
 * Locks on a database file between processes, with SQLite's five levels. No function waits: if a lock is taken, the
 * function reports that immediately.
 */

import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { LockLevel, type Log } from '../host.ts';
import { DirectoryLock } from './lock-directory.ts';
import { loadLockAddon, type NativeLocks } from './lock-native.ts';
import { ByteRangeLock } from './lock-range.ts';

/** The lock of a file handle. */
export interface FileLock {
  /** Returns true if the level was reached, false if another handle prevents it. */
  raise(level: number): boolean;
  /**
   * Called while the engine sleeps because `raise` to this level failed. Takes the locks that are free now, so that the
   * next `raise` succeeds. Returns true if the engine should wake up.
   */
  anticipate(level: number): boolean;
  /** Lowers the lock to shared or none. */
  lower(level: number): void;
  /** Returns true if any handle holds reserved or more. */
  reserved(): boolean;
  /** Describes the process that holds the lock. Empty if it is unknown. */
  describeHolder(): string;
  /** Releases everything when the handle is closed. */
  release(): void;
}

/** Chooses the lock for a file that was just opened. */
export function chooseLock(path: string, fd: number, readOnly: boolean, log: Log): FileLock {
  const native = loadLockAddon();
  const mode = agreeOnLockMode(path, preferredLockMode(native.addon !== undefined), readOnly, log, native.problem);
  if (mode === 'directory' || native.addon === undefined) return new DirectoryLock(path);
  return mode === 'whole-file' ? new WholeFileLock(fd, native.addon) : new ByteRangeLock(path, fd, native.addon);
}

/** Returns the kind of lock that this process uses for a new file. */
function preferredLockMode(native: boolean): LockMode {
  if (!native) return 'directory';
  // On Apple's systems, the addon can lock only whole files (flock).
  return process.platform === 'darwin' ? 'whole-file' : 'byte-range';
}

/**
 * An exclusive lock on the whole file for all levels, for platforms without byte-range locks. Readers exclude each
 * other, which is acceptable because transactions are short.
 */
export class WholeFileLock implements FileLock {
  readonly #fd: number;
  readonly #native: NativeLocks;
  #level: number = LockLevel.none;

  constructor(fd: number, native: NativeLocks) {
    this.#fd = fd;
    this.#native = native;
  }

  raise(level: number): boolean {
    if (this.#level === LockLevel.none && !this.#native.tryLock(this.#fd, 0, 0, { shared: false })) return false;
    this.#level = Math.max(level, this.#level);
    return true;
  }

  anticipate(): boolean {
    return this.raise(LockLevel.shared);
  }

  lower(level: number): void {
    if (level === LockLevel.none) this.release();
    else this.#level = Math.min(level, this.#level);
  }

  reserved(): boolean {
    return this.#level >= LockLevel.reserved;
  }

  describeHolder(): string {
    return '';
  }

  release(): void {
    if (this.#level !== LockLevel.none) this.#native.unlock(this.#fd, 0, 0);
    this.#level = LockLevel.none;
  }
}

/*
 * Records beside a database which kind of lock is used for it. Locks of different kinds do not exclude each other, so
 * all processes must use the same kind. A recorded kind is never changed.
 */

export const LOCK_MODES = ['byte-range', 'whole-file', 'directory'] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** Thrown if this process cannot use the kind of lock that other processes use for the database. */
export class LockModeError extends Error {}

/** Returns the recorded kind of lock. If none is recorded, records and returns `own`. */
export function agreeOnLockMode(path: string, own: LockMode, readOnly: boolean, log: Log, problem: string): LockMode {
  const record = `${path}.lockmode`;
  const mode = readLockMode(record) ?? (readOnly ? own : recordLockMode(record, own));
  if (mode === 'directory') {
    const reason = own === 'directory' ? `no operating system locks (${problem})` : `recorded in ${record}`;
    log(`locks: ${path} is locked by a folder: ${reason}. Other programs must not write to it at the same time.`);
    return mode;
  }
  if (mode === own) return mode;
  throw new LockModeError(
    `${path} uses locks of the kind '${mode}', which this process cannot use ${problem === '' ? '' : `(${problem}) `}` +
      `- install fs-native-extensions beside argus-engine, or, when no other process uses the database, delete ${record}`,
  );
}

function readLockMode(record: string): LockMode | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(record, 'utf8'));
    if (typeof content !== 'object' || content === null || !('mode' in content)) return undefined;
    return LOCK_MODES.find((mode) => mode === content.mode);
  } catch {
    return undefined;
  }
}

/**
 * Records the kind of lock, or returns the kind that another process has recorded. Linking a finished file makes the
 * record appear in one step.
 */
function recordLockMode(record: string, own: LockMode): LockMode {
  const draft = `${record}-${process.pid}-${process.hrtime.bigint()}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ version: 1, mode: own })}\n`, { flag: 'wx', mode: 0o600 });
    try {
      linkSync(draft, record);
    } finally {
      unlinkSync(draft);
    }
  } catch {
    // Another process was first, or the folder is read-only or does not support links.
    const theirs = readLockMode(record);
    if (theirs !== undefined) return theirs;
    try {
      // The flag `wx` does not follow an existing link.
      writeFileSync(record, `${JSON.stringify({ version: 1, mode: own })}\n`, { flag: 'wx', mode: 0o600 });
    } catch {
      // If this process cannot create a record here, no process can write to the database either.
    }
  }
  return own;
}
