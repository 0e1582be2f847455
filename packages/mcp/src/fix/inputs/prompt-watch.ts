/**
 * Detects that a running command waits for an answer: it prints nothing, and a process reads its input. On systems that
 * do not show which process reads, a longer silence after a line that looks like a prompt counts, and the result has no
 * reader.
 */

import { readlinkSync } from 'node:fs';
import { listNamesOrEmpty, readTextOrEmpty } from '../../system/files/read.ts';
import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';

/** Longer than most programs pause between two prompts. */
const QUIET_MS = 3_000;
const QUIET_WITHOUT_READER_MS = 10_000;
const POLL_MS = 500;
/** Only the last lines of an output can be a prompt. */
const MAX_TAIL_CHARACTERS = 2_000;

/**
 * A prompt at which a command waits. `prompt` is the last visible line, `reader` the program that waits for input (null
 * if no reader was found), and `because` an explanation for people.
 */
export type PendingPrompt = { prompt: string; reader: string | null; because: string };

export class PromptWatch {
  readonly #timer: NodeJS.Timeout;
  #tail = '';
  #lastOutput = performance.now();
  #isReported = false;

  /** `pid` is the first process of the command. `onPrompt` is called once for each prompt. */
  constructor(
    pid: number,
    onPrompt: (pending: PendingPrompt) => void,
    quietMs = QUIET_MS,
    platform = process.platform,
  ) {
    // The standard input that all processes of the command share, such as `pipe:[4711]`.
    const input = platform === 'linux' ? readLinkOrEmpty(`/proc/${pid}/fd/0`) : '';
    const checkForPrompt = () => {
      const quiet = performance.now() - this.#lastOutput;
      if (this.#isReported || quiet < quietMs) return;
      const reader = input === '' ? null : findReader(input);
      if (reader === null && (quiet < QUIET_WITHOUT_READER_MS || !looksLikePrompt(this.#tail))) return;
      this.#isReported = true;
      const why = reader ? `while ${reader} was reading standard input` : 'since a line that looks like a prompt';
      const because = `it printed nothing for ${Math.round(quiet / 1_000)} s ${why}`;
      onPrompt({ prompt: getLastLine(this.#tail), reader, because });
    };
    this.#timer = setInterval(checkForPrompt, POLL_MS).unref();
  }

  /** Call this for each piece of output. */
  addOutput(text: string): void {
    this.#tail = (this.#tail + text).slice(-MAX_TAIL_CHARACTERS);
    this.#lastOutput = performance.now();
    this.#isReported = false;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

export function getLastLine(output: string): string {
  const lines = removeInvisibleCharacters(output.slice(-MAX_TAIL_CHARACTERS).replaceAll(/\r(?!\n)/gu, '\n')).split(
    '\n',
  );
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim();
}

/** True for an unfinished line that ends like a question, or a line that asks for yes or no. */
export function looksLikePrompt(output: string): boolean {
  const last = getLastLine(output);
  if (last === '' || last.length > 200) return false;
  if (/[[(]\s*(?:y(?:es)?\s*\/\s*no?|yes\/no[^\])]*)\s*[\])]\s*[:?]?$/iu.test(last)) return true;
  const isUnfinished = !/\n\s*$/u.test(output);
  return isUnfinished && /(?:[?:>]|[\])][:>]?|\b(?:password|passphrase|continue|proceed|enter|yes\/no))$/iu.test(last);
}

/**
 * Returns the name of the program that waits to read the input, or null. Linux shows only the number of the system call
 * `read`, which depends on the processor.
 */
function findReader(input: string): string | null {
  const read = process.arch === 'arm64' ? '63' : '0';
  const reader = listNamesOrEmpty('/proc').find((pid) => {
    const [call, descriptor = ''] = /^\d+$/u.test(pid) ? readTextOrEmpty(`/proc/${pid}/syscall`).split(' ') : [];
    return call === read && readLinkOrEmpty(`/proc/${pid}/fd/${Number.parseInt(descriptor, 16)}`) === input;
  });
  return reader === undefined ? null : readLinkOrEmpty(`/proc/${reader}/exe`).split('/').at(-1) || 'a program';
}

function readLinkOrEmpty(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
