/**
 * Reads files. No other code reads files, because a repository or another program may have replaced a file by anything:
 * a link to a device, a pipe, an endless file. Only regular files are opened, without waiting for a writer, and no more
 * bytes are read than requested. `scripts/lib/layers.mjs` lists the exceptions, with reasons.
 */

import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  type ReadStream,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { getErrorMessage } from '../../errors.ts';
import { findWorkTreeTop, isWithin, resolveRealPath } from './path-safety.ts';

interface ReadOptions {
  maxBytes: number;
  /** `refused` to reject links, or a folder out of which no link may lead. By default, links are followed. */
  links?: 'refused' | { within: string };
}

/**
 * Thrown if a file is not read. The message is the reason, as the end of a sentence. If a file cannot be opened, the
 * error of the operating system is thrown.
 */
export class UnreadableFileError extends Error {}

const MIB = 1024 * 1024;
/** Number of bytes to read next if a file has more bytes than its metadata states. */
const PIECE_BYTES = 64 * 1024;

/**
 * Without these two flags, opening a pipe waits for a writer, and a file could be replaced by a link before it is
 * opened. Windows has neither flag.
 */
const NONBLOCK_FLAG = constants.O_NONBLOCK ?? 0;
const NOFOLLOW_FLAG = constants.O_NOFOLLOW ?? 0;

/** Reads all bytes of a file. Throws `UnreadableFileError` if there are more than `maxBytes`. */
export function readBytes(file: string, options: ReadOptions): Buffer {
  return withFile(file, options, ({ size }, descriptor) => {
    if (size > options.maxBytes) throw createTooLargeError(options);
    const parts: Buffer[] = [];
    let length = 0;
    // Some files, for example in /proc, have the size 0, and a file may grow while it is read.
    for (let pieceBytes = size + 1; ; pieceBytes = PIECE_BYTES) {
      const part = Buffer.allocUnsafe(pieceBytes);
      const read = readSync(descriptor, part, 0, pieceBytes, null);
      if (read === 0) return Buffer.concat(parts, length);
      parts.push(part.subarray(0, read));
      length += read;
      if (length > options.maxBytes) throw createTooLargeError(options);
    }
  });
}

export function readText(file: string, options: ReadOptions): string {
  return readBytes(file, options).toString('utf8');
}

/** Returns the text of a file, or undefined if it cannot be read. */
export function tryReadText(file: string, options: ReadOptions): string | undefined {
  try {
    return readText(file, options);
  } catch {
    return undefined;
  }
}

/** Returns the reason why a file cannot be read, or undefined if it can be read. */
export function findReadProblem(file: string, options: ReadOptions): string | undefined {
  try {
    return withFile(file, options, ({ size }) =>
      size > options.maxBytes ? createTooLargeError(options).message : undefined,
    );
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}

/** Returns the first or last `maxBytes` of a file. */
export function readPart(file: string | Buffer, options: ReadOptions, from: 'beginning' | 'end'): Buffer {
  return withFile(file, options, ({ size }, descriptor) => {
    const bytes = Buffer.alloc(Math.min(size, options.maxBytes));
    const start = from === 'end' ? size - bytes.length : 0;
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, start + length);
    return bytes.subarray(0, length);
  });
}

/** Returns a stream of a file, or of a range of its bytes. `maxBytes` limits the size of the complete file. */
export function createFileStream(
  file: string,
  options: ReadOptions,
  range: { start?: number; end?: number } = {},
): ReadStream {
  const descriptor = open(file, options);
  if (fstatSync(descriptor).size > options.maxBytes) {
    closeSync(descriptor);
    throw createTooLargeError(options);
  }
  return createReadStream('', { ...range, fd: descriptor });
}

function withFile<T>(file: string | Buffer, options: ReadOptions, read: (stats: Stats, descriptor: number) => T): T {
  const descriptor = open(file, options);
  try {
    return read(fstatSync(descriptor), descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string | Buffer, { links }: ReadOptions): number {
  const realFile = typeof links === 'object' ? resolveInside(file, links.within) : file;
  // Checked before opening, because opening a device may have side effects.
  const stats = links === 'refused' ? lstatSync(realFile) : statSync(realFile);
  if (!stats.isFile()) throw new UnreadableFileError('it is not a regular file');
  const descriptor = openSync(realFile, constants.O_RDONLY | NONBLOCK_FLAG | (links === undefined ? 0 : NOFOLLOW_FLAG));
  try {
    // Checked again, because the file may have been replaced since the first check.
    if (!fstatSync(descriptor).isFile()) throw new UnreadableFileError('it is not a regular file');
    return descriptor;
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** Returns the real path of a file that is in the folder, or elsewhere in the work tree around the folder. */
function resolveInside(file: string | Buffer, folder: string): string {
  const real = realpathSync.native(file, 'utf8');
  const own = resolveRealPath(folder);
  if (isWithin(real, own)) return real;
  const top = findWorkTreeTop(own);
  if (top !== undefined && isWithin(real, top)) return real;
  throw new UnreadableFileError('it is a link that points outside the project');
}

function createTooLargeError({ maxBytes }: ReadOptions): UnreadableFileError {
  return new UnreadableFileError(
    `it is larger than ${maxBytes >= MIB ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`}`,
  );
}

/** More than operating systems allow for the environment of a process. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Returns the text of a file that may be missing or become unreadable at any moment, such as a file of /proc or a lock.
 * Then the text is empty.
 */
export function readTextOrEmpty(file: string, encoding: BufferEncoding = 'utf8'): string {
  try {
    return readBytes(file, { maxBytes: MAX_BYTES }).toString(encoding);
  } catch {
    return '';
  }
}

export function listNamesOrEmpty(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
