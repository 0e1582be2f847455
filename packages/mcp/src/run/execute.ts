/**
 * Runs one command in its own process group, passes on what it prints, and ends the whole group when its time is over
 * or the caller cancels. Which command, and where its report is: plan.ts.
 */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { io } from '../system/io.ts';
import { findProgram } from '../system/programs.ts';

/** What an error message is looked for in when there is no report. */
const TAIL_CHARACTERS = 64 * 1024;

/** Between the polite signal and the one that cannot be ignored. */
const GRACE_MS = 3_000;

/** More than a pipe holds when a command ends; what comes after that is of a process it left behind. */
const MAX_LEFT_BYTES = 1024 * 1024;

/** A background process may hold the pipes open after the command itself has ended. */
const DRAIN_MS = 500;

export interface Execution {
  command: string;
  cwd: string;
  env: Record<string, string | undefined>;
  timeoutMs: number;
  /** It is ended when it has printed nothing for so long; undefined: never. */
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Ends it as Ctrl-C does, so that a test runner can still write its report. */
  interrupt?: AbortSignal | undefined;
  /** The program that is started in place of the system's shell; `command` is then only what people call it. */
  program?: Program | undefined;
  /** What it reads on stdin, which is closed after it; without it stdin is empty. `open`: nothing comes, and no end. */
  input?: string | { open: true } | undefined;
  /** Ends it like a timeout, without being one. */
  stop?: AbortSignal | undefined;
  /** Called once, with the id of the process, which is that of its group. */
  onStart?: ((pid: number) => void) | undefined;
  /** Called when this process must go at once; for what has left the group. */
  onKill?: (() => void) | undefined;
  /** Called with everything printed, in order of arrival. A promise: no more of that stream is read until it is settled. */
  onOutput?: ((text: string, stream: 'stdout' | 'stderr') => Held) | undefined;
}

/** What keeps a fast command from filling the memory of a slow reader. */
export type Held = Promise<unknown> | undefined;

export interface Program {
  file: string;
  args: readonly string[];
}

export interface Executed {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Its time was over, or it had printed nothing for too long. */
  timedOut: boolean;
  /** The latter. */
  fellSilent: boolean;
  /** The caller interrupted it. */
  interrupted: boolean;
  durationMs: number;
  startedAt: number;
}

/** Process groups that must not outlive this process. */
const running = new Map<ChildProcess, Execution>();

/** Ends every command that still runs; for the moment this process is told to go. Whether there was one. */
export function killAllRunning(): boolean {
  for (const [child, { cwd, onKill }] of running) {
    killGroup(child, 'SIGKILL', cwd);
    onKill?.();
  }
  return running.size > 0;
}

/**
 * Resolves when the command has ended, however it did; rejects with CANCELLED when the caller gave up, and with
 * COMMAND_FAILED when the system would not start it.
 */
export async function execute(execution: Execution): Promise<Executed> {
  const { signal, interrupt, stop } = execution;
  if (signal?.aborted || interrupt?.aborted) throw cancelled();
  const startedAt = io().now();
  const started = process.hrtime.bigint();
  const silence = new Silence(execution.idleMs, () => end.because('silence'));
  const child = start({ ...execution, onOutput: silence.brokenBy(execution.onOutput) });
  running.set(child, execution);
  const end = new Ending(child, execution.cwd);
  const timer = setTimeout(() => end.because('timeout'), execution.timeoutMs);
  const onAbort = () => end.because('cancel');
  const onInterrupt = () => end.because('interrupt', 'SIGINT');
  const onStop = () => end.because('stop');
  signal?.addEventListener('abort', onAbort, { once: true });
  interrupt?.addEventListener('abort', onInterrupt, { once: true });
  stop?.addEventListener('abort', onStop, { once: true });
  try {
    const { code, killedBy } = await ended(child, execution);
    if (end.reason === 'cancel') throw cancelled();
    const durationMs = Number((process.hrtime.bigint() - started) / 1_000_000n);
    const fellSilent = end.reason === 'silence';
    const timedOut = fellSilent || end.reason === 'timeout';
    const interrupted = end.reason === 'interrupt';
    return { exitCode: code, signal: killedBy, timedOut, fellSilent, interrupted, durationMs, startedAt };
  } finally {
    clearTimeout(timer);
    silence.over();
    end.done();
    signal?.removeEventListener('abort', onAbort);
    interrupt?.removeEventListener('abort', onInterrupt);
    stop?.removeEventListener('abort', onStop);
    running.delete(child);
  }
}

/** Keeps the last part of a text that arrives in pieces. */
export class Tail {
  #text = '';

  add(piece: string): void {
    this.#text += piece;
    // Cut seldom: each cut copies.
    if (this.#text.length > TAIL_CHARACTERS * 2) this.#text = this.#text.slice(-TAIL_CHARACTERS);
  }

  get text(): string {
    return this.#text.slice(-TAIL_CHARACTERS).toWellFormed();
  }

  /** The last line with something on it. */
  get lastLine(): string {
    return this.#text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}

function start(execution: Execution): ChildProcess {
  const child = spawned(execution);
  if (child.pid !== undefined) execution.onStart?.(child.pid);
  // Who does not read to the end is no error of ours.
  child.stdin?.on('error', () => {});
  if (typeof execution.input === 'string') child.stdin?.end(execution.input);
  for (const stream of ['stdout', 'stderr'] as const) readOutput(child, stream, execution);
  return child;
}

/** Once the command has ended, its reader is not waited for: what is left of its output is what a pipe holds. */
function readOutput(child: ChildProcess, name: 'stdout' | 'stderr', { onOutput }: Execution): void {
  const stream = child[name];
  // None where the system had no descriptors left; the error event follows.
  if (!stream) return;
  const decoder = new StringDecoder('utf8');
  let room = Number.POSITIVE_INFINITY;
  stream.on('data', (bytes: Buffer) => {
    room -= bytes.length;
    if (room < 0) return;
    const held = onOutput?.(decoder.write(bytes), name);
    if (held === undefined || Number.isFinite(room)) return;
    stream.pause();
    const goOn = () => stream.resume();
    held.then(goOn, goOn);
  });
  stream.on('end', () => void onOutput?.(decoder.end(), name));
  child.once('exit', () => {
    room = MAX_LEFT_BYTES;
    stream.resume();
  });
}

/** Some refusals of the system come as an event, others are thrown right here. */
function spawned(execution: Execution): ChildProcess {
  const { command, cwd, env, input, program } = execution;
  const options: SpawnOptions = {
    cwd,
    env,
    // Its own group, so that one signal reaches all of it. Windows has no groups; taskkill follows the tree.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  };
  try {
    return program ? spawn(program.file, program.args, options) : spawn(command, { ...options, shell: true });
  } catch (thrown) {
    throw notStarted(thrown, execution);
  }
}

function notStarted(cause: unknown, execution: Execution): ArgusError {
  return new ArgusError('COMMAND_FAILED', `The command could not be started: ${refusal(cause, execution)}`, { cause });
}

/** The system's own words name the shell, whatever is wrong. */
function refusal(cause: unknown, { command, cwd }: Execution): string {
  if (command.includes('\0')) return 'it holds a NUL character. Pass it without.';
  if (systemCodeOf(cause) === 'E2BIG') return 'it is too long for the system. Put it into a script and pass that.';
  if (!existsSync(cwd)) return `the directory ${cwd} is gone. Call argus_init with the project's new path.`;
  return `${messageOf(cause)}. Check that the system's shell works, then call again.`;
}

interface Ended {
  code: number | null;
  killedBy: NodeJS.Signals | null;
}

function ended(child: ChildProcess, execution: Execution): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(notStarted(error, execution)));
    child.once('exit', (code, killedBy) => {
      const drained = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, killedBy });
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        resolve({ code, killedBy });
      });
    });
  });
}

/** Waits for the command to print something. */
class Silence {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number | undefined, onSilence: () => void) {
    if (idleMs !== undefined) this.#timer = setTimeout(onSilence, idleMs);
  }

  brokenBy(onOutput: Execution['onOutput']): Execution['onOutput'] {
    return (text, stream) => {
      this.#timer?.refresh();
      return onOutput?.(text, stream);
    };
  }

  over(): void {
    clearTimeout(this.#timer);
  }
}

type EndingReason = 'timeout' | 'silence' | 'cancel' | 'interrupt' | 'stop';

/** Why and how a command is ended before it ends itself. */
class Ending {
  reason: EndingReason | undefined;
  readonly #child: ChildProcess;
  readonly #cwd: string;
  #harder: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, cwd: string) {
    this.#child = child;
    this.#cwd = cwd;
  }

  because(reason: EndingReason, polite: NodeJS.Signals = 'SIGTERM'): void {
    this.reason ??= reason;
    this.#kill(polite);
    this.#harder ??= setTimeout(() => this.#kill('SIGKILL'), GRACE_MS);
  }

  /** The leader is gone; what it left behind of an ended group goes too. */
  done(): void {
    clearTimeout(this.#harder);
    if (this.reason) this.#kill('SIGKILL');
  }

  #kill(signal: NodeJS.Signals): void {
    killGroup(this.#child, signal, this.#cwd);
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals, cwd: string): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      const taskkill = findProgram('taskkill', cwd);
      if (taskkill === undefined) child.kill();
      else spawn(taskkill, ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    } else {
      process.kill(-child.pid, signal);
    }
  } catch {
    // The group has ended by itself.
  }
}

function cancelled(): ArgusError {
  return new ArgusError('CANCELLED', 'The run was cancelled and its processes were ended; nothing was recorded.');
}
