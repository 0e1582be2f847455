/**
 * Reads and writes a configuration file of an agent, in a project or in a home folder. Neither the file nor a folder on
 * its path may be a link, because a repository could otherwise redirect the write to any file.
 */

import { mkdirSync, renameSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getSystemCode } from '../../../errors.ts';
import { DRAFT_SUFFIX } from '../../../system/files/atomic-file.ts';
import { belongsToOtherUser, tryLstat } from '../../../system/files/path-safety.ts';
import { readBytes, UnreadableFileError } from '../../../system/files/read.ts';

/** Claude Code's file is large, because it contains more than settings. A larger file is not a configuration. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface ConfigLocation {
  /** Real path of the project or of the user's home. */
  base: string;
  /** Path relative to `base`, with `/`. */
  name: string;
}

/** Returns undefined if the file does not exist. */
export function readConfigFile(place: ConfigLocation): string | undefined {
  const stats = checkPath(place);
  if (stats === undefined) return undefined;
  try {
    const bytes = readBytes(getConfigPath(place), { maxBytes: MAX_BYTES, links: 'refused' });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof UnreadableFileError) throw new ConfigEditError(thrown.message);
    throw getSystemCode(thrown) === 'ERR_ENCODING_INVALID_ENCODED_DATA'
      ? new ConfigEditError('it is not UTF-8 text')
      : thrown;
  }
}

/**
 * Writes the file completely or not at all, and keeps its permissions. Removes the file if `after` is undefined. Throws
 * if the file no longer contains `before`.
 */
export function writeConfigFile(place: ConfigLocation, before: string | undefined, after: string | undefined): void {
  const file = getConfigPath(place);
  if (after === undefined) {
    requireUnchanged(place, before);
    rmSync(file);
    removeEmptyFolders(place);
    return;
  }
  makeFolders(place);
  const mode = checkPath(place)?.mode ?? 0o666;
  const draft = `${file}.${crypto.randomUUID()}${DRAFT_SUFFIX}`;
  try {
    writeFileSync(draft, after, { flag: 'wx', mode: mode & 0o777, flush: true });
    requireUnchanged(place, before);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function requireUnchanged(place: ConfigLocation, before: string | undefined): void {
  if (readConfigFile(place) !== before) throw new ConfigEditError('another program changed it meanwhile: try again');
}

/**
 * Checks the file and each folder on its path. Returns the stats of the file, or undefined if the file or a folder does
 * not exist.
 */
function checkPath(place: ConfigLocation): Stats | undefined {
  let last: Stats | undefined;
  for (const at of listPathPrefixes(place)) {
    last = tryLstat(at);
    if (last === undefined) return undefined;
    const shown = path.relative(place.base, at);
    if (last.isSymbolicLink()) throw new ConfigEditError(`${shown} is a link, and Argus does not write through links`);
    if (belongsToOtherUser(last)) throw new ConfigEditError(`${shown} belongs to another user of this machine`);
    if (at !== getConfigPath(place) && !last.isDirectory()) throw new ConfigEditError(`${shown} is not a folder`);
  }
  if (last !== undefined && !last.isFile()) throw new ConfigEditError('it is not a file');
  return last;
}

function makeFolders(place: ConfigLocation): void {
  checkPath(place);
  for (const folder of listPathPrefixes(place).slice(0, -1)) {
    try {
      mkdirSync(folder);
    } catch (thrown) {
      if (getSystemCode(thrown) !== 'EEXIST') throw thrown;
    }
  }
}

/** Removes the empty folders on the path of a removed file. */
function removeEmptyFolders(place: ConfigLocation): void {
  for (const folder of listPathPrefixes(place).slice(0, -1).reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Returns each folder from the base to the file, then the file. */
function listPathPrefixes({ base, name }: ConfigLocation): string[] {
  const names = name.split('/');
  return names.map((_, at) => path.join(base, ...names.slice(0, at + 1)));
}

export function getConfigPath({ base, name }: ConfigLocation): string {
  return path.join(base, ...name.split('/'));
}

/** Thrown if a file must not be changed. The message is the reason, without a period. */
export class ConfigEditError extends Error {}

/** Returns line and column of an offset, such as `3:14`, counted from 1 as in editors. */
export function formatPosition(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `${line}:${offset - (before.lastIndexOf('\n') + 1) + 1}`;
}
