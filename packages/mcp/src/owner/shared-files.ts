/**
 * The files that a repository shares in `.argus-shared`. Whoever can push can put anything there: no link is followed, no
 * pipe waited for, and no more is read than such a folder may hold.
 */

import { createHash } from 'node:crypto';
import { readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { LIMITS, type SharedFault, type SharedText } from 'argus-engine';
import { messageOf } from '../errors.ts';
import { readBytes } from '../system/files/read.ts';
import { lstat } from '../system/files/way.ts';

/** At the root of the repository. */
export const SHARED_FOLDER = '.argus-shared';

/** What people may put beside the files; it is not taken in. */
const BESIDE: ReadonlySet<string> = new Set(['README.md', '.gitattributes']);

/** A name that a folder holds, with where it is. */
interface Listed {
  /** Below the folder, with `/`. */
  path: string;
  stats: Stats;
}

/** The files, what is wrong with what lies there, and whether all of it was looked at. */
export interface SharedFolder {
  files: SharedText[];
  faults: SharedFault[];
}

/** Another for each state of the folder; undefined where there is none. Opens no file. */
export function stampOfShared(top: string): string | undefined {
  const folder = path.join(top, SHARED_FOLDER);
  if (!lstat(folder)?.isDirectory()) return undefined;
  const hash = createHash('sha256');
  for (const { path: name, stats } of listedIn(folder).listed) {
    hash.update([name, stats.size, stats.mtimeMs, stats.ino, stats.mode].join('\0'));
    hash.update('\n');
  }
  return hash.digest('hex').slice(0, 16);
}

/** All that is in the folder; nothing where there is none. */
export function readShared(top: string): SharedFolder {
  const folder = path.join(top, SHARED_FOLDER);
  const stats = lstat(folder);
  if (stats === undefined) return { files: [], faults: [] };
  if (!stats.isDirectory()) return { files: [], faults: [{ path: SHARED_FOLDER, message: `it is ${kindOf(stats)}` }] };
  const { listed, isCut } = listedIn(folder);
  const found: SharedFolder = { files: [], faults: [] };
  for (const one of listed) {
    const read = textOf(folder, one);
    if (typeof read === 'string') found.files.push({ path: one.path, text: read });
    else found.faults.push(read);
  }
  if (isCut) {
    const message = `it holds more than ${LIMITS.MAX_SHARED_FILES} files; the rest is not looked at`;
    found.faults.push({ path: SHARED_FOLDER, message });
  }
  return found;
}

/** By name, two folders deep; of more than may be shared, the first. */
function listedIn(folder: string): { listed: Listed[]; isCut: boolean } {
  const listed: Listed[] = [];
  const add = (name: string): Stats | undefined => {
    const stats = lstat(path.join(folder, name));
    if (stats !== undefined && !stats.isDirectory()) listed.push({ path: name, stats });
    return stats;
  };
  for (const name of namesIn(folder)) {
    if (BESIDE.has(name) || !add(name)?.isDirectory()) continue;
    for (const inner of namesIn(path.join(folder, name))) {
      if (listed.length > LIMITS.MAX_SHARED_FILES) break;
      const stats = add(`${name}/${inner}`);
      if (stats?.isDirectory()) listed.push({ path: `${name}/${inner}`, stats });
    }
  }
  const isCut = listed.length > LIMITS.MAX_SHARED_FILES;
  return { listed: listed.slice(0, LIMITS.MAX_SHARED_FILES), isCut };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // It may not be entered, or is gone.
    return [];
  }
}

/** What a file holds, or what is wrong with it. */
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
