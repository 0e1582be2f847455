/**
 * The log file of a run: without secrets, in order, up to a limit, and always with the end of the output. If a write
 * fails, the attempt continues and the missing part is reported.
 */

import { closeSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { messageOf, systemCodeOf } from '../../errors.ts';

/** Limit for the whole file. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Part of the limit for the end of the output, because errors are usually there. */
const TAIL_CHARACTERS = 1024 * 1024;

/** Length of a text for the redactor, which reads at most 256 KiB. */
const PIECE_CHARACTERS = 64 * 1024;

/** Short, so that a reader of the log can follow the run. */
const FLUSH_MS = 250;

/** Private keys span several lines, so the text is not cut between these marks. */
const KEY_BEGIN = '-----BEGIN';
const KEY_END = '-----END';
const MAX_KEY_CHARACTERS = 32 * 1024;

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

export class LogFile {
  readonly #redact: Redact;
  readonly #tail: string[] = [];
  #file: number | undefined;
  #pending = '';
  #written = 0;
  #tailLength = 0;
  #dropped = 0;
  #flushedAt = 0;
  #problem: string | undefined;

  constructor(path: string, redact: Redact) {
    this.#redact = redact;
    try {
      this.#file = openedAnew(path);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  add(text: string): void {
    if (this.#written >= MAX_CHARACTERS - TAIL_CHARACTERS) {
      this.#keepAsTail(text);
      return;
    }
    this.#pending += text;
    const now = performance.now();
    if (this.#pending.length >= PIECE_CHARACTERS || now - this.#flushedAt > FLUSH_MS) {
      this.#flushedAt = now;
      this.#flush();
    }
  }

  /** Closes the file. Returns messages about missing parts. */
  end(): string[] {
    const tail = this.#tail.join('');
    if (this.#dropped > 0) {
      this.#writeAll(this.#pending);
      this.#write(`\n[argus: ${this.#dropped} characters are left out here]\n`);
      // The first line of the tail may begin in the middle of a secret, so drop it.
      this.#writeAll(tail.slice(tail.indexOf('\n') + 1));
    } else {
      this.#writeAll(this.#pending + tail);
    }
    this.#close();
    const notes = this.#problem === undefined ? [] : [this.#problem];
    if (this.#dropped === 0) return notes;
    return [...notes, `The log leaves out ${this.#dropped} characters of the output: it is limited to 64 MiB.`];
  }

  #flush(): void {
    const cut = cutAt(this.#pending);
    const piece = this.#pending.slice(0, cut);
    this.#pending = this.#pending.slice(cut);
    this.#writeAll(piece);
  }

  #keepAsTail(text: string): void {
    this.#tail.push(text);
    this.#tailLength += text.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) > TAIL_CHARACTERS) {
      const gone = this.#tail.shift()?.length ?? 0;
      this.#tailLength -= gone;
      this.#dropped += gone;
    }
  }

  #writeAll(text: string): void {
    for (let rest = text; rest.length > 0; ) {
      const cut = rest.length <= PIECE_CHARACTERS ? rest.length : cutAt(rest.slice(0, PIECE_CHARACTERS));
      const piece = rest.slice(0, cut || PIECE_CHARACTERS);
      this.#write(this.#redact(piece));
      rest = rest.slice(piece.length);
    }
  }

  #write(text: string): void {
    this.#written += text.length;
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, text);
    } catch (thrown) {
      this.#failed(thrown);
      this.#close();
    }
  }

  #failed(thrown: unknown): void {
    this.#problem = `The log could not be written (${systemCodeOf(thrown) ?? messageOf(thrown)}); it is incomplete.`;
  }

  #close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Opens a new file. `wx` never follows a link. A device is opened as it is. */
function openedAnew(file: string): number {
  const isDevice = file === devNull || lstatSync(file, { throwIfNoEntry: false })?.isCharacterDevice() === true;
  if (isDevice) return openSync(file, 'w');
  rmSync(file, { force: true });
  return openSync(file, 'wx', 0o600);
}

/** Returns a position where a text can be cut without cutting a secret: after a line, but not inside a key. */
function cutAt(text: string): number {
  const whole = text.lastIndexOf('\n') + 1;
  const key = text.lastIndexOf(KEY_BEGIN);
  if (key >= 0 && text.indexOf(KEY_END, key) < 0 && text.length - key < MAX_KEY_CHARACTERS) {
    return Math.min(whole, text.lastIndexOf('\n', key) + 1);
  }
  if (whole > 0) return whole;
  // The text is a single long line: cut between words, or anywhere.
  if (text.length < PIECE_CHARACTERS) return 0;
  return text.lastIndexOf(' ') + 1 || text.length;
}
