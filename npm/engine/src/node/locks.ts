/**
 * Locks on a database file between processes, with SQLite's five levels. No function waits: a lock that is taken is
 * reported immediately.
 */

import type { Log } from '../host.ts';
import { DirectoryLock } from './lock-directory.ts';
import { agreeOnMode, type LockMode } from './lock-mode.ts';
import { loadNative } from './lock-native.ts';
import { ByteRangeLock } from './lock-range.ts';
import { WholeFileLock } from './lock-whole.ts';

/** The lock of one handle. */
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
  holder(): string;
  /** Releases everything when the handle is closed. */
  release(): void;
}

export { LockRefused } from './lock-mode.ts';

/** Chooses the lock for a file that was just opened. */
export function chooseLock(path: string, fd: number, readOnly: boolean, log: Log): FileLock {
  const native = loadNative();
  const mode = agreeOnMode(path, own(native.addon !== undefined), readOnly, log, native.problem);
  if (mode === 'directory' || native.addon === undefined) return new DirectoryLock(path);
  return mode === 'whole-file' ? new WholeFileLock(fd, native.addon) : new ByteRangeLock(path, fd, native.addon);
}

/** The kind of lock that this process uses for a new file. */
function own(native: boolean): LockMode {
  if (!native) return 'directory';
  // On Apple's systems, the addon can only lock whole files (flock).
  return process.platform === 'darwin' ? 'whole-file' : 'byte-range';
}
