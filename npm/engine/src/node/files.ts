/**
 * The engine's files through Node's `fs`. Functions do not throw: a negative number reports a failure, and the error
 * message is kept for `lastError`.
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
import { chooseLock, type FileLock, LockModeError } from './locks.ts';

/** Maps errno names to failures of the host interface. */
const FAILURES_BY_ERRNO: Readonly<Record<string, number>> = {
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
 * The caller has already resolved the links in the path of a database. A link in place of its journal must not be
 * followed, because a write would then change the link's target.
 */
const NO_FOLLOW_FLAG = constants.O_NOFOLLOW ?? 0;

/**
 * Without this flag, opening a named pipe waits for a writer. Windows has no named pipes in the file system and does
 * not define the flag.
 */
const NO_BLOCK_FLAG = constants.O_NONBLOCK ?? 0;

const OPEN_FLAGS: Readonly<Record<number, number>> = {
  [OpenMode.read]: constants.O_RDONLY | NO_BLOCK_FLAG,
  [OpenMode.readWrite]: constants.O_RDWR | NO_FOLLOW_FLAG,
  [OpenMode.create]: constants.O_RDWR | constants.O_CREAT | NO_FOLLOW_FLAG,
  [OpenMode.createNew]: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
};

/** Only the owner may read and write the memory. */
const OWNER_FILE_MODE = 0o600;
const OWNER_FOLDER_MODE = 0o700;

/** A transaction takes about a millisecond, so a short sleep suffices. */
const MAX_SLEEP_STEP_MS = 3;

/**
 * Maximum duration of a sleep of SQLite in a call that should not wait long. SQLite gives up after about ninety sleeps.
 */
const MAX_BRIEF_SLEEP_MS = 5;

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
  /** The lock that could not be taken. The engine sleeps next because of it. */
  #waiting: { readonly lock: FileLock; readonly level: number } | undefined;
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #lastError = '';
  #longestSleepMs = Number.POSITIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  open(path: string, mode: number, database: boolean): number {
    return this.#attempt(() => {
      if (mode === OpenMode.create && database) createDatabaseFolder(dirname(path));
      // The type is checked before opening, because opening a device may have side effects. The caller has already
      // checked databases.
      if (!database && mode === OpenMode.read) requireRegularFile(path, statSync(path));
      const fd = openSync(path, OPEN_FLAGS[mode] ?? constants.O_RDONLY, OWNER_FILE_MODE);
      try {
        const stat = fstatSync(fd);
        requireRegularFile(path, stat);
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
      // On a nearly full disk, a write may store only a part, and the next write fails.
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
      this.#lastError = lock.describeHolder();
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
    // Windows cannot sync a folder, but its file systems order directory changes themselves.
    if (process.platform === 'win32') return 0;
    return this.#attempt(() => {
      const fd = openSync(dirname(path), constants.O_RDONLY);
      try {
        fsyncSync(fd);
      } catch (error) {
        // Some file systems cannot sync a folder. SQLite's own VFS ignores this error too.
        if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'ENOTSUP') throw error;
      } finally {
        closeSync(fd);
      }
      return 0;
    });
  }

  access(path: string, write: boolean): boolean {
    // Called several times per transaction, mostly for missing files. `existsSync` is fast because it creates no error
    // object.
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
   * Sleeps until `milliseconds` have passed or this process has got the lock that it waits for. SQLite sleeps up to
   * 100 ms between two attempts. A process that writes all the time would usually have the lock again by then. This
   * function therefore tries to take the lock during the sleep and keeps it.
   */
  sleep(milliseconds: number): void {
    const wanted = Math.min(milliseconds, this.#longestSleepMs);
    const until = performance.now() + wanted;
    for (let left = wanted; left > 0; left = until - performance.now()) {
      Atomics.wait(this.#pause, 0, 0, Math.min(left, 1 + Math.random() * MAX_SLEEP_STEP_MS));
      if (this.#anticipated()) return;
    }
  }

  /** Runs `work`, which waits only half a second for a lock instead of eight. */
  briefly<T>(work: () => T): T {
    this.#longestSleepMs = MAX_BRIEF_SLEEP_MS;
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
      // Ignored, because the engine tries to lock again after the sleep and reports the error then.
      return false;
    }
  }

  lastError(): string {
    return this.#lastError;
  }

  #lockOf(handle: number): FileLock {
    const lock = this.#open.get(handle)?.lock;
    if (lock === undefined) throw new Error('only a database file can be locked');
    return lock;
  }

  #attempt(work: () => number): number {
    try {
      return work();
    } catch (error) {
      this.#lastError = error instanceof Error ? error.message : String(error);
      if (error instanceof LockModeError) return Failure.refused;
      return FAILURES_BY_ERRNO[errorCode(error)] ?? Failure.failed;
    }
  }
}

function requireRegularFile(path: string, stat: Stats): void {
  if (stat.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  if (!stat.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EINVAL' });
}

/**
 * Creates the folder of a new database. Git ignores the content of a new `.argus` folder, because the content is not
 * part of the project.
 */
function createDatabaseFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER_MODE });
  if (made === undefined || basename(folder) !== '.argus') return;
  writeFileSync(join(folder, '.gitignore'), '*\n', { mode: OWNER_FILE_MODE });
}

function errorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
