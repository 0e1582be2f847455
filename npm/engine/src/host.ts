/// <reference path="./web-assembly.d.ts" />
/** The interface to the platform: a compiled module, and files. */

/** Receives one line for the log. */
export type Log = (line: string) => void;

/** Error results of file functions. The engine has the same numbers (crates/wasm/src/files.rs). */
export const Failure = {
  notFound: -1,
  exists: -2,
  denied: -3,
  full: -4,
  isFolder: -5,
  busy: -6,
  refused: -7,
  failed: -8,
} as const;

/** SQLite's lock levels. */
export const LockLevel = { none: 0, shared: 1, reserved: 2, pending: 3, exclusive: 4 } as const;
export type LockLevel = (typeof LockLevel)[keyof typeof LockLevel];

/** How to open a file. The engine has the same numbers. */
export const OpenMode = { read: 0, readWrite: 1, create: 2, createNew: 3 } as const;
export type OpenMode = (typeof OpenMode)[keyof typeof OpenMode];

/**
 * File functions that the engine calls. They must not throw: a negative number is a `Failure`. Buffers are views of the
 * engine's memory and are valid only during the call.
 */
export interface HostFiles {
  open(path: string, mode: number, database: boolean): number;
  close(handle: number): void;
  read(handle: number, buffer: Uint8Array, offset: number): number;
  write(handle: number, bytes: Uint8Array, offset: number): number;
  truncate(handle: number, size: number): number;
  sync(handle: number): number;
  size(handle: number): number;
  lock(handle: number, level: number): number;
  unlock(handle: number, level: number): number;
  /** Returns 1 if any process has reserved the file for writing, otherwise 0. */
  reserved(handle: number): number;
  /** Returns true if the file was replaced or deleted, so that its path no longer leads to the open file. */
  moved(handle: number): boolean;
  remove(path: string): number;
  syncFolder(path: string): number;
  access(path: string, write: boolean): boolean;
  /** Returns undefined if the path cannot be resolved. */
  fullPath(path: string): string | undefined;
  sleep(milliseconds: number): void;
  /** Returns the message of the last failure. */
  lastError(): string;
  /** Receives the message of a panic just before the call traps. The engine sets this property. */
  panicked: (message: string) => void;
  /** Closes all files of a trapped instance, which releases its locks. */
  closeAll(): void;
}

/** Orders the calls that write to a database, across all processes. */
export interface WriteQueue {
  /** Runs `work` when its turn comes. If the turn does not come in time, runs `work` with short waits for locks. */
  runInTurn<T>(work: () => T): Promise<T>;
  /** Accepts no more work. Resolves when all work is done. */
  close(): Promise<void>;
}

/** A platform on which the engine runs, for example Node. */
export interface Platform {
  readonly files: HostFiles;
  /** Returns the engine as bytes or as a compiled module. Called only at first use. */
  load(): Uint8Array | WebAssembly.Module;
  /** Receives the log lines of the call that is running. */
  log: Log | undefined;
  /** Runs `work` with short waits for locks. Missing if the platform cannot do that. */
  briefly?<T>(work: () => T): T;
  /**
   * Returns the write queue of a database, or undefined if the platform has none. With `isImpatient`, a writer gives up
   * after half a second even if the queue moves.
   */
  queue?(databasePath: string, isImpatient: boolean): WriteQueue | undefined;
}
