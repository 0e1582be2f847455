/**
 * The parts of the process that the program uses: environment, current folder, streams, clock, signals, exit code. The
 * default is the real process. Code that calls the program as a function passes other values to `withIo`, so that calls
 * with different environments can run at the same time in one process.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';

/** An input stream. `isTTY` is true when a person types there. */
export type Input = Readable & { isTTY?: boolean };

/** An output stream. `columns` is the width of a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The surroundings of one call of the program. */
export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** True when a person can both read and answer. */
  readonly isInteractive: boolean;
  /** The file that starts this program. */
  readonly program: string;
  /** Waits half a second instead of eight for a locked database. Tests set it for all commands. */
  readonly isImpatient?: boolean;
  exitCode: number | undefined;
  /** The current folder. Throws if it was removed. */
  cwd(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  exit(code: number): never;
  onceSignal(signal: NodeJS.Signals, listener: () => void): void;
}

const processIo: ProgramIo = {
  env: process.env,
  // Getters, because opening a standard stream costs milliseconds that most commands save.
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

const current = new AsyncLocalStorage<ProgramIo>();

/** The surroundings of the running call. */
export function io(): ProgramIo {
  return current.getStore() ?? processIo;
}

/** Runs `work`, and everything that it starts, with the given surroundings. */
export function withIo<T>(own: ProgramIo, work: () => T): T {
  return current.run(own, work);
}

/** Resolves a path that a person gave relative to the current folder. */
export function absolutePath(file: string): string {
  return path.isAbsolute(file) ? path.resolve(file) : path.resolve(io().cwd(), file);
}

/**
 * The user's home folder like `os.homedir()`: empty if the variable is empty. Throws if the account has no home folder.
 */
export function homeFolderOfUser(): string {
  const { env } = io();
  const named = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  return named ?? userInfo().homedir;
}

/** The folder for temporary files like `os.tmpdir()`. */
export function temporaryRoot(): string {
  const { TMPDIR, TMP, TEMP } = io().env;
  const named = process.platform === 'win32' ? TEMP || TMP : TMPDIR || TMP || TEMP;
  return named ? path.resolve(named) : tmpdir();
}
