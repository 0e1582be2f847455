/**
 * Runs one attempt: the command in a shell of its own group, its output in a log, its time limited, nothing left
 * behind. What came of it: the rules, crates/core/src/fix_loop.
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

/** What `timeout` answers, and the contract with it. */
const TIMEOUT_EXIT_CODE = 124;

/** What a shell answers for a command that a signal ended: this and the signal's number. */
const FIRST_SIGNAL_EXIT_CODE = 128;

/** The beginning of an output is kept beside its end: builds name the first error first. */
const HEAD_CHARACTERS = 32 * 1024;

/** What is run, and how. */
export interface AttemptRequest {
  command: string;
  cwd: string;
  timeoutSeconds: number;
  logPath: string;
  /** Found in the environment of everything the attempt starts. */
  mark: string;
  redact: Redact;
  env?: Readonly<Record<string, string>> | undefined;
  /** Hears the cases of what is run. */
  listener?: Pick<Listener, 'env' | 'add'> | undefined;
  /** What the command reads; without it stdin is empty. */
  input?: string | undefined;
  /** There is no input, and a question is not to go unnoticed: it is ended when it waits for an answer. */
  mayAsk?: boolean | undefined;
  /** Run in place of the shell, as `expect` is. */
  program?: Program | undefined;
  signal?: AbortSignal | undefined;
  /** A promise: no more is read until it is settled. */
  onOutput?: ((text: string) => Held) | undefined;
}

export interface AttemptResult {
  /** Of the shell; 124 where it was ended for time. */
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  /** The question it was ended at. */
  prompt: string | null;
  durationSeconds: number;
  startedAt: number;
  /** Beginning and end of what was printed; secrets are still in it. */
  text: string;
  /** Processes it left: still running after a success, ended or named after anything else. */
  left: LeftProcess[];
  notes: string[];
}

/** Resolves however the command ended; rejects with CANCELLED, or with COMMAND_FAILED where none could be started. */
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

/** Both streams in one pipe, so that the log has them in the order in which they were written. */
function shell(command: string, cwd: string): Program | undefined {
  if (process.platform === 'win32' || command.includes('\0')) return undefined;
  // The contract says bash; a machine may have none.
  const bash = findProgram('bash', cwd);
  // Node's pipes are sockets: bash would take itself for one that came over the network, and read ~/.bashrc.
  const preferred = bash === undefined ? ['/bin/sh'] : [bash, '--norc'];
  return { file: '/bin/sh', args: ['-c', 'exec "$@" 2>&1', 'sh', ...preferred, '-c', command] };
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null, timedOut: boolean): number {
  if (timedOut) return TIMEOUT_EXIT_CODE;
  if (signal !== null) return FIRST_SIGNAL_EXIT_CODE + constants.signals[signal];
  return code ?? 1;
}

/** Their `read` shows no prompt where there is no terminal. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

/** Ends a command at a question: it reads its input, is silent, and the last it printed looks like one. */
class QuestionWatch {
  readonly #stop = new AbortController();
  #watch: PromptWatch | undefined;
  #tail = '';
  #pending: PendingPrompt | undefined;

  begin(pid: number): void {
    this.#watch = new PromptWatch(pid, (pending) => {
      this.#pending = pending;
      // A program that only passes its input on reads it all the time; a shell does so at a question alone.
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

  /** The question it was ended at. */
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

/** Enough for a last line. */
const TAIL_CHARACTERS = 2_000;

/** Beginning and end of a text that arrives in pieces. */
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
