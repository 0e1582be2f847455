/**
 * Detects that a running command waits for an answer: its output is silent and a process reads its input. On systems
 * that do not show reads, a longer silence after a line like a prompt counts, and the result is marked as unproven.
 */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from '../../system/files/or-empty.ts';
import { visible } from '../../text/untrusted.ts';

/** Longer than a program usually pauses between two questions. */
const QUIET_MS = 3_000;
const QUIET_UNPROVEN_MS = 10_000;
const POLL_MS = 500;
/** Only the last lines of an output can be a prompt. */
const TAIL_CHARACTERS = 2_000;

/**
 * `prompt`: the last visible line. `reader`: the program that waits in a read, or null if that is unproven. `because`:
 * an explanation for people.
 */
export type PendingPrompt = { prompt: string; reader: string | null; because: string };

export class PromptWatch {
  readonly #timer: NodeJS.Timeout;
  #tail = '';
  #lastOutput = performance.now();
  #isTold = false;

  /** `pid` is the first process of the command. `onPrompt` is called once for each question. */
  constructor(
    pid: number,
    onPrompt: (pending: PendingPrompt) => void,
    quietMs = QUIET_MS,
    platform = process.platform,
  ) {
    // `pipe:[4711]`, the standard input of every process of the command.
    const input = platform === 'linux' ? link(`/proc/${pid}/fd/0`) : '';
    const look = () => {
      const quiet = performance.now() - this.#lastOutput;
      if (this.#isTold || quiet < quietMs) return;
      const reader = input === '' ? null : readerOf(input);
      if (reader === null && (quiet < QUIET_UNPROVEN_MS || !looksLikePrompt(this.#tail))) return;
      this.#isTold = true;
      const why = reader ? `and ${reader} waits for its standard input` : 'since something that looks like a question';
      const because = `it has printed nothing for ${Math.round(quiet / 1_000)} s ${why}`;
      onPrompt({ prompt: lastLine(this.#tail), reader, because });
    };
    this.#timer = setInterval(look, POLL_MS).unref();
  }

  /** Call this with each piece of output. */
  output(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
    this.#lastOutput = performance.now();
    this.#isTold = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

export function lastLine(output: string): string {
  const lines = visible(output.slice(-TAIL_CHARACTERS).replaceAll(/\r(?!\n)/gu, '\n')).split('\n');
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim();
}

/** An unfinished line that ends like a question, or a line that asks for yes or no. */
export function looksLikePrompt(output: string): boolean {
  const last = lastLine(output);
  if (last === '' || last.length > 200) return false;
  if (/[[(]\s*(?:y(?:es)?\s*\/\s*no?|yes\/no[^\])]*)\s*[\])]\s*[:?]?$/iu.test(last)) return true;
  const isUnfinished = !/\n\s*$/u.test(output);
  return isUnfinished && /(?:[?:>]|[\])][:>]?|\b(?:password|passphrase|continue|proceed|enter|yes\/no))$/iu.test(last);
}

/** The program that waits to read the input. The system shows only the number of a system call. */
function readerOf(input: string): string | null {
  const read = process.arch === 'arm64' ? '63' : '0';
  const reader = namesOrEmpty('/proc').find((pid) => {
    const [call, descriptor = ''] = /^\d+$/u.test(pid) ? textOrEmpty(`/proc/${pid}/syscall`).split(' ') : [];
    return call === read && link(`/proc/${pid}/fd/${Number.parseInt(descriptor, 16)}`) === input;
  });
  return reader === undefined ? null : link(`/proc/${reader}/exe`).split('/').at(-1) || 'a program';
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
