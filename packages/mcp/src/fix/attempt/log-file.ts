/**
 * The log file of an attempt. The file is redacted and limited in size, and always contains the end of the output. If a
 * write fails, the attempt continues, and a message reports the missing part.
 */

import { closeSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { getErrorMessage, getSystemCode } from '../../errors.ts';

/** Limit for the file. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Part of the limit for the end of the output, because errors are usually at the end. */
const MAX_TAIL_CHARACTERS = 1024 * 1024;

/** Length of a piece of text for the redactor, which accepts at most 256 KiB. */
const MAX_PIECE_CHARACTERS = 64 * 1024;

/** Short, so that a person can follow the run in the log. */
const FLUSH_INTERVAL_MS = 250;

/** A private key spans several lines, so the text is not cut between these two marks. */
const KEY_BEGIN = '-----BEGIN';
const KEY_END = '-----END';
const MAX_KEY_CHARACTERS = 32 * 1024;

/** Removes secrets from a text. */
export type Redactor = (text: string) => string;

export class LogFile {
  readonly #redact: Redactor;
  readonly #tail: string[] = [];
  #file: number | undefined;
  #pending = '';
  #written = 0;
  #tailLength = 0;
  #dropped = 0;
  #flushedAt = 0;
  #problem: string | undefined;

  constructor(path: string, redact: Redactor) {
    this.#redact = redact;
    try {
      this.#file = openLogFile(path);
    } catch (thrown) {
      this.#setProblem(thrown);
    }
  }

  add(text: string): void {
    if (this.#written >= MAX_CHARACTERS - MAX_TAIL_CHARACTERS) {
      this.#addToTail(text);
      return;
    }
    this.#pending += text;
    const now = performance.now();
    if (this.#pending.length >= MAX_PIECE_CHARACTERS || now - this.#flushedAt > FLUSH_INTERVAL_MS) {
      this.#flushedAt = now;
      this.#flush();
    }
  }

  /** Closes the file. Returns messages about parts that are missing in the file. */
  end(): string[] {
    const tail = this.#tail.join('');
    if (this.#dropped > 0) {
      this.#writeAll(this.#pending);
      this.#write(`\n[argus: ${this.#dropped} characters are left out here]\n`);
      // The first line of the tail may start in the middle of a secret, so drop that line.
      this.#writeAll(tail.slice(tail.indexOf('\n') + 1));
    } else {
      this.#writeAll(this.#pending + tail);
    }
    this.#close();
    const notes = this.#problem === undefined ? [] : [this.#problem];
    if (this.#dropped === 0) return notes;
    return [...notes, `The log omits ${this.#dropped} characters of the output, because it is limited to 64 MiB.`];
  }

  #flush(): void {
    const cut = findSafeCutPosition(this.#pending);
    const piece = this.#pending.slice(0, cut);
    this.#pending = this.#pending.slice(cut);
    this.#writeAll(piece);
  }

  #addToTail(text: string): void {
    this.#tail.push(text);
    this.#tailLength += text.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) > MAX_TAIL_CHARACTERS) {
      const gone = this.#tail.shift()?.length ?? 0;
      this.#tailLength -= gone;
      this.#dropped += gone;
    }
  }

  #writeAll(text: string): void {
    for (let rest = text; rest.length > 0; ) {
      const cut =
        rest.length <= MAX_PIECE_CHARACTERS ? rest.length : findSafeCutPosition(rest.slice(0, MAX_PIECE_CHARACTERS));
      const piece = rest.slice(0, cut || MAX_PIECE_CHARACTERS);
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
      this.#setProblem(thrown);
      this.#close();
    }
  }

  #setProblem(thrown: unknown): void {
    this.#problem = `The log could not be written (${getSystemCode(thrown) ?? getErrorMessage(thrown)}); it is incomplete.`;
  }

  #close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Creates the file, without following a link. If the path is a device, opens the device. */
function openLogFile(file: string): number {
  const isDevice = file === devNull || lstatSync(file, { throwIfNoEntry: false })?.isCharacterDevice() === true;
  if (isDevice) return openSync(file, 'w');
  rmSync(file, { force: true });
  return openSync(file, 'wx', 0o600);
}

/** Returns the position where a text can be cut without cutting a secret: after a line, but not inside a key. */
function findSafeCutPosition(text: string): number {
  const linesEnd = text.lastIndexOf('\n') + 1;
  const key = text.lastIndexOf(KEY_BEGIN);
  if (key >= 0 && text.indexOf(KEY_END, key) < 0 && text.length - key < MAX_KEY_CHARACTERS) {
    return Math.min(linesEnd, text.lastIndexOf('\n', key) + 1);
  }
  if (linesEnd > 0) return linesEnd;
  // The text is a single long line, so cut between words, or anywhere.
  if (text.length < MAX_PIECE_CHARACTERS) return 0;
  return text.lastIndexOf(' ') + 1 || text.length;
}
