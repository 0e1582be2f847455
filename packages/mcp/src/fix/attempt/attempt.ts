/**
 * Runs an attempt: the command in its own process group, with a log of its output and a time limit. No process keeps
 * running after a failure. The rules (crates/core/src/fix_loop) judge the result.
 */

import { constants } from 'node:os';
import { getErrorMessage } from '../../errors.ts';
import { type Backpressure, type Execution, execute, OutputTail, type ProgramStart } from '../../run/execute.ts';
import {
  cleanUpProcesses,
  createRunMarkVariable,
  endMarkedProcesses,
  killMarkedProcesses,
  type LeftoverProcess,
  MAY_STILL_RUN_WARNING,
} from '../../run/processes.ts';
import type { ReportListener } from '../../run/reports/report-listener.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { looksLikePrompt, type PendingPrompt, PromptWatch } from '../inputs/prompt-watch.ts';
import { LogFile, type Redactor } from './log-file.ts';

/** Exit code of the program `timeout`, which the contract uses too. */
const TIMEOUT_EXIT_CODE = 124;

/** If a signal ended a command, a shell returns this number plus the number of the signal. */
const SIGNAL_EXIT_CODE_OFFSET = 128;

/** The beginning of an output is kept as well as the end, because builds print the first error first. */
const HEAD_CHARACTERS = 32 * 1024;

/** A command and how to run it. */
export interface AttemptRequest {
  command: string;
  cwd: string;
  timeoutSeconds: number;
  logPath: string;
  /** A mark in the environment of every process that the attempt starts, to find these processes later. */
  mark: string;
  redact: Redactor;
  env?: Readonly<Record<string, string>> | undefined;
  /** Collects the cases of the run. */
  listener?: Pick<ReportListener, 'env' | 'add'> | undefined;
  /** Standard input of the command. If undefined, stdin is empty. */
  input?: string | undefined;
  /**
   * If true and there is no input, the command is stopped when it waits for an answer, so that the prompt can be
   * reported.
   */
  mayAsk?: boolean | undefined;
  /** A program to run instead of the shell, such as `expect`. */
  program?: ProgramStart | undefined;
  signal?: AbortSignal | undefined;
  /** Receives the output. If it returns a promise, no more output is read until the promise resolves. */
  onOutput?: ((text: string) => Backpressure) | undefined;
}

export interface AttemptResult {
  /** Exit code of the shell, or 124 after a timeout. */
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  /** The prompt at which the command was stopped. Null if it was not stopped at a prompt. */
  prompt: string | null;
  durationSeconds: number;
  startedAt: number;
  /** Beginning and end of the output. May still contain secrets. */
  text: string;
  /**
   * Processes that the command left behind. After a success they still run. After a failure they were ended, and the
   * list has those that could not be ended.
   */
  left: LeftoverProcess[];
  notes: string[];
}

/**
 * Runs a command and resolves when it ends in any way. Rejects with CANCELLED, or with COMMAND_FAILED if the command
 * could not be started.
 */
export async function runAttempt(request: AttemptRequest): Promise<AttemptResult> {
  const log = new LogFile(request.logPath, request.redact);
  const collected = new HeadAndTail();
  const watch = new PromptStopper();
  try {
    const executed = await execute(createExecution(request, log, collected, watch));
    const { timedOut, signal } = executed;
    const exitCode = toExitCode(executed.exitCode, signal, timedOut);
    const { left, notes } = await cleanUpProcesses(request.mark, exitCode === 0);
    return {
      exitCode,
      signal,
      timedOut,
      prompt: watch.stoppedAt,
      durationSeconds: executed.durationMs / 1_000,
      startedAt: executed.startedAt,
      text: collected.text,
      left,
      notes: [...log.end(), ...watch.notes(timedOut), ...notes, ...(timedOut ? [MAY_STILL_RUN_WARNING] : [])],
    };
  } catch (thrown) {
    log.add(`\n[argus: ${getErrorMessage(thrown)}]\n`);
    log.end();
    await endMarkedProcesses(request.mark);
    throw thrown;
  } finally {
    watch.end();
  }
}

function createExecution(
  request: AttemptRequest,
  log: LogFile,
  collected: HeadAndTail,
  watch: PromptStopper,
): Execution {
  const { command, cwd, timeoutSeconds, mark, env, listener, input, mayAsk, signal, onOutput } = request;
  return {
    command,
    cwd,
    env: { ...io().env, ...listener?.env, ...env, ...createRunMarkVariable(mark) },
    timeoutMs: timeoutSeconds * 1_000,
    program: request.program ?? createShellProgram(command, cwd),
    input: input ?? (mayAsk ? { open: true } : undefined),
    signal,
    stop: watch.stop,
    onStart: (pid) => {
      if (input === undefined && mayAsk) watch.begin(pid);
    },
    onKill: () => killMarkedProcesses(mark),
    onOutput(raw) {
      const text = listener?.add(raw) ?? raw;
      if (text === '') return undefined;
      log.add(text);
      collected.add(text);
      watch.addOutput(text);
      return onOutput?.(text);
    },
  };
}

/**
 * Returns a program that sends stdout and stderr to the same pipe, so that the log keeps the order of the output.
 * Returns undefined if the default shell must be used.
 */
function createShellProgram(command: string, cwd: string): ProgramStart | undefined {
  if (process.platform === 'win32' || command.includes('\0')) return undefined;
  // The contract requires bash, but a machine may not have it.
  const bash = findProgram('bash', cwd);
  // Pipes of Node are sockets. Without --norc, bash would assume a network connection and read ~/.bashrc.
  const preferred = bash === undefined ? ['/bin/sh'] : [bash, '--norc'];
  return { file: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', ...preferred, '-c', command] };
}

function toExitCode(code: number | null, signal: NodeJS.Signals | null, timedOut: boolean): number {
  if (timedOut) return TIMEOUT_EXIT_CODE;
  if (signal !== null) return SIGNAL_EXIT_CODE_OFFSET + constants.signals[signal];
  return code ?? 1;
}

/** If stdin is not a terminal, `read` in these shells prints no prompt. */
const SHELL_PROGRAMS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/**
 * Stops a command that waits at a prompt: the command prints nothing and reads its input, and its last output looks
 * like a prompt.
 */
class PromptStopper {
  readonly #stop = new AbortController();
  #watch: PromptWatch | undefined;
  #tail = '';
  #pending: PendingPrompt | undefined;

  begin(pid: number): void {
    this.#watch = new PromptWatch(pid, (pending) => {
      this.#pending = pending;
      // A program that only forwards its input reads all the time, but a shell reads only at a prompt.
      const isAtPrompt = looksLikePrompt(this.#tail) || SHELL_PROGRAMS.has(pending.reader ?? '');
      if (pending.reader !== null && isAtPrompt) this.#stop.abort();
    });
  }

  addOutput(text: string): void {
    this.#pending = undefined;
    this.#tail = (this.#tail + text).slice(-MAX_TAIL_CHARACTERS);
    this.#watch?.addOutput(text);
  }

  end(): void {
    this.#watch?.stop();
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** The prompt at which the command was stopped. Null if the command was not stopped. */
  get stoppedAt(): string | null {
    return this.stop.aborted ? (this.#pending?.prompt ?? '') : null;
  }

  notes(timedOut: boolean): string[] {
    const { prompt, because } = this.#pending ?? { prompt: '', because: '' };
    const question = prompt === '' ? 'a prompt that it did not print' : `the prompt ${JSON.stringify(prompt)}`;
    if (this.stop.aborted) return [`Stopped at ${question}: ${because}.`];
    return timedOut && because !== '' ? [`The command may have waited for input: ${because}.`] : [];
  }
}

/** Long enough for the last line. */
const MAX_TAIL_CHARACTERS = 2_000;

/** Keeps the beginning and the end of a text that arrives in pieces. */
class HeadAndTail {
  readonly #tail = new OutputTail();
  #head = '';
  #length = 0;

  add(piece: string): void {
    const room = HEAD_CHARACTERS - this.#head.length;
    if (room > 0) this.#head += piece.slice(0, room);
    const rest = room > 0 ? piece.slice(room) : piece;
    if (rest !== '') this.#tail.add(rest);
    this.#length += piece.length;
  }

  get text(): string {
    const tail = this.#tail.text;
    const missing = this.#length - this.#head.length - tail.length;
    if (missing <= 0) return this.#head + tail;
    return `${this.#head.toWellFormed()}\n[… ${missing} characters are left out …]\n${tail}`;
  }
}
