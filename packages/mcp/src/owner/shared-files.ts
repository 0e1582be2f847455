/**
 * Reads the files that a repository shares in `.argus-shared`. Anyone who can push can put anything there, so links are
 * not followed, pipes are not opened, and the amount that is read has a limit.
 */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { LIMITS, type SharedFault, type SharedText } from 'argus-engine';
import { messageOf } from '../errors.ts';
import { namesOrEmpty } from '../system/files/or-empty.ts';
import { readBytes } from '../system/files/read.ts';
import { lstat } from '../system/files/way.ts';

/** The folder is at the root of the repository. */
export const SHARED_FOLDER = '.argus-shared';

/** Files that people may put there and that are not imported. */
const BESIDE: ReadonlySet<string> = new Set(['README.md', '.gitattributes']);

/** A file in the folder. */
interface Listed {
  /** The path relative to the folder, with `/` as separator. */
  path: string;
  stats: Stats;
}

/** The readable files, and a fault for each other file. A folder over the limits has a fault too. */
export interface SharedFolder {
  files: SharedText[];
  faults: SharedFault[];
}

/** The state of the folder, without reading its files. */
export interface SharedState {
  /** Changes with each state of the folder. */
  stamp: string;
  /** The number of files within the limits. */
  files: number;
  bytes: number;
  /** A message about the files beyond a limit. Undefined if all files are within the limits. */
  leftOut: string | undefined;
}

/** Returns undefined if the folder does not exist. */
export function sharedState(top: string): SharedState | undefined {
  const folder = path.join(top, SHARED_FOLDER);
  if (!lstat(folder)?.isDirectory()) return undefined;
  const hash = createHash('sha256');
  const { listed, bytes, leftOut } = listedIn(folder);
  for (const { path: name, stats } of listed) {
    hash.update([name, stats.size, stats.mtimeMs, stats.ino, stats.mode].join('\0'));
    hash.update('\n');
  }
  return { stamp: hash.digest('hex').slice(0, 16), files: listed.length, bytes, leftOut };
}

/** Reads the files of the folder up to the limits. Returns nothing if the folder does not exist. */
export function readShared(top: string): SharedFolder {
  const folder = path.join(top, SHARED_FOLDER);
  const stats = lstat(folder);
  if (stats === undefined) return { files: [], faults: [] };
  if (!stats.isDirectory()) return { files: [], faults: [{ path: SHARED_FOLDER, message: `it is ${kindOf(stats)}` }] };
  const { listed, leftOut } = listedIn(folder);
  const found: SharedFolder = { files: [], faults: [] };
  for (const one of listed) {
    const read = textOf(folder, one);
    if (typeof read === 'string') found.files.push({ path: one.path, text: read });
    else found.faults.push(read);
  }
  if (leftOut !== undefined) found.faults.push({ path: SHARED_FOLDER, message: leftOut });
  return found;
}

interface ListedFolder extends Pick<SharedState, 'bytes' | 'leftOut'> {
  listed: Listed[];
}

/** The files by name, two folders deep, up to the limits. */
function listedIn(folder: string): ListedFolder {
  const listed: Listed[] = [];
  let bytes = 0;
  for (const { path: name, stats } of within(folder)) {
    // A file that is too large by itself is refused without being read, so its size does not count.
    const size = stats.isFile() && stats.size <= LIMITS.MAX_SHARED_FILE_BYTES ? stats.size : 0;
    const isTooMany = listed.length >= LIMITS.MAX_SHARED_FILES;
    if (isTooMany || bytes + size > LIMITS.MAX_SHARED_BYTES) return { listed, bytes, leftOut: leftOutFrom(name) };
    bytes += size;
    listed.push({ path: name, stats });
  }
  return { listed, bytes, leftOut: undefined };
}

function leftOutFrom(name: string): string {
  const most = `${LIMITS.MAX_SHARED_FILES} files and ${LIMITS.MAX_SHARED_BYTES / 1024 / 1024} MiB`;
  return `it holds more than ${most}: ${name} and what follows by name is left out`;
}

function* within(folder: string): Generator<Listed> {
  for (const name of namesIn(folder)) {
    if (BESIDE.has(name)) continue;
    const stats = lstat(path.join(folder, name));
    if (stats !== undefined && !stats.isDirectory()) yield { path: name, stats };
    if (!stats?.isDirectory()) continue;
    for (const inner of namesIn(path.join(folder, name))) {
      const inside = lstat(path.join(folder, name, inner));
      if (inside !== undefined) yield { path: `${name}/${inner}`, stats: inside };
    }
  }
}

function namesIn(folder: string): string[] {
  return namesOrEmpty(folder).sort();
}

/** Returns the text of a file, or the reason why it cannot be read. */
function textOf(folder: string, { path: name, stats }: Listed): string | SharedFault {
  if (!stats.isFile()) return { path: name, message: `it is ${kindOf(stats)}; only files are shared` };
  if (stats.size > LIMITS.MAX_SHARED_FILE_BYTES) return { path: name, message: tooLarge(stats.size) };
  try {
    return decoded(readBytes(path.join(folder, name), { maxBytes: LIMITS.MAX_SHARED_FILE_BYTES, links: 'refused' }));
  } catch (thrown) {
    return { path: name, message: messageOf(thrown) };
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is no text in UTF-8');
  }
}

function tooLarge(bytes: number): string {
  return `it has ${bytes} bytes or more; a shared file has at most ${LIMITS.MAX_SHARED_FILE_BYTES}`;
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  return stats.isFile() ? 'a file' : 'neither a file nor a folder';
}
