/**
 * Runs the command line, either as a function in this process with its own streams, environment and signals, or as the
 * built program.
 */

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from '../../packages/mcp/src/cli/main.ts';
import { type ProgramIo, withIo } from '../../packages/mcp/src/system/io.ts';
import { createEnvironment, createProject, PROGRAM_PATH } from './harness.ts';

export interface Invocation {
  input?: string | Buffer;
  env?: Record<string, string>;
  cwd?: string;
  /** Returns the current time in milliseconds since the epoch. */
  now?: () => number;
  isImpatient?: boolean;
  /** True if a person reads the output and answers at a terminal. */
  isTerminal?: boolean;
}

export interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** A command line that is running. */
export interface RunningCommand {
  readonly done: Promise<CommandResult>;
  readonly stdin: PassThrough;
  /** Returns the output so far. */
  printed(): Omit<CommandResult, 'status'>;
  /** Resolves when the text of the stream, stdout by default, matches. Rejects if the command ends first. */
  prints(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpMatchArray>;
  signal(name: NodeJS.Signals): void;
}

/** Runs a command line until it ends. */
export function argus(args: readonly string[], invocation: Invocation = {}): Promise<CommandResult> {
  const running = startArgus(args, { ...invocation, input: invocation.input ?? '' });
  return running.done;
}

/** Starts a command line. Without `input`, its stdin stays open. */
export function startArgus(args: readonly string[], invocation: Invocation = {}): RunningCommand {
  const own = new TestIo(invocation);
  const isAlone = args.length === 0 && invocation.isTerminal === true;
  const running = withIo(own, () => (isAlone ? showOverview() : main([process.execPath, PROGRAM_PATH, ...args])));
  const ended = Promise.race([running, own.exited]).catch((thrown: unknown) => {
    // The command's call of `exit` throws `ProgramExit`, so `ProgramExit` is not an error.
    if (!(thrown instanceof ProgramExit)) throw thrown;
  });
  const done = ended.then(() => ({ status: own.exitCode ?? 0, ...own.printed() }));
  return {
    done,
    stdin: own.input,
    printed: () => own.printed(),
    prints: (pattern, stream = 'stdout') => own.prints(pattern, stream, done),
    signal: (name) => own.signal(name),
  };
}

/**
 * Runs the built program, for tests of pipes, signals, exit codes and leftovers. Other tests use `argus`, which is
 * faster.
 */
export function argusProcess(
  args: readonly string[],
  { input, env, cwd = createProject() }: Invocation = {},
): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM_PATH, ...args], {
    encoding: 'utf8',
    env: createEnvironment(env),
    cwd,
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  return { status: status ?? -1, stdout, stderr };
}

/** A running process of the built program. */
export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves with the exit code and the signal after all processes have closed the pipes. */
  readonly ended: Promise<unknown[]>;
  /** Returns the end of the output so far. */
  printed(): Omit<CommandResult, 'status'>;
  /** Resolves when the text of the stream, stdout by default, matches, or when the program has ended. */
  prints(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<void>;
}

/** Only the end of the output is kept, because a command may print more than fits into a string. */
const MAX_PRINTED_CHARACTERS = 100_000;

/** Starts the built program, which receives signals and ends with the test. */
export function startProgram(
  args: readonly string[],
  { env, cwd = createProject() }: Omit<Invocation, 'input'> = {},
): RunningProgram {
  const child = spawn(process.execPath, [PROGRAM_PATH, ...args], { env: createEnvironment(env), cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] = (printed[name] + text).slice(-MAX_PRINTED_CHARACTERS);
    });
  }
  return {
    child,
    ended,
    printed: () => ({ ...printed }),
    prints: async (pattern, stream = 'stdout') => {
      const found = new Promise<void>((resolve) => {
        const look = () => pattern.test(printed[stream]) && resolve();
        child[stream].on('data', look);
        look();
      });
      await Promise.race([found, ended]);
    },
  };
}

async function showOverview(): Promise<void> {
  await (await import('../../packages/mcp/src/cli/overview.ts')).printOverview();
}

class ProgramExit extends Error {}

class TestIo implements ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly input = new PassThrough();
  readonly stdin: Readable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly isInteractive: boolean;
  readonly program = PROGRAM_PATH;
  readonly isImpatient: boolean;
  readonly now: () => number;
  readonly exited: Promise<void>;
  exitCode: number | undefined;
  readonly #cwd: string;
  readonly #printed = { stdout: '', stderr: '' };
  readonly #listeners = new Map<NodeJS.Signals, (() => void)[]>();
  #exit: () => void = () => {};

  constructor({
    input,
    env,
    cwd = createProject(),
    now = Date.now,
    isImpatient = false,
    isTerminal = false,
  }: Invocation) {
    this.isImpatient = isImpatient;
    this.isInteractive = isTerminal;
    this.env = createEnvironment(env);
    this.#cwd = cwd;
    this.now = now;
    this.stdin = input === undefined ? this.input : Readable.from(input === '' ? [] : [Buffer.from(input)]);
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    if (isTerminal) for (const stream of [this.stdin, this.stdout, this.stderr]) Object.assign(stream, { isTTY: true });
    for (const name of ['stdout', 'stderr'] as const) {
      this[name].setEncoding('utf8').on('data', (text: string) => {
        this.#printed[name] += text;
      });
    }
  }

  cwd(): string {
    return this.#cwd;
  }

  exit(code: number): never {
    this.exitCode = code;
    this.#exit();
    throw new ProgramExit(`exit code ${code}`);
  }

  onceSignal(signal: NodeJS.Signals, listener: () => void): void {
    this.#listeners.set(signal, [...(this.#listeners.get(signal) ?? []), listener]);
  }

  signal(name: NodeJS.Signals): void {
    const listeners = this.#listeners.get(name) ?? [];
    this.#listeners.delete(name);
    for (const listener of listeners) withIo(this, listener);
  }

  printed(): Omit<CommandResult, 'status'> {
    return { ...this.#printed };
  }

  async prints(pattern: RegExp, stream: 'stdout' | 'stderr', done: Promise<CommandResult>): Promise<RegExpMatchArray> {
    const found = new Promise<RegExpMatchArray>((resolve) => {
      const look = () => {
        const match = this.#printed[stream].match(pattern);
        if (match === null) return;
        this[stream].off('data', look);
        resolve(match);
      };
      this[stream].on('data', look);
      look();
    });
    const early = done.then(({ status, stdout, stderr }) => {
      throw new Error(`ended with ${status} before it printed ${pattern}: ${stdout}${stderr}`);
    });
    return Promise.race([found, early]);
  }
}
