/**
 * Runs a command in a separate process group, passes on its output, and ends the whole group on a timeout or when the
 * caller cancels. plan.ts chooses the command and the place of its report.
 */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { io } from '../system/io.ts';
import { findProgram } from '../system/programs.ts';

/** Length of the kept output. If there is no report, the error is searched in this output. */
const TAIL_CHARACTERS = 64 * 1024;

/** Time between the first signal and SIGKILL. */
const GRACE_MS = 3_000;

/** A pipe holds less when a command ends. Further output comes from a process that it left behind. */
const MAX_LEFT_BYTES = 1024 * 1024;

/** A background process can keep the pipes open after the command has ended. */
const DRAIN_MS = 500;

export interface Execution {
  command: string;
  cwd: string;
  env: Record<string, string | undefined>;
  timeoutMs: number;
  /** Maximum time without output in milliseconds. Undefined: unlimited. */
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Sends SIGINT as Ctrl-C does, so that a test runner can still write its report. */
  interrupt?: AbortSignal | undefined;
  /** Program to start instead of the system's shell. `command` is then only for display. */
  program?: Program | undefined;
  /** Text for stdin, which is closed after it. Default: empty. `open`: stdin stays open without data. */
  input?: string | { open: true } | undefined;
  /** Ends the command with SIGTERM, as a timeout does. */
  stop?: AbortSignal | undefined;
  /** Called once with the process id, which is also the id of the process group. */
  onStart?: ((pid: number) => void) | undefined;
  /** Called when this process must exit at once, to end processes that have left the group. */
  onKill?: (() => void) | undefined;
  /** Called with the output in order of arrival. The stream is paused until a returned promise settles. */
  onOutput?: ((text: string, stream: 'stdout' | 'stderr') => Held) | undefined;
}

/** Backpressure, so that a fast command does not fill the memory of a slow reader. */
export type Held = Promise<unknown> | undefined;

export interface Program {
  file: string;
  args: readonly string[];
}

export interface Executed {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The command exceeded its time limit or the limit without output. */
  timedOut: boolean;
  /** The command exceeded the limit without output. */
  fellSilent: boolean;
  /** The caller interrupted it. */
  interrupted: boolean;
  durationMs: number;
  startedAt: number;
}

/** Process groups that must not outlive this process. */
const running = new Map<ChildProcess, Execution>();

/** Kills all running commands when this process must exit. Returns whether there were any. */
export function killAllRunning(): boolean {
  for (const [child, { cwd, onKill }] of running) {
    killGroup(child, 'SIGKILL', cwd);
    onKill?.();
  }
  return running.size > 0;
}

/**
 * Resolves when the command has ended, with any exit code. Rejects with CANCELLED if the caller aborted `signal`, and with
 * COMMAND_FAILED if the system could not start the command.
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

/** Keeps the end of a text that arrives in pieces. */
export class Tail {
  #text = '';

  add(piece: string): void {
    this.#text += piece;
    // Each cut copies the text, so cut rarely.
    if (this.#text.length > TAIL_CHARACTERS * 2) this.#text = this.#text.slice(-TAIL_CHARACTERS);
  }

  get text(): string {
    return this.#text.slice(-TAIL_CHARACTERS).toWellFormed();
  }

  /** The last line that is not blank. */
  get lastLine(): string {
    return this.#text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}

function start(execution: Execution): ChildProcess {
  const child = spawned(execution);
  if (child.pid !== undefined) execution.onStart?.(child.pid);
  // Ignored: a command does not have to read its input.
  child.stdin?.on('error', () => {});
  if (typeof execution.input === 'string') child.stdin?.end(execution.input);
  for (const stream of ['stdout', 'stderr'] as const) readOutput(child, stream, execution);
  return child;
}

/** After the command has ended, backpressure is ignored, because at most the content of a pipe is left. */
function readOutput(child: ChildProcess, name: 'stdout' | 'stderr', { onOutput }: Execution): void {
  const stream = child[name];
  // Missing if the system has no file descriptors left. An error event follows.
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

/** Some errors of the system are thrown here, others are emitted as events. */
function spawned(execution: Execution): ChildProcess {
  const { command, cwd, env, input, program } = execution;
  const options: SpawnOptions = {
    cwd,
    env,
    // A process group, so that a signal reaches all of it. Windows has none, so taskkill ends the process tree there.
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

/** The system's own message always names the shell. */
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
      const leave = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, killedBy });
      };
      // After a blocked event loop, the timer runs before the pipe is read. `setImmediate` runs after that read.
      const drained = setTimeout(() => setImmediate(leave), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        resolve({ code, killedBy });
      });
    });
  });
}

/** Calls `onSilence` if the command prints nothing for `idleMs`. */
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

/** Ends a command before it ends itself, and keeps the reason. */
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

  /** Kills the rest of the group after its leader has exited. */
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
    // The group has already ended.
  }
}

function cancelled(): ArgusError {
  return new ArgusError('CANCELLED', 'The run was cancelled and its processes were ended; nothing was recorded.');
}
