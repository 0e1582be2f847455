/**
 * The only reader of files, because a repository or another program may have put anything in their place: a link to a
 * device, a pipe, a file without end. A file is opened only where it is a regular file, without waiting for a writer, and
 * no more is read than was asked for. Files that read by themselves have a reason in scripts/lib/layers.mjs.
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
  /** `refused`, or a folder of a project that no link may lead out of. Default: links are followed. */
  links?: 'refused' | { within: string };
}

/** Why a file is not read, as the end of a sentence. Where it cannot be opened, the error of the system is thrown. */
export class Unreadable extends Error {}

const MIB = 1024 * 1024;
/** So much is read at once of a file that has more than its size says. */
const PIECE_BYTES = 64 * 1024;

/** Without these, opening a pipe waits for a writer, and a file can be replaced by a link. Windows has neither. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** All bytes of the file; one with more than `maxBytes` is refused. */
export function readBytes(file: string, reading: Reading): Buffer {
  return withFile(file, reading, ({ size }, descriptor) => {
    if (size > reading.maxBytes) throw tooLarge(reading);
    const parts: Buffer[] = [];
    let length = 0;
    // The system tells no size of some files, and a file may grow meanwhile.
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

/** The text of the file; undefined where it cannot be read. */
export function textOf(file: string, reading: Reading): string | undefined {
  try {
    return readText(file, reading);
  } catch {
    return undefined;
  }
}

/** Why the file would not be read; undefined where it would. */
export function refusalOf(file: string, reading: Reading): string | undefined {
  try {
    return withFile(file, reading, ({ size }) => (size > reading.maxBytes ? tooLarge(reading).message : undefined));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** `maxBytes` of the file, from its beginning, or at its end. */
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

/** The file in pieces, from one byte to another one. Of no use for an endless file, so `maxBytes` holds for its size. */
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
  // Before it is opened, because opening a device can do something.
  const stats = links === 'refused' ? lstatSync(place) : statSync(place);
  if (!stats.isFile()) throw new Unreadable('it is no regular file');
  const descriptor = openSync(place, constants.O_RDONLY | NO_WAIT | (links === undefined ? 0 : NO_LINK));
  try {
    // It may be another one by now.
    if (!fstatSync(descriptor).isFile()) throw new Unreadable('it is no regular file');
    return descriptor;
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** The real path of a file that lies in the folder, or elsewhere in the work tree around it. */
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
