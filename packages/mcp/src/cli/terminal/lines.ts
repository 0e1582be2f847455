/**
 * Reads streams as batches of whole lines, and writes no faster than the reader reads.
 */

import { createReadStream, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { ArgusError, messageOf } from '../../errors.ts';
import { absolutePath, io } from '../../system/io.ts';

const NEWLINE = 0x0a;

/** After these events a stream accepts more data, or is closed. */
const SETTLED = ['drain', 'error', 'close'];

export interface Lines {
  bytes: Uint8Array;
  /** Number of lines in `bytes`. */
  count: number;
}

/** Limits of a batch. The batch ends when it reaches a limit. */
export interface Full {
  bytes: number;
  lines?: number;
}

/** Yields batches of whole lines as bytes, because the engine decodes them. */
export async function* batches(input: AsyncIterable<Uint8Array>, full: Full): AsyncGenerator<Lines> {
  const pending = new Pending();
  for await (const chunk of input) {
    for (const part of split(chunk, full.lines)) {
      pending.add(part);
      if (pending.size >= full.bytes || pending.lines >= (full.lines ?? Number.POSITIVE_INFINITY)) {
        const whole = pending.takeWhole();
        if (whole) yield whole;
      }
    }
  }
  const rest = pending.takeAll();
  if (rest) yield rest;
}

/** Cuts a chunk after each line, because it may hold more lines than a batch. */
function* split(chunk: Uint8Array, lines: number | undefined): Generator<Uint8Array> {
  if (lines === undefined) {
    yield chunk;
    return;
  }
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    yield chunk.subarray(start, end + 1);
    start = end + 1;
  }
  if (start < chunk.length) yield chunk.subarray(start);
}

/** Bytes that were read and not yet yielded. */
class Pending {
  #parts: Uint8Array[] = [];
  size = 0;
  lines = 0;

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.size += part.length;
    this.lines += newlines(part);
  }

  /** Takes everything up to the last newline. Undefined without a newline. */
  takeWhole(): Lines | undefined {
    if (this.lines === 0) return undefined;
    const all = Buffer.concat(this.#parts);
    const end = all.lastIndexOf(NEWLINE) + 1;
    const taken = { bytes: all.subarray(0, end), count: this.lines };
    this.#parts = end < all.length ? [all.subarray(end)] : [];
    this.size = all.length - end;
    this.lines = 0;
    return taken;
  }

  /** Takes the rest, whose last line may have no newline. */
  takeAll(): Lines | undefined {
    if (this.size === 0) return undefined;
    const bytes = Buffer.concat(this.#parts);
    return { bytes, count: this.lines + (bytes.at(-1) === NEWLINE ? 0 : 1) };
  }
}

function newlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Writes to stdout, and waits for a slow reader so that memory does not fill up. */
export async function write(text: string | Uint8Array): Promise<void> {
  await passOn(io().stdout, text);
}

/**
 * Writes to a stream. Returns a promise if the reader is slow: it resolves when the stream accepts more data, or is
 * closed.
 */
export function passOn(stream: Writable, text: string | Uint8Array): Promise<void> | undefined {
  if (text.length === 0 || stream.destroyed || stream.write(text) || stream.destroyed) return undefined;
  return new Promise((resolve) => {
    const settle = () => {
      for (const event of SETTLED) stream.off(event, settle);
      resolve();
    };
    for (const event of SETTLED) stream.once(event, settle);
  });
}

/** Opens a file of JSON lines, or stdin for `-`. The size is undefined for stdin; the progress bar uses it. */
export function openLines(file: string): { input: AsyncIterable<Uint8Array>; size: number | undefined } {
  if (file === '-') return { input: io().stdin, size: undefined };
  const place = absolutePath(file);
  try {
    return { size: statSync(place).size, input: createReadStream(place) };
  } catch (thrown) {
    throw new ArgusError(
      'INVALID_INPUT',
      `${file} cannot be read: ${messageOf(thrown)}. Name a file of JSON lines, or -.`,
    );
  }
}
