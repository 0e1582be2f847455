/**
 * The engine's files through Node's `fs`. Nothing is thrown: a failure is a number, and its text is kept for the error
 * message.
 */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure, type HostFiles, type Log, OpenMode } from '../host.ts';
import { chooseLock, type FileLock, LockRefused } from './locks.ts';

/** Maps errno names to failures of the host interface. */
const MEANING: Readonly<Record<string, number>> = {
  ENOENT: Failure.notFound,
  ENOTDIR: Failure.notFound,
  EEXIST: Failure.exists,
  EACCES: Failure.denied,
  EPERM: Failure.denied,
  EROFS: Failure.denied,
  ENOSPC: Failure.full,
  EDQUOT: Failure.full,
  EFBIG: Failure.full,
  EISDIR: Failure.isFolder,
};

/**
 * The path of a database has its links resolved already. A link in place of its journal must not be followed, because
 * that would write to another file.
 */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Without this flag, opening a named pipe waits for a writer. Windows has neither. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

const FLAGS: Readonly<Record<number, number>> = {
  [OpenMode.read]: constants.O_RDONLY | NO_WAIT,
  [OpenMode.readWrite]: constants.O_RDWR | NO_LINK,
  [OpenMode.create]: constants.O_RDWR | constants.O_CREAT | NO_LINK,
  [OpenMode.createNew]: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

/** Only the owner may read the memory. */
const OWNER_FILE_MODE = 0o600;
const OWNER_FOLDER_MODE = 0o700;

/** A transaction takes about a millisecond. */
const LONGEST_NAP_MS = 3;

/** Replaces SQLite's own sleeps for calls that should not wait long. SQLite gives up after about ninety sleeps. */
const BRIEF_SLEEP_MS = 5;

interface OpenFile {
  readonly fd: number;
  readonly path: string;
  readonly inode: number;
  readonly lock: FileLock | undefined;
}

export class NodeFiles implements HostFiles {
  panicked: (message: string) => void = () => undefined;
  readonly #open = new Map<number, OpenFile>();
  readonly #log: Log;
  /** The lock that could not be taken. The engine is about to sleep because of it. */
  #waiting: { readonly lock: FileLock; readonly level: number } | undefined;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #lastError = '';
  #longestSleepMs = Number.POSITIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  open(path: string, mode: number, database: boolean): number {
    return this.#attempt(() => {
      if (mode === OpenMode.create && database) makeFolder(dirname(path));
      // Opening a device may have side effects, so the type is checked first. The caller has already checked databases.
      if (!database && mode === OpenMode.read) requireFile(path, statSync(path));
      const fd = openSync(path, FLAGS[mode] ?? constants.O_RDONLY, OWNER_FILE_MODE);
      try {
        const stat = fstatSync(fd);
        requireFile(path, stat);
        const lock = database ? chooseLock(path, fd, mode === OpenMode.read, this.#log) : undefined;
        this.#open.set(fd, { fd, path, inode: stat.ino, lock });
        return fd;
      } catch (error) {
        closeSync(fd);
        throw error;
      }
    });
  }

  close(handle: number): void {
    const file = this.#open.get(handle);
    if (file === undefined) return;
    this.#open.delete(handle);
    this.#waiting = undefined;
    this.#attempt(() => {
      file.lock?.release();
      closeSync(file.fd);
      return 0;
    });
  }

  closeAll(): void {
    for (const handle of [...this.#open.keys()]) this.close(handle);
  }

  read(handle: number, buffer: Uint8Array, offset: number): number {
    return this.#attempt(() => {
      let done = 0;
      while (done < buffer.length) {
        const count = readSync(handle, buffer, done, buffer.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  write(handle: number, bytes: Uint8Array, offset: number): number {
    return this.#attempt(() => {
      let done = 0;
      // On a nearly full disk, a write may take only a part, and the next write fails.
      while (done < bytes.length) done += writeSync(handle, bytes, done, bytes.length - done, offset + done);
      return 0;
    });
  }

  truncate(handle: number, size: number): number {
    return this.#attempt(() => {
      ftruncateSync(handle, size);
      return 0;
    });
  }

  sync(handle: number): number {
    return this.#attempt(() => {
      fdatasyncSync(handle);
      return 0;
    });
  }

  size(handle: number): number {
    return this.#attempt(() => fstatSync(handle).size);
  }

  lock(handle: number, level: number): number {
    return this.#attempt(() => {
      const lock = this.#lockOf(handle);
      this.#waiting = undefined;
      if (lock.raise(level)) return 0;
      this.#waiting = { lock, level };
      this.#lastError = lock.holder();
      return Failure.busy;
    });
  }

  unlock(handle: number, level: number): number {
    return this.#attempt(() => {
      this.#lockOf(handle).lower(level);
      return 0;
    });
  }

  reserved(handle: number): number {
    return this.#attempt(() => (this.#lockOf(handle).reserved() ? 1 : 0));
  }

  moved(handle: number): boolean {
    const file = this.#open.get(handle);
    if (file === undefined) return false;
    try {
      return statSync(file.path, { throwIfNoEntry: false })?.ino !== file.inode;
    } catch {
      // Without permission to read the folder, assume that the file still exists.
      return false;
    }
  }

  remove(path: string): number {
    return this.#attempt(() => {
      unlinkSync(path);
      return 0;
    });
  }

  syncFolder(path: string): number {
    // Windows has no such call, and its file systems order directory changes themselves.
    if (process.platform === 'win32') return 0;
    return this.#attempt(() => {
      const fd = openSync(dirname(path), constants.O_RDONLY);
      try {
        fsyncSync(fd);
      } catch (error) {
        // Some file systems cannot sync a folder. SQLite's own VFS ignores this error too.
        if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'ENOTSUP') throw error;
      } finally {
        closeSync(fd);
      }
      return 0;
    });
  }

  access(path: string, write: boolean): boolean {
    // Called several times per transaction, mostly for missing files. `existsSync` creates no error object.
    if (!write) return existsSync(path);
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  fullPath(path: string): string | undefined {
    const absolute = resolve(path);
    try {
      return realpathSync(absolute);
    } catch {
      // The path does not exist yet, so its folder is resolved. If the folder does not exist either, the path is used
      // unchanged.
      try {
        return join(realpathSync(dirname(absolute)), basename(absolute));
      } catch {
        return absolute;
      }
    }
  }

  /**
   * SQLite sleeps up to 100 ms between two attempts. A process that writes continuously would leave the others hardly a
   * chance, so this function tries to take the wanted lock during the sleep and keeps it if that succeeds.
   */
  sleep(milliseconds: number): void {
    const wanted = Math.min(milliseconds, this.#longestSleepMs);
    const until = performance.now() + wanted;
    for (let left = wanted; left > 0; left = until - performance.now()) {
      Atomics.wait(this.#pause, 0, 0, Math.min(left, 1 + Math.random() * LONGEST_NAP_MS));
      if (this.#anticipated()) return;
    }
  }

  /** Runs `work`, which waits half a second for a lock instead of eight. */
  briefly<T>(work: () => T): T {
    this.#longestSleepMs = BRIEF_SLEEP_MS;
    try {
      return work();
    } finally {
      this.#longestSleepMs = Number.POSITIVE_INFINITY;
    }
  }

  #anticipated(): boolean {
    if (this.#waiting === undefined) return false;
    try {
      return this.#waiting.lock.anticipate(this.#waiting.level);
    } catch {
      // The attempt after the sleep gets the same error and reports it.
      return false;
    }
  }

  lastError(): string {
    return this.#lastError;
  }

  #lockOf(handle: number): FileLock {
    const lock = this.#open.get(handle)?.lock;
    if (lock === undefined) throw new Error('a lock was asked for on a file that is no database');
    return lock;
  }

  #attempt(work: () => number): number {
    try {
      return work();
    } catch (error) {
      this.#lastError = error instanceof Error ? error.message : String(error);
      if (error instanceof LockRefused) return Failure.refused;
      return MEANING[codeOf(error)] ?? Failure.failed;
    }
  }
}

function requireFile(path: string, stat: Stats): void {
  if (stat.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  if (!stat.isFile()) throw Object.assign(new Error(`${path} is no regular file`), { code: 'EINVAL' });
}

/** Creates the folder of a new database. Its content is ignored by git, because it does not belong to the project. */
function makeFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER_MODE });
  if (made === undefined || basename(folder) !== '.argus') return;
  writeFileSync(join(folder, '.gitignore'), '*\n', { mode: OWNER_FILE_MODE });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
