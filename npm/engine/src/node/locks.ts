/**
 * Locks on a database file between processes, in SQLite's five levels. Nothing waits here: who does not get a lock is
 * told so at once.
 */

import type { Log } from '../host.ts';
import { DirectoryLock } from './lock-directory.ts';
import { agreeOnMode, type LockMode } from './lock-mode.ts';
import { loadNative } from './lock-native.ts';
import { ByteRangeLock } from './lock-range.ts';
import { WholeFileLock } from './lock-whole.ts';

/** One handle's lock. */
export interface FileLock {
  /** True when the level was reached; false when somebody else is in the way. */
  raise(level: number): boolean;
  /**
   * While the engine sleeps because `raise` to this level failed: takes what can be had by now, so that the next
   * `raise` has it already. True: it was worth waking up for.
   */
  anticipate(level: number): boolean;
  /** Down to shared or none. */
  lower(level: number): void;
  /** Whether anybody has reserved or more. */
  reserved(): boolean;
  /** Who was in the way, where that can be told; else empty. */
  holder(): string;
  /** At closing: gives everything back. */
  release(): void;
}

export { LockRefused } from './lock-mode.ts';

/** The lock for a file that was just opened. */
export function chooseLock(path: string, fd: number, readOnly: boolean, log: Log): FileLock {
  const native = loadNative();
  const mode = agreeOnMode(path, own(native.addon !== undefined), readOnly, log, native.problem);
  if (mode === 'directory' || native.addon === undefined) return new DirectoryLock(path);
  return mode === 'whole-file' ? new WholeFileLock(fd, native.addon) : new ByteRangeLock(path, fd, native.addon);
}

/** What this process would use on a file that nobody has used yet. */
function own(native: boolean): LockMode {
  if (!native) return 'directory';
  // The addon locks whole files only on Apple's systems (flock).
  return process.platform === 'darwin' ? 'whole-file' : 'byte-range';
}
