/**
 * An exclusive lock on the whole file for all levels, for platforms without byte-range locks. Readers exclude each
 * other, which is acceptable because transactions are short.
 */

import { LockLevel } from '../host.ts';
import type { NativeLocks } from './lock-native.ts';
import type { FileLock } from './locks.ts';

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

  holder(): string {
    return '';
  }

  release(): void {
    if (this.#level !== LockLevel.none) this.#native.unlock(this.#fd, 0, 0);
    this.#level = LockLevel.none;
  }
}
