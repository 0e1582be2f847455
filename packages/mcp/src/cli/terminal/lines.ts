/** Reads streams as batches of whole lines, and writes no faster than the reader reads. */

import { createReadStream, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { io, toAbsolutePath } from '../../system/io.ts';

const NEWLINE = 0x0a;

/** After one of these events, a stream accepts more data or is closed. */
const WRITABLE_EVENTS = ['drain', 'error', 'close'];

export interface LineBatch {
  bytes: Uint8Array;
  /** Number of lines in `bytes`. */
  count: number;
}

/** Limits of a batch. A batch ends as soon as it reaches one of them. */
export interface BatchLimits {
  bytes: number;
  lines?: number;
}

/** Yields batches of whole lines. The batches are bytes, because the engine decodes them. */
export async function* readBatches(input: AsyncIterable<Uint8Array>, limits: BatchLimits): AsyncGenerator<LineBatch> {
  const pending = new PendingBytes();
  for await (const chunk of input) {
    for (const part of splitLines(chunk, limits.lines)) {
      pending.add(part);
      if (pending.size >= limits.bytes || pending.lines >= (limits.lines ?? Number.POSITIVE_INFINITY)) {
        const whole = pending.takeWholeLines();
        if (whole) yield whole;
      }
    }
  }
  const rest = pending.takeAll();
  if (rest) yield rest;
}

/** Splits a chunk after each line, because a chunk may contain more lines than a batch. */
function* splitLines(chunk: Uint8Array, lines: number | undefined): Generator<Uint8Array> {
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

/** Bytes that were read and not yielded yet. */
class PendingBytes {
  #parts: Uint8Array[] = [];
  size = 0;
  lines = 0;

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.size += part.length;
    this.lines += countNewlines(part);
  }

  /** Removes and returns everything up to the last newline. Returns undefined if there is no newline. */
  takeWholeLines(): LineBatch | undefined {
    if (this.lines === 0) return undefined;
    const all = Buffer.concat(this.#parts);
    const end = all.lastIndexOf(NEWLINE) + 1;
    const taken = { bytes: all.subarray(0, end), count: this.lines };
    this.#parts = end < all.length ? [all.subarray(end)] : [];
    this.size = all.length - end;
    this.lines = 0;
    return taken;
  }

  /** Removes and returns the rest, whose last line may have no newline. */
  takeAll(): LineBatch | undefined {
    if (this.size === 0) return undefined;
    const bytes = Buffer.concat(this.#parts);
    return { bytes, count: this.lines + (bytes.at(-1) === NEWLINE ? 0 : 1) };
  }
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Writes to stdout, and waits for a slow reader so that unwritten data does not fill the memory. */
export async function writeToStdout(text: string | Uint8Array): Promise<void> {
  await writeWithBackpressure(io().stdout, text);
}

/**
 * Writes to a stream. If the reader is slow, returns a promise that resolves when the stream accepts more data or is
 * closed.
 */
export function writeWithBackpressure(stream: Writable, text: string | Uint8Array): Promise<void> | undefined {
  if (text.length === 0 || stream.destroyed || stream.write(text) || stream.destroyed) return undefined;
  return new Promise((resolve) => {
    const settle = () => {
      for (const event of WRITABLE_EVENTS) stream.off(event, settle);
      resolve();
    };
    for (const event of WRITABLE_EVENTS) stream.once(event, settle);
  });
}

/**
 * Opens a file of JSON lines, or stdin for `-`. `size` is the number of bytes for the progress bar, undefined for
 * stdin.
 */
export function openLineInput(file: string): { input: AsyncIterable<Uint8Array>; size: number | undefined } {
  if (file === '-') return { input: io().stdin, size: undefined };
  const place = toAbsolutePath(file);
  try {
    return { size: statSync(place).size, input: createReadStream(place) };
  } catch (thrown) {
    throw new ArgusError(
      'INVALID_INPUT',
      `${file} cannot be read: ${getErrorMessage(thrown)}. Name a file of JSON lines, or -.`,
    );
  }
}
