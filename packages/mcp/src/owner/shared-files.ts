/**
 * Reads the files that a repository shares in `.argus-shared`. Anyone who can push to the repository can put anything
 * there, so links are not followed, pipes are not opened, and the number of bytes that are read is limited.
 */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { LIMITS, type SharedFault, type SharedFileContent } from 'argus-engine';
import { getErrorMessage } from '../errors.ts';
import { tryLstat } from '../system/files/path-safety.ts';
import { listNamesOrEmpty, readBytes } from '../system/files/read.ts';

/** The folder is at the root of the repository. */
export const SHARED_FOLDER = '.argus-shared';

/** Files that people may put into the folder. They are not imported. */
const IGNORED_FILES: ReadonlySet<string> = new Set(['README.md', '.gitattributes']);

/** A file in the folder. */
interface ListedFile {
  /** Path relative to the folder, with `/` as separator. */
  path: string;
  stats: Stats;
}

/**
 * The readable files, and a fault for each file that cannot be read. If the folder exceeds a limit, there is a fault
 * for the folder.
 */
interface SharedFolderContent {
  files: SharedFileContent[];
  faults: SharedFault[];
}

/** The state of the folder, without the content of its files. */
export interface SharedFolderState {
  /** Changes with each state of the folder. */
  stamp: string;
  /** Number of files within the limits. */
  files: number;
  bytes: number;
  /** A message about the files beyond a limit. Undefined if all files are within the limits. */
  leftOut: string | undefined;
}

/** Returns undefined if the folder does not exist. */
export function readSharedFolderState(top: string): SharedFolderState | undefined {
  const folder = path.join(top, SHARED_FOLDER);
  if (!tryLstat(folder)?.isDirectory()) return undefined;
  const hash = createHash('sha256');
  const { listed, bytes, leftOut } = listFiles(folder);
  for (const { path: name, stats } of listed) {
    hash.update([name, stats.size, stats.mtimeMs, stats.ino, stats.mode].join('\0'));
    hash.update('\n');
  }
  return { stamp: hash.digest('hex').slice(0, 16), files: listed.length, bytes, leftOut };
}

/** Reads the files of the folder up to the limits. Returns no files if the folder does not exist. */
export function readSharedFiles(top: string): SharedFolderContent {
  const folder = path.join(top, SHARED_FOLDER);
  const stats = tryLstat(folder);
  if (stats === undefined) return { files: [], faults: [] };
  if (!stats.isDirectory())
    return { files: [], faults: [{ path: SHARED_FOLDER, message: `it is ${describeKind(stats)}` }] };
  const { listed, leftOut } = listFiles(folder);
  const found: SharedFolderContent = { files: [], faults: [] };
  for (const one of listed) {
    const read = readSharedText(folder, one);
    if (typeof read === 'string') found.files.push({ path: one.path, text: read });
    else found.faults.push(read);
  }
  if (leftOut !== undefined) found.faults.push({ path: SHARED_FOLDER, message: leftOut });
  return found;
}

interface FolderListing extends Pick<SharedFolderState, 'bytes' | 'leftOut'> {
  listed: ListedFile[];
}

/** Returns the files sorted by name, two folders deep, up to the limits. */
function listFiles(folder: string): FolderListing {
  const listed: ListedFile[] = [];
  let bytes = 0;
  for (const { path: name, stats } of walkFolder(folder)) {
    // A file that alone is too large is rejected without being read, so its size does not count.
    const size = stats.isFile() && stats.size <= LIMITS.MAX_SHARED_FILE_BYTES ? stats.size : 0;
    const isTooMany = listed.length >= LIMITS.MAX_SHARED_FILES;
    if (isTooMany || bytes + size > LIMITS.MAX_SHARED_BYTES) return { listed, bytes, leftOut: formatLeftOut(name) };
    bytes += size;
    listed.push({ path: name, stats });
  }
  return { listed, bytes, leftOut: undefined };
}

function formatLeftOut(name: string): string {
  const limit = `${LIMITS.MAX_SHARED_FILES} files and ${LIMITS.MAX_SHARED_BYTES / 1024 / 1024} MiB`;
  return `it has more than ${limit}, so ${name} and all files after it by name are skipped`;
}

function* walkFolder(folder: string): Generator<ListedFile> {
  for (const name of listSortedNames(folder)) {
    if (IGNORED_FILES.has(name)) continue;
    const stats = tryLstat(path.join(folder, name));
    if (stats !== undefined && !stats.isDirectory()) yield { path: name, stats };
    if (!stats?.isDirectory()) continue;
    for (const inner of listSortedNames(path.join(folder, name))) {
      const inside = tryLstat(path.join(folder, name, inner));
      if (inside !== undefined) yield { path: `${name}/${inner}`, stats: inside };
    }
  }
}

function listSortedNames(folder: string): string[] {
  return listNamesOrEmpty(folder).sort();
}

/** Returns the text of a file, or a fault with the reason why the file cannot be read. */
function readSharedText(folder: string, { path: name, stats }: ListedFile): string | SharedFault {
  if (!stats.isFile()) return { path: name, message: `it is ${describeKind(stats)}; only regular files can be shared` };
  if (stats.size > LIMITS.MAX_SHARED_FILE_BYTES) return { path: name, message: formatTooLarge(stats.size) };
  try {
    return decodeUtf8(readBytes(path.join(folder, name), { maxBytes: LIMITS.MAX_SHARED_FILE_BYTES, links: 'refused' }));
  } catch (thrown) {
    return { path: name, message: getErrorMessage(thrown) };
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8 text');
  }
}

function formatTooLarge(bytes: number): string {
  return `it has ${bytes} bytes or more; a shared file has at most ${LIMITS.MAX_SHARED_FILE_BYTES}`;
}

function describeKind(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  return stats.isFile() ? 'a file' : 'neither a file nor a folder';
}
