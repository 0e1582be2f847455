/**
 * The parts of the process that the program uses: environment, current folder, streams, clock, signals, exit code. By
 * default, they come from the real process. Code that calls the program as a function passes other values to `withIo`,
 * so that calls with different environments can run at the same time in a process.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';

/** An input stream. `isTTY` is true if a person types the input. */
export type Input = Readable & { isTTY?: boolean };

/** An output stream. `columns` is the width of a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The parts of the process that a call of the program uses. */
export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** True if a person can both read the output and answer. */
  readonly isInteractive: boolean;
  /** The file that starts this program. */
  readonly program: string;
  /** True to wait half a second instead of eight for a locked database. Tests set it for all commands. */
  readonly isImpatient?: boolean;
  exitCode: number | undefined;
  /** Returns the current folder. Throws if the folder was removed. */
  cwd(): string;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  exit(code: number): never;
  onceSignal(signal: NodeJS.Signals, listener: () => void): void;
}

const processIo: ProgramIo = {
  env: process.env,
  // Getters, because opening a standard stream takes milliseconds, and most commands do not use all streams.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get isInteractive() {
    return isatty(0) && isatty(1);
  },
  get program() {
    return process.argv[1] ?? '';
  },
  get exitCode() {
    return typeof process.exitCode === 'number' ? process.exitCode : undefined;
  },
  set exitCode(code) {
    process.exitCode = code;
  },
  cwd: () => process.cwd(),
  now: () => Date.now(),
  exit: (code) => process.exit(code),
  onceSignal: (signal, listener) => void process.once(signal, listener),
};

const currentIo = new AsyncLocalStorage<ProgramIo>();

/** Returns the parts of the process for the current call. */
export function io(): ProgramIo {
  return currentIo.getStore() ?? processIo;
}

/** Runs `work` so that `io()` returns `own` in it, and in everything that it starts. */
export function withIo<T>(own: ProgramIo, work: () => T): T {
  return currentIo.run(own, work);
}

/** Resolves a path that a person gave, relative to the current folder. */
export function toAbsolutePath(file: string): string {
  return path.isAbsolute(file) ? path.resolve(file) : path.resolve(io().cwd(), file);
}

/**
 * Returns the user's home folder as `os.homedir()` does: it is empty if the variable is empty. Throws if the account
 * has no home folder.
 */
export function getUserHomeFolder(): string {
  const { env } = io();
  const fromVariable = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  return fromVariable ?? userInfo().homedir;
}

/** Returns the folder for temporary files as `os.tmpdir()` does. */
export function getTemporaryRoot(): string {
  const { TMPDIR, TMP, TEMP } = io().env;
  const fromVariable = process.platform === 'win32' ? TEMP || TMP : TMPDIR || TMP || TEMP;
  return fromVariable ? path.resolve(fromVariable) : tmpdir();
}
