/**
 * Runs an attempt: the command in a process group of its own, its output in a log, with a time limit. No process is
 * left behind. The rules (crates/core/src/fix_loop) judge the result.
 */

import { constants } from 'node:os';
import { messageOf } from '../../errors.ts';
import { type Execution, execute, type Held, type Program, Tail } from '../../run/execute.ts';
import { clearUp, endMarked, killMarked, type LeftProcess, markEntry, UNFINDABLE } from '../../run/processes.ts';
import type { Listener } from '../../run/reports/listener.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { looksLikePrompt, type PendingPrompt, PromptWatch } from '../inputs/prompt-watch.ts';
import { LogFile, type Redact } from './log-file.ts';

/** Exit code of `timeout`, which the contract uses too. */
const TIMEOUT_EXIT_CODE = 124;

/** A shell adds the signal's number to this for a command that a signal ended. */
const FIRST_SIGNAL_EXIT_CODE = 128;

/** The beginning of an output is kept as well as its end, because builds print the first error first. */
const HEAD_CHARACTERS = 32 * 1024;

/** The command and how to run it. */
export interface AttemptRequest {
  command: string;
  cwd: string;
  timeoutSeconds: number;
  logPath: string;
  /** A mark in the environment of every process that the attempt starts. */
  mark: string;
  redact: Redact;
  env?: Readonly<Record<string, string>> | undefined;
  /** Collects the cases of the run. */
  listener?: Pick<Listener, 'env' | 'add'> | undefined;
  /** Standard input of the command. Without it, stdin is empty. */
  input?: string | undefined;
  /** Without input, ends the command when it waits for an answer, so that the question can be reported. */
  mayAsk?: boolean | undefined;
  /** A program to run instead of the shell, for example `expect`. */
  program?: Program | undefined;
  signal?: AbortSignal | undefined;
  /** May return a promise. No more output is read until it resolves. */
  onOutput?: ((text: string) => Held) | undefined;
}

export interface AttemptResult {
  /** Exit code of the shell. 124 after a timeout. */
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  /** The question at which the command was ended. */
  prompt: string | null;
  durationSeconds: number;
  startedAt: number;
  /** Beginning and end of the output. Secrets are not removed yet. */
  text: string;
  /**
   * Processes that the command left. After a success they still run; otherwise they were ended, or are listed because
   * they could not be ended.
   */
  left: LeftProcess[];
  notes: string[];
}

/**
 * Resolves for every end of the command. Rejects with CANCELLED, or with COMMAND_FAILED if no command could be started.
 */
export async function runAttempt(request: AttemptRequest): Promise<AttemptResult> {
  const log = new LogFile(request.logPath, request.redact);
  const printed = new Printed();
  const watch = new QuestionWatch();
  try {
    const executed = await execute(executionOf(request, log, printed, watch));
    const { timedOut, signal } = executed;
    const exitCode = exitCodeOf(executed.exitCode, signal, timedOut);
    const { left, notes } = await clearUp(request.mark, exitCode === 0);
    return {
      exitCode,
      signal,
      timedOut,
      prompt: watch.askedAt,
      durationSeconds: executed.durationMs / 1_000,
      startedAt: executed.startedAt,
      text: printed.text,
      left,
      notes: [...log.end(), ...watch.notes(timedOut), ...notes, ...(timedOut ? [UNFINDABLE] : [])],
    };
  } catch (thrown) {
    log.add(`\n[argus: ${messageOf(thrown)}]\n`);
    log.end();
    await endMarked(request.mark);
    throw thrown;
  } finally {
    watch.end();
  }
}

function executionOf(request: AttemptRequest, log: LogFile, printed: Printed, watch: QuestionWatch): Execution {
  const { command, cwd, timeoutSeconds, mark, env, listener, input, mayAsk, signal, onOutput } = request;
  return {
    command,
    cwd,
    env: { ...io().env, ...listener?.env, ...env, ...markEntry(mark) },
    timeoutMs: timeoutSeconds * 1_000,
    program: request.program ?? shell(command, cwd),
    input: input ?? (mayAsk ? { open: true } : undefined),
    signal,
    stop: watch.stop,
    onStart: (pid) => {
      if (input === undefined && mayAsk) watch.begin(pid);
    },
    onKill: () => killMarked(mark),
    onOutput(raw) {
      const text = listener?.add(raw) ?? raw;
      if (text === '') return undefined;
      log.add(text);
      printed.add(text);
      watch.output(text);
      return onOutput?.(text);
    },
  };
}

/** Sends both streams to the same pipe, so that the log keeps the order of the output. */
function shell(command: string, cwd: string): Program | undefined {
  if (process.platform === 'win32' || command.includes('\0')) return undefined;
  // The contract names bash, but a machine may not have it.
  const bash = findProgram('bash', cwd);
  // Node's pipes are sockets. Without --norc, bash would assume a network connection and read ~/.bashrc.
  const preferred = bash === undefined ? ['/bin/sh'] : [bash, '--norc'];
  return { file: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', ...preferred, '-c', command] };
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null, timedOut: boolean): number {
  if (timedOut) return TIMEOUT_EXIT_CODE;
  if (signal !== null) return FIRST_SIGNAL_EXIT_CODE + constants.signals[signal];
  return code ?? 1;
}

/** `read` of these shells prints no prompt without a terminal. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/**
 * Ends a command at a question: the command is silent and reads its input, and its last output looks like a question.
 */
class QuestionWatch {
  readonly #stop = new AbortController();
  #watch: PromptWatch | undefined;
  #tail = '';
  #pending: PendingPrompt | undefined;

  begin(pid: number): void {
    this.#watch = new PromptWatch(pid, (pending) => {
      this.#pending = pending;
      // A program that only forwards its input reads all the time. A shell reads only at a question.
      const asks = looksLikePrompt(this.#tail) || SHELLS.has(pending.reader ?? '');
      if (pending.reader !== null && asks) this.#stop.abort();
    });
  }

  output(text: string): void {
    this.#pending = undefined;
    this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
    this.#watch?.output(text);
  }

  end(): void {
    this.#watch?.stop();
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** The question at which the command was ended. Null if it was not ended. */
  get askedAt(): string | null {
    return this.stop.aborted ? (this.#pending?.prompt ?? '') : null;
  }

  notes(timedOut: boolean): string[] {
    const { prompt, because } = this.#pending ?? { prompt: '', because: '' };
    const question = prompt === '' ? 'a question that it did not print' : `a question, ${JSON.stringify(prompt)}`;
    if (this.stop.aborted) return [`Ended at ${question}: ${because}.`];
    return timedOut && because !== '' ? [`It may have waited for an answer: ${because}.`] : [];
  }
}

/** Enough for the last line. */
const TAIL_CHARACTERS = 2_000;

/** Keeps the beginning and the end of a text that arrives in pieces. */
class Printed {
  readonly #tail = new Tail();
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
