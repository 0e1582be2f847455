/**
 * Asks one program of the machine one question: a time limit, bounded output, cancellation; a missing program is an
 * answer too. No shell is used, nothing is started that the folder it asks in brings, and what the program does is no
 * error here.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { io } from './io.ts';
import { findProgram } from './programs.ts';

/** Programs that only read local files; slower ones say their own. */
const TIMEOUT_MS = 5_000;

/** Far more than any answer shows, far less than a log of years. */
const MAX_BYTES = 512 * 1024;

/** Something the program started may hold its pipes open. */
const DRAIN_MS = 200;

/** After this nobody waits for a process that was killed. */
const UNKILLABLE_MS = 2_000;

export interface AskOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  maxBytes?: number;
  /** Undefined: not handed on. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Given to the program; without it there is nothing to read. */
  stdin?: string | Buffer;
  /** `latin1` keeps bytes that are no text, as names of files may be: one letter each. */
  encoding?: 'utf8' | 'latin1';
  /** Takes the output as it comes, which is then not kept; false: that is enough of it. */
  onOutput?: (bytes: Buffer) => boolean;
  /** Run by the shell: for a command line that a person wrote. */
  shell?: boolean;
}

export interface Asked {
  stdout: string;
  /** The output was longer than what is read of one. */
  cut: boolean;
  exitCode: number | null;
  /** Why the output is not all there, as a sentence without its full stop. */
  problem: string | null;
}

type End = 'timeout' | 'enough' | 'cancelled';

/** What a program prints; rejects with CANCELLED only. */
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
      // A process that hangs in the kernel does not even die.
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
    // A program that does not read its input closes the pipe; that is its right.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin);
    child.once('error', (thrown) => {
      settle(() => resolve(nothing(notStarted(program, thrown))));
    });
    child.once('exit', (exitCode) => {
      // A process that was held up finds the timer due before what lies in the pipe: that is read in between.
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

/** By its name a program is looked for; a path is one. */
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
    // Its own group: what it starts goes with it.
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
    // It has ended by itself.
  }
}

/** What kubectl logs, five times over, before it says what is wrong. */
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

/** The beginning of an output. */
class Bounded {
  readonly #parts: Buffer[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** False when there is no room left. */
  add(bytes: Buffer): boolean {
    this.#parts.push(bytes.subarray(0, this.#room));
    this.#room = Math.max(0, this.#room - bytes.length);
    return this.#room > 0;
  }

  text(encoding: BufferEncoding = 'utf8'): string {
    return Buffer.concat(this.#parts).toString(encoding);
  }
}
