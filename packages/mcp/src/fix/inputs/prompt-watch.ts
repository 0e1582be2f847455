/**
 * Notices that a running command waits for input: it is silent, and a process reads its input. If the system does not
 * show reads, a longer silence after a likely prompt counts as unproven.
 */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from '../../system/files/or-empty.ts';
import { visible } from '../../text/untrusted.ts';

/** Longer than programs compute between two questions, and shorter than people wait. */
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

  /** Calls `onPrompt` once for each question of the command whose first process is `pid`. */
  constructor(
    pid: number,
    onPrompt: (pending: PendingPrompt) => void,
    quietMs = QUIET_MS,
    platform = process.platform,
  ) {
    // For example `pipe:[4711]`, the standard input of every process of the command.
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

  /** Must be called with all output. */
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

/** True for an unfinished line that ends like a question, or a finished line that asks for yes or no. */
export function looksLikePrompt(output: string): boolean {
  const last = lastLine(output);
  if (last === '' || last.length > 200) return false;
  if (/[[(]\s*(?:y(?:es)?\s*\/\s*no?|yes\/no[^\])]*)\s*[\])]\s*[:?]?$/iu.test(last)) return true;
  const isUnfinished = !/\n\s*$/u.test(output);
  return isUnfinished && /(?:[?:>]|[\])][:>]?|\b(?:password|passphrase|continue|proceed|enter|yes\/no))$/iu.test(last);
}

/** Returns the program that waits to read a command's input. The system shows only the number of a system call. */
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
