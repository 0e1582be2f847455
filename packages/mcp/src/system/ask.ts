/**
 * Runs a program and returns its output, with a time limit, bounded output and cancellation. It uses no shell unless
 * asked and never starts a program that the folder `cwd` contains. A missing program or a failure is a result, not an
 * error.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { io } from './io.ts';
import { findProgram } from './programs.ts';

/** Enough for programs that only read local files. Callers of slower programs pass their own limit. */
const TIMEOUT_MS = 5_000;

/** Far more than an answer needs, far less than a log of years. */
const MAX_BYTES = 512 * 1024;

/** A process that the program started may keep its pipes open, so reading ends after this time. */
const DRAIN_MS = 200;

/** Waiting for a killed process ends after this time. */
const UNKILLABLE_MS = 2_000;

export interface AskOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  maxBytes?: number;
  /** A variable with the value undefined is removed from the environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The program's input. Without it the program has no input. */
  stdin?: string | Buffer;
  /** `latin1` keeps bytes that are not valid UTF-8, for example in file names: one character per byte. */
  encoding?: 'utf8' | 'latin1';
  /** Receives the output as it arrives, which is then not kept. Returning false stops the program. */
  onOutput?: (bytes: Buffer) => boolean;
  /** Runs the program in the shell. Only for a command line that a person wrote. */
  shell?: boolean;
}

export interface Asked {
  stdout: string;
  /** The output was longer than `maxBytes`. */
  cut: boolean;
  exitCode: number | null;
  /** The reason why the output is incomplete, as a sentence without a period. */
  problem: string | null;
}

type End = 'timeout' | 'enough' | 'cancelled';

/** Runs a program and returns its output. Rejects only with CANCELLED. */
export async function ask(program: string, args: readonly string[], options: AskOptions): Promise<Asked> {
  if (options.signal?.aborted) throw cancelled();
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  const file = options.shell ? program : located(program, options.cwd);
  if (file === undefined) return nothing(`${program} is not installed`);
  let child: ChildProcess;
  try {
    child = start(file, args, options);
  } catch (thrown) {
    return nothing(notStarted(program, thrown));
  }
  return await new Promise<Asked>((resolve, reject) => {
    const out = new Bounded(maxBytes);
    const err = new Bounded(16 * 1024);
    let end: End | undefined;
    let unkillable: NodeJS.Timeout | undefined;
    const stop = (reason: End) => {
      end ??= reason;
      kill(child);
      // A process that hangs in the kernel does not end even after SIGKILL.
      unkillable ??= setTimeout(() => finish(null), UNKILLABLE_MS);
    };
    const onAbort = () => stop('cancelled');
    const timer = setTimeout(() => stop('timeout'), timeoutMs);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      clearTimeout(unkillable);
      options.signal?.removeEventListener('abort', onAbort);
      if (end === 'cancelled') reject(cancelled());
      else settled();
    };
    child.stdout?.on('data', (bytes: Buffer) => {
      if (end === 'enough') return;
      const wantsMore = options.onOutput === undefined ? out.add(bytes) : options.onOutput(bytes);
      if (!wantsMore) stop('enough');
    });
    child.stderr?.on('data', (bytes: Buffer) => err.add(bytes));
    // A program that does not read its input closes the pipe, which is not an error.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin);
    child.once('error', (thrown) => {
      settle(() => resolve(nothing(notStarted(program, thrown))));
    });
    child.once('exit', (exitCode) => {
      // If this process was blocked, the timer can fire before the pipe was read. `setImmediate` lets the pipe be read
      // first.
      const drained = setTimeout(() => setImmediate(() => finish(exitCode)), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        finish(exitCode);
      });
    });
    const finish = (exitCode: number | null) => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(() => {
        const problem = problemOf(program, end, exitCode, err.text(), timeoutMs);
        resolve({ stdout: out.text(options.encoding), cut: end === 'enough', exitCode, problem });
      });
    };
  });
}

/** Searches a name in the PATH and uses a path as it is. */
function located(program: string, cwd: string): string | undefined {
  return path.basename(program) === program ? findProgram(program, cwd) : program;
}

function nothing(problem: string): Asked {
  return { stdout: '', cut: false, exitCode: null, problem };
}

function start(program: string, args: readonly string[], { cwd, env, stdin, shell = false }: AskOptions): ChildProcess {
  return spawn(program, args, {
    cwd,
    shell,
    env: { ...io().env, LC_ALL: 'C', ...env },
    // A process group of its own, so that its child processes are killed with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** The prefix of kubectl's log lines, which kubectl prints several times before the actual message. */
const KLOG = /^[EWIF]\d{4} \d\d:\d\d:/u;

function problemOf(
  program: string,
  end: End | undefined,
  exitCode: number | null,
  stderr: string,
  timeoutMs: number,
): string | null {
  if (end === 'timeout') return `${program} did not answer within ${timeoutMs / 1_000} s`;
  if (end === 'enough' || exitCode === 0) return null;
  const words = stderr.split('\n').find((line) => line.trim() !== '' && !KLOG.test(line));
  return words?.trim() || `${program} ended with exit code ${exitCode ?? 'of a signal'}`;
}

function notStarted(program: string, thrown: unknown): string {
  return systemCodeOf(thrown) === 'ENOENT' ? `${program} is not installed` : `${program}: ${messageOf(thrown)}`;
}

export function cancelled(): ArgusError {
  return new ArgusError('CANCELLED', 'Gathering the context was cancelled; the programs it asked were ended.');
}

/** Keeps the beginning of an output. */
class Bounded {
  readonly #parts: Buffer[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** Returns false when the limit is reached. */
  add(bytes: Buffer): boolean {
    this.#parts.push(bytes.subarray(0, this.#room));
    this.#room = Math.max(0, this.#room - bytes.length);
    return this.#room > 0;
  }

  text(encoding: BufferEncoding = 'utf8'): string {
    return Buffer.concat(this.#parts).toString(encoding);
  }
}
