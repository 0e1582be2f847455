/**
 * What the program uses of the process that it runs in: environment, current folder, streams, clock, signals, exit code.
 * The program's own process is the default. Code that calls the program as a function passes its own to `withIo`, so that
 * calls with different environments can run side by side in one process.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';

/** A stream that text is read from; `isTTY` when a person types there. */
export type Input = Readable & { isTTY?: boolean };

/** A stream that text is written to; `columns` is the width of a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** What one call of the program may use of its surroundings. */
export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** True when a person can both read and answer. */
  readonly isInteractive: boolean;
  /** The file that starts this program. */
  readonly program: string;
  /** Waits half a second, not eight, for a database that another program has locked. Set by tests for all commands. */
  readonly isImpatient?: boolean;
  exitCode: number | undefined;
  /** The current folder. Throws when it was removed. */
  cwd(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Ends the program at once. */
  exit(code: number): never;
  /** Calls the listener at the next signal of this name. */
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

/** What the running call uses. */
export function io(): ProgramIo {
  return current.getStore() ?? processIo;
}

/** Runs `work`, and everything that it starts, with the given surroundings. */
export function withIo<T>(own: ProgramIo, work: () => T): T {
  return current.run(own, work);
}

/** The absolute path of a file that a person named from the current folder. */
export function absolutePath(file: string): string {
  return path.isAbsolute(file) ? path.resolve(file) : path.resolve(io().cwd(), file);
}

/** The user's home folder, as `os.homedir()` finds it: empty when the variable is. Throws when the account has none. */
export function homeFolderOfUser(): string {
  const { env } = io();
  const named = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  return named ?? userInfo().homedir;
}

/** The folder for temporary files, as `os.tmpdir()` finds it. */
export function temporaryRoot(): string {
  const { TMPDIR, TMP, TEMP } = io().env;
  const named = process.platform === 'win32' ? TEMP || TMP : TMPDIR || TMP || TEMP;
  return named ? path.resolve(named) : tmpdir();
}
