/**
 * The only reader of files, because a repository or another program may have put anything in their place: a link to a
 * device, a pipe, an endless file. Only regular files are opened, without waiting for a writer, and no more is read
 * than was requested. `scripts/lib/layers.mjs` lists the files that may read by themselves, with reasons.
 */

import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  type ReadStream,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { messageOf } from '../../errors.ts';
import { isWithin, realOr } from './way.ts';
import { workTreeTop } from './work-tree-top.ts';

interface Reading {
  maxBytes: number;
  /** `refused`, or a folder of a project that no link may lead out of. By default links are followed. */
  links?: 'refused' | { within: string };
}

/**
 * The reason why a file is not read, as the end of a sentence. If a file cannot be opened, the system's error is
 * thrown.
 */
export class Unreadable extends Error {}

const MIB = 1024 * 1024;
/** The size of a further read when a file has more bytes than its metadata states. */
const PIECE_BYTES = 64 * 1024;

/**
 * Without these flags, opening a pipe waits for a writer, and a file can be replaced by a link. Windows has neither
 * flag.
 */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** All bytes of the file. Throws `Unreadable` for more than `maxBytes`. */
export function readBytes(file: string, reading: Reading): Buffer {
  return withFile(file, reading, ({ size }, descriptor) => {
    if (size > reading.maxBytes) throw tooLarge(reading);
    const parts: Buffer[] = [];
    let length = 0;
    // Some files, for example in /proc, have the size 0, and a file may grow while it is read.
    for (let most = size + 1; ; most = PIECE_BYTES) {
      const part = Buffer.allocUnsafe(most);
      const read = readSync(descriptor, part, 0, most, null);
      if (read === 0) return Buffer.concat(parts, length);
      parts.push(part.subarray(0, read));
      length += read;
      if (length > reading.maxBytes) throw tooLarge(reading);
    }
  });
}

export function readText(file: string, reading: Reading): string {
  return readBytes(file, reading).toString('utf8');
}

/** The text of the file. Undefined if it cannot be read. */
export function textOf(file: string, reading: Reading): string | undefined {
  try {
    return readText(file, reading);
  } catch {
    return undefined;
  }
}

/** The reason why the file cannot be read. Undefined if it can be read. */
export function refusalOf(file: string, reading: Reading): string | undefined {
  try {
    return withFile(file, reading, ({ size }) => (size > reading.maxBytes ? tooLarge(reading).message : undefined));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The first or last `maxBytes` of the file. */
export function readPart(file: string | Buffer, reading: Reading, from: 'beginning' | 'end'): Buffer {
  return withFile(file, reading, ({ size }, descriptor) => {
    const bytes = Buffer.alloc(Math.min(size, reading.maxBytes));
    const start = from === 'end' ? size - bytes.length : 0;
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, start + length);
    return bytes.subarray(0, length);
  });
}

/** A stream of the file, or of a range of bytes. `maxBytes` limits the size of the whole file. */
export function readPieces(file: string, reading: Reading, range: { start?: number; end?: number } = {}): ReadStream {
  const descriptor = open(file, reading);
  if (fstatSync(descriptor).size > reading.maxBytes) {
    closeSync(descriptor);
    throw tooLarge(reading);
  }
  return createReadStream('', { ...range, fd: descriptor });
}

function withFile<T>(file: string | Buffer, reading: Reading, read: (stats: Stats, descriptor: number) => T): T {
  const descriptor = open(file, reading);
  try {
    return read(fstatSync(descriptor), descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string | Buffer, { links }: Reading): number {
  const place = typeof links === 'object' ? insideOf(file, links.within) : file;
  // Checked before opening, because opening a device can have side effects.
  const stats = links === 'refused' ? lstatSync(place) : statSync(place);
  if (!stats.isFile()) throw new Unreadable('it is no regular file');
  const descriptor = openSync(place, constants.O_RDONLY | NO_WAIT | (links === undefined ? 0 : NO_LINK));
  try {
    // Another file may have taken its place since the check.
    if (!fstatSync(descriptor).isFile()) throw new Unreadable('it is no regular file');
    return descriptor;
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** Returns the real path of a file that is in the folder or elsewhere in the work tree around the folder. */
function insideOf(file: string | Buffer, folder: string): string {
  const real = realpathSync.native(file, 'utf8');
  const own = realOr(folder);
  if (isWithin(real, own)) return real;
  const top = workTreeTop(own);
  if (top !== undefined && isWithin(real, top)) return real;
  throw new Unreadable('it is a link that leads out of the project');
}

function tooLarge({ maxBytes }: Reading): Unreadable {
  return new Unreadable(`it is larger than ${maxBytes >= MIB ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`}`);
}
