/**
 * SQLite's own lock protocol over byte ranges, so that other programs with SQLite can use the file at the same time.
 * SQLite never stores data in these ranges.
 */

import { LockLevel } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import type { FileLock } from './locks.ts';
import { describeLockHolder } from './queue-file.ts';

/**
 * SQLite's `PENDING_BYTE` and the ranges after it, which are part of its file format
 * (https://www.sqlite.org/fileformat.html).
 */
const PENDING_BYTE = 0x40000000;
const RESERVED_BYTE = PENDING_BYTE + 1;
const SHARED_FIRST_BYTE = PENDING_BYTE + 2;
const SHARED_BYTES = 510;

const isWindows = process.platform === 'win32';

export class ByteRangeLock implements FileLock {
  readonly #path: string;
  readonly #fd: number;
  readonly #native: NativeLocks;
  #level: number = LockLevel.none;
  /**
   * True if RESERVED was taken during a sleep. SQLite does not know that yet, and must still check for a journal to
   * roll back.
   */
  #ahead = false;

  constructor(path: string, fd: number, native: NativeLocks) {
    this.#path = path;
    this.#fd = fd;
    this.#native = native;
  }

  raise(level: number): boolean {
    if (level >= LockLevel.reserved) this.#ahead = false;
    if (level <= this.#level) return true;
    if (level === LockLevel.shared) return this.#share();
    if (level === LockLevel.reserved) return this.#advance(LockLevel.reserved, RESERVED_BYTE);
    return this.#exclude();
  }

  anticipate(level: number): boolean {
    if (level === LockLevel.shared) return this.raise(level);
    // A writer that waits for readers has kept its locks.
    if (this.#level >= LockLevel.reserved) return this.raise(level);
    // A process that wants to roll back the journal of a dead writer must first check for the journal again.
    if (level !== LockLevel.reserved || this.#level !== LockLevel.none) return false;
    // SQLite released its shared lock before the sleep, so both locks are taken. RESERVED comes first, because only one
    // process can have it.
    if (!this.#try(RESERVED_BYTE, 1, false)) return false;
    if (this.#share()) {
      this.#level = LockLevel.reserved;
      this.#ahead = true;
      return true;
    }
    this.#native.unlock(this.#fd, RESERVED_BYTE, 1);
    return false;
  }

  lower(level: number): void {
    if (level === LockLevel.none) this.release();
    if (this.#level <= LockLevel.shared) return;
    // New readers may start before the writer's own locks are released.
    if (this.#level === LockLevel.exclusive && !this.#shareRange()) throw new Error('the shared lock was lost');
    if (this.#level >= LockLevel.pending) this.#native.unlock(this.#fd, PENDING_BYTE, 1);
    this.#native.unlock(this.#fd, RESERVED_BYTE, 1);
    this.#level = LockLevel.shared;
    this.#ahead = false;
  }

  reserved(): boolean {
    if (this.#level >= LockLevel.reserved) return !this.#ahead;
    const free = this.#try(RESERVED_BYTE, 1, true);
    if (free) this.#native.unlock(this.#fd, RESERVED_BYTE, 1);
    return !free;
  }

  describeHolder(): string {
    return describeLockHolder(this.#path, this.#native, PENDING_BYTE);
  }

  release(): void {
    if (this.#level === LockLevel.none) return;
    if (isWindows) this.#releaseEach();
    else this.#native.unlock(this.#fd, PENDING_BYTE, SHARED_FIRST_BYTE + SHARED_BYTES - PENDING_BYTE);
    this.#level = LockLevel.none;
    this.#ahead = false;
  }

  /** Windows releases only exactly the ranges that were locked. */
  #releaseEach(): void {
    this.#native.unlock(this.#fd, SHARED_FIRST_BYTE, SHARED_BYTES);
    if (this.#level >= LockLevel.pending) this.#native.unlock(this.#fd, PENDING_BYTE, 1);
    if (this.#level >= LockLevel.reserved) this.#native.unlock(this.#fd, RESERVED_BYTE, 1);
  }

  /** Takes the shared lock. While a writer waits for readers, it holds PENDING, so that no new reader starts. */
  #share(): boolean {
    if (!this.#try(PENDING_BYTE, 1, true)) return false;
    const got = this.#try(SHARED_FIRST_BYTE, SHARED_BYTES, true);
    this.#native.unlock(this.#fd, PENDING_BYTE, 1);
    if (got) this.#level = LockLevel.shared;
    return got;
  }

  #exclude(): boolean {
    if (this.#level < LockLevel.pending && !this.#advance(LockLevel.pending, PENDING_BYTE)) return false;
    // Windows cannot convert a shared lock into an exclusive lock, so the shared lock is released for a moment under
    // PENDING.
    if (isWindows) this.#native.unlock(this.#fd, SHARED_FIRST_BYTE, SHARED_BYTES);
    if (this.#try(SHARED_FIRST_BYTE, SHARED_BYTES, false)) {
      this.#level = LockLevel.exclusive;
      return true;
    }
    if (isWindows) this.#try(SHARED_FIRST_BYTE, SHARED_BYTES, true);
    return false;
  }

  #advance(level: number, offset: number): boolean {
    if (!this.#try(offset, 1, false)) return false;
    this.#level = level;
    return true;
  }

  #shareRange(): boolean {
    if (isWindows) this.#native.unlock(this.#fd, SHARED_FIRST_BYTE, SHARED_BYTES);
    return this.#try(SHARED_FIRST_BYTE, SHARED_BYTES, true);
  }

  #try(offset: number, length: number, shared: boolean): boolean {
    return this.#native.tryLock(this.#fd, offset, length, { shared });
  }
}
