/// <reference path="./web-assembly.d.ts" />
/**
 * What the engine needs of the platform it runs on: a compiled module, and files.
 */

/** Says something for the log; one line. */
export type Log = (line: string) => void;

/** Answers of file functions that are no success. The engine knows them by number (crates/wasm/src/files.rs). */
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

/** SQLite's levels of a lock on a database file. */
export const LockLevel = { none: 0, shared: 1, reserved: 2, pending: 3, exclusive: 4 } as const;
export type LockLevel = (typeof LockLevel)[keyof typeof LockLevel];

/** How a file is opened; the numbers are the engine's. */
export const OpenMode = { read: 0, readWrite: 1, create: 2, createNew: 3 } as const;
export type OpenMode = (typeof OpenMode)[keyof typeof OpenMode];

/**
 * File functions, called by the engine in the middle of its work. None may throw: a negative number is a `Failure`.
 * Buffers are views of the engine's memory and are valid only during the call.
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
  /** 1: somebody has reserved the file for writing; 0: nobody. */
  reserved(handle: number): number;
  /** Whether the path that was opened leads to another file by now, or to none. */
  moved(handle: number): boolean;
  remove(path: string): number;
  syncFolder(path: string): number;
  access(path: string, write: boolean): boolean;
  /** Undefined when the path cannot be resolved. */
  fullPath(path: string): string | undefined;
  sleep(milliseconds: number): void;
  /** What the last failure was, for people. */
  lastError(): string;
  /** Takes the words of a panic, just before the call traps. Set by the engine. */
  panicked: (message: string) => void;
  /** Closes what an instance that is gone had open, and so frees its locks. */
  closeAll(): void;
}

/** Where calls that write one database wait for one another, whatever process they are in. */
export interface WriteQueue {
  /** Runs `work` when its turn has come, or when that was waited for in vain: then `work` hardly waits for locks. */
  inTurn<T>(work: () => T): Promise<T>;
  /** Takes no more work; resolves when all is done. */
  close(): Promise<void>;
}

/** One platform. */
export interface Platform {
  readonly files: HostFiles;
  /** The engine's bytes, or compiled; asked for once, at first use. */
  load(): Uint8Array | WebAssembly.Module;
  /** Where lines go that belong to the call that is running. */
  log: Log | undefined;
  /** Runs `work`, which hardly waits for locks; where that cannot be had it is not there. */
  briefly?<T>(work: () => T): T;
  /** Undefined where the platform has no queue. `isImpatient`: gives up after half a second, even if the queue moves. */
  queue?(databasePath: string, isImpatient: boolean): WriteQueue | undefined;
}
