/**
 * Notices that a running command waits for somebody to type: it is silent, and a process reads its input. Where the
 * system does not show reads, a longer silence behind what looks like a prompt counts, as unproven.
 */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from '../../system/files/or-empty.ts';
import { visible } from '../../text/untrusted.ts';

/** Longer than programs think between two questions, shorter than people wait. */
const QUIET_MS = 3_000;
const QUIET_UNPROVEN_MS = 10_000;
const POLL_MS = 500;
/** Only the last lines of an output can be a prompt. */
const TAIL_CHARACTERS = 2_000;

/**
 * `prompt`: the last line, as a person sees it. `reader`: the program that the system shows waiting in a read; null where
 * that is not proven. `because`: a sentence for people.
 */
export type PendingPrompt = { prompt: string; reader: string | null; because: string };

export class PromptWatch {
  readonly #timer: NodeJS.Timeout;
  #tail = '';
  #lastOutput = performance.now();
  #isTold = false;

  /** Calls `onPrompt` once for each question of a command that began with the process `pid`. */
  constructor(
    pid: number,
    onPrompt: (pending: PendingPrompt) => void,
    quietMs = QUIET_MS,
    platform = process.platform,
  ) {
    // `pipe:[4711]`, which every process of the command has as its input.
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

  /** Call with everything that is printed. */
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

/** An unfinished line that ends like a question, or a finished one that asks for yes or no. */
export function looksLikePrompt(output: string): boolean {
  const last = lastLine(output);
  if (last === '' || last.length > 200) return false;
  if (/[[(]\s*(?:y(?:es)?\s*\/\s*no?|yes\/no[^\])]*)\s*[\])]\s*[:?]?$/iu.test(last)) return true;
  const isUnfinished = !/\n\s*$/u.test(output);
  return isUnfinished && /(?:[?:>]|[\])][:>]?|\b(?:password|passphrase|continue|proceed|enter|yes\/no))$/iu.test(last);
}

/** The program that waits to read a command's input. Of a call its number is all that the system shows. */
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
