/**
 * Runs a command in a separate process group, passes on its output, and ends the whole group on a timeout or when the
 * caller cancels. plan.ts chooses the command and its report file.
 */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { io } from '../system/io.ts';
import { killProcessGroup, waitForExit } from '../system/programs.ts';

/** Maximum length of the kept end of the output. Without a report, the error is searched there. */
const MAX_TAIL_CHARACTERS = 64 * 1024;

/** Time between the first signal and SIGKILL. */
const KILL_DELAY_MS = 3_000;

/**
 * Maximum number of bytes that are read after the command has exited. The pipes hold less than this at that time, so
 * further output comes from a process that the command left behind.
 */
const MAX_BYTES_AFTER_EXIT = 1024 * 1024;

/** Maximum time to read the pipes after the command has ended, because a background process can keep them open. */
const MAX_DRAIN_MS = 500;

export interface Execution {
  command: string;
  cwd: string;
  env: Record<string, string | undefined>;
  timeoutMs: number;
  /** Maximum time without output, in milliseconds. Undefined means no limit. */
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** If it is aborted, the command gets SIGINT, as after Ctrl-C. A test runner can then still write its report. */
  interrupt?: AbortSignal | undefined;
  /** Program to start instead of the system's shell. `command` is then only for display. */
  program?: ProgramStart | undefined;
  /**
   * Text for stdin, which is then closed. The default is an empty stdin. With `open`, stdin stays open without data.
   */
  input?: string | { open: true } | undefined;
  /** If it is aborted, the command gets SIGTERM, as after a timeout. */
  stop?: AbortSignal | undefined;
  /** Called once with the process id, which is also the id of the process group. */
  onStart?: ((pid: number) => void) | undefined;
  /** Called when this process must exit immediately, to end processes that have left the group. */
  onKill?: (() => void) | undefined;
  /**
   * Called with each piece of output in the order of arrival. The stream is paused until a returned promise settles.
   */
  onOutput?: ((text: string, stream: 'stdout' | 'stderr') => Backpressure) | undefined;
}

/** A promise pauses the stream, so that a fast command does not fill the memory of a slow reader. */
export type Backpressure = Promise<unknown> | undefined;

export interface ProgramStart {
  file: string;
  args: readonly string[];
}

export interface ExecutionResult {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The command was stopped after `timeoutMs`, or after `idleMs` without output. */
  timedOut: boolean;
  /** The command was stopped after `idleMs` without output. */
  idleTimedOut: boolean;
  /** The caller interrupted the command. */
  interrupted: boolean;
  durationMs: number;
  startedAt: number;
}

/** Process groups that must not outlive this process. */
const runningCommands = new Map<ChildProcess, Execution>();

/** Kills all running commands when this process must exit. Returns true if a command was running. */
export function killRunningCommands(): boolean {
  for (const [child, { cwd, onKill }] of runningCommands) {
    killProcessGroup(child, 'SIGKILL', cwd);
    onKill?.();
  }
  return runningCommands.size > 0;
}

/**
 * Resolves when the command has ended, with any exit code. Rejects with CANCELLED if the caller aborted `signal`, and
 * with COMMAND_FAILED if the system could not start the command.
 */
export async function execute(execution: Execution): Promise<ExecutionResult> {
  const { signal, interrupt, stop } = execution;
  if (signal?.aborted || interrupt?.aborted) throw createCancelError();
  const startedAt = io().now();
  const startTime = process.hrtime.bigint();
  const idleTimer = new IdleTimer(execution.idleMs, () => stopper.stop('silence'));
  const child = startProcess({ ...execution, onOutput: idleTimer.watchOutput(execution.onOutput) });
  runningCommands.set(child, execution);
  const stopper = new CommandStopper(child, execution.cwd);
  const timer = setTimeout(() => stopper.stop('timeout'), execution.timeoutMs);
  const onAbort = () => stopper.stop('cancel');
  const onInterrupt = () => stopper.stop('interrupt', 'SIGINT');
  const onStop = () => stopper.stop('stop');
  signal?.addEventListener('abort', onAbort, { once: true });
  interrupt?.addEventListener('abort', onInterrupt, { once: true });
  stop?.addEventListener('abort', onStop, { once: true });
  try {
    const { code, killedBy } = await waitForExit(child, MAX_DRAIN_MS).catch((thrown) => {
      throw createStartError(thrown, execution);
    });
    if (stopper.reason === 'cancel') throw createCancelError();
    const durationMs = Number((process.hrtime.bigint() - startTime) / 1_000_000n);
    const idleTimedOut = stopper.reason === 'silence';
    const timedOut = idleTimedOut || stopper.reason === 'timeout';
    const interrupted = stopper.reason === 'interrupt';
    return { exitCode: code, signal: killedBy, timedOut, idleTimedOut, interrupted, durationMs, startedAt };
  } finally {
    clearTimeout(timer);
    idleTimer.stop();
    stopper.finish();
    signal?.removeEventListener('abort', onAbort);
    interrupt?.removeEventListener('abort', onInterrupt);
    stop?.removeEventListener('abort', onStop);
    runningCommands.delete(child);
  }
}

/** Keeps the end of a text that arrives in chunks. */
export class OutputTail {
  #text = '';

  add(piece: string): void {
    this.#text += piece;
    // Cut rarely, because each cut copies the text.
    if (this.#text.length > MAX_TAIL_CHARACTERS * 2) this.#text = this.#text.slice(-MAX_TAIL_CHARACTERS);
  }

  get text(): string {
    return this.#text.slice(-MAX_TAIL_CHARACTERS).toWellFormed();
  }

  /** The last line that is not blank. */
  get lastLine(): string {
    return this.#text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}

function startProcess(execution: Execution): ChildProcess {
  const child = spawnProcess(execution);
  if (child.pid !== undefined) execution.onStart?.(child.pid);
  // Ignored: a command does not have to read its input.
  child.stdin?.on('error', () => {});
  if (typeof execution.input === 'string') child.stdin?.end(execution.input);
  for (const stream of ['stdout', 'stderr'] as const) readOutput(child, stream, execution);
  return child;
}

/**
 * Reads a stream of the command. After the command has ended, backpressure is ignored, because at most the content of a
 * pipe is left.
 */
function readOutput(child: ChildProcess, name: 'stdout' | 'stderr', { onOutput }: Execution): void {
  const stream = child[name];
  // The stream is missing if the system has no file descriptors left. An error event follows.
  if (!stream) return;
  const decoder = new StringDecoder('utf8');
  let bytesLeft = Number.POSITIVE_INFINITY;
  stream.on('data', (bytes: Buffer) => {
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) return;
    const pending = onOutput?.(decoder.write(bytes), name);
    if (pending === undefined || Number.isFinite(bytesLeft)) return;
    stream.pause();
    const resume = () => stream.resume();
    pending.then(resume, resume);
  });
  stream.on('end', () => void onOutput?.(decoder.end(), name));
  child.once('exit', () => {
    bytesLeft = MAX_BYTES_AFTER_EXIT;
    stream.resume();
  });
}

/** Spawns the process. The system throws some errors here, and emits others as events. */
function spawnProcess(execution: Execution): ChildProcess {
  const { command, cwd, env, input, program } = execution;
  const options: SpawnOptions = {
    cwd,
    env,
    // A process group lets a signal reach all its processes. Windows has no process groups, so taskkill ends the
    // process tree there.
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  };
  try {
    return program ? spawn(program.file, program.args, options) : spawn(command, { ...options, shell: true });
  } catch (thrown) {
    throw createStartError(thrown, execution);
  }
}

function createStartError(cause: unknown, execution: Execution): ArgusError {
  return new ArgusError('COMMAND_FAILED', `The command could not be started: ${explainStartError(cause, execution)}`, {
    cause,
  });
}

/** Replaces the message of the system in some cases, because it always names the shell. */
function explainStartError(cause: unknown, { command, cwd }: Execution): string {
  if (command.includes('\0')) return 'it contains a NUL character. Remove the character.';
  if (getSystemCode(cause) === 'E2BIG')
    return 'it is too long for the system. Put it into a script and pass the script.';
  if (!existsSync(cwd))
    return `the directory ${cwd} does not exist any more. Call argus_init with the project's new path.`;
  return `${getErrorMessage(cause)}. Check that the system's shell works, then call again.`;
}

/** Calls `onSilence` if the command prints nothing for `idleMs`. */
class IdleTimer {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number | undefined, onSilence: () => void) {
    if (idleMs !== undefined) this.#timer = setTimeout(onSilence, idleMs);
  }

  watchOutput(onOutput: Execution['onOutput']): Execution['onOutput'] {
    return (text, stream) => {
      this.#timer?.refresh();
      return onOutput?.(text, stream);
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

type StopReason = 'timeout' | 'silence' | 'cancel' | 'interrupt' | 'stop';

/** Stops a command before it ends itself, and keeps the reason. */
class CommandStopper {
  reason: StopReason | undefined;
  readonly #child: ChildProcess;
  readonly #cwd: string;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, cwd: string) {
    this.#child = child;
    this.#cwd = cwd;
  }

  stop(reason: StopReason, firstSignal: NodeJS.Signals = 'SIGTERM'): void {
    this.reason ??= reason;
    this.#kill(firstSignal);
    this.#killTimer ??= setTimeout(() => this.#kill('SIGKILL'), KILL_DELAY_MS);
  }

  /** Kills the rest of the group after its leader has exited. */
  finish(): void {
    clearTimeout(this.#killTimer);
    if (this.reason) this.#kill('SIGKILL');
  }

  #kill(signal: NodeJS.Signals): void {
    killProcessGroup(this.#child, signal, this.#cwd);
  }
}

function createCancelError(): ArgusError {
  return new ArgusError('CANCELLED', 'The run was cancelled and its processes were stopped; nothing was recorded.');
}
