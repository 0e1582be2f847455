/**
 * Reads and writes a configuration file of an agent, in a project or in a home folder. Nothing on its path may be a
 * link, because otherwise a repository could redirect the write anywhere.
 */

import { mkdirSync, renameSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../../../errors.ts';
import { readBytes, Unreadable } from '../../../system/files/read.ts';
import { isStrangers, lstat } from '../../../system/files/way.ts';
import { DRAFT_SUFFIX } from '../../../system/files/whole-file.ts';
import { Refused } from './refused.ts';

/** Claude Code keeps more than settings in its file. A larger file is not a configuration. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface ConfigPlace {
  /** Real path of the project or of the user's home. */
  base: string;
  /** Path relative to `base`, with `/`. */
  name: string;
}

/** Undefined if the file does not exist. */
export function readConfigFile(place: ConfigPlace): string | undefined {
  const stats = checkWay(place);
  if (stats === undefined) return undefined;
  try {
    const bytes = readBytes(fileOf(place), { maxBytes: MAX_BYTES, links: 'refused' });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw new Refused(thrown.message);
    throw systemCodeOf(thrown) === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? new Refused('it is no UTF-8 text') : thrown;
  }
}

/**
 * Writes the whole file or nothing, and keeps its permissions. Removes the file if `after` is undefined. Refuses if the
 * file changed since it was read.
 */
export function writeConfigFile(place: ConfigPlace, before: string | undefined, after: string | undefined): void {
  const file = fileOf(place);
  if (after === undefined) {
    requireUnchanged(place, before);
    rmSync(file);
    removeEmptyFolders(place);
    return;
  }
  makeFolders(place);
  const mode = checkWay(place)?.mode ?? 0o666;
  const draft = `${file}.${crypto.randomUUID()}${DRAFT_SUFFIX}`;
  try {
    writeFileSync(draft, after, { flag: 'wx', mode: mode & 0o777, flush: true });
    requireUnchanged(place, before);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function requireUnchanged(place: ConfigPlace, before: string | undefined): void {
  if (readConfigFile(place) !== before) throw new Refused('it was changed by somebody else meanwhile: try again');
}

/** Returns the stats of the file. Undefined if the file, or a folder on its path, does not exist. */
function checkWay(place: ConfigPlace): Stats | undefined {
  let last: Stats | undefined;
  for (const at of wayTo(place)) {
    last = lstat(at);
    if (last === undefined) return undefined;
    const shown = path.relative(place.base, at);
    if (last.isSymbolicLink()) throw new Refused(`${shown} is a link; nothing is written through one`);
    if (isStrangers(last)) throw new Refused(`${shown} belongs to another user of this machine`);
    if (at !== fileOf(place) && !last.isDirectory()) throw new Refused(`${shown} is no folder`);
  }
  if (last !== undefined && !last.isFile()) throw new Refused('it is no file');
  return last;
}

function makeFolders(place: ConfigPlace): void {
  checkWay(place);
  for (const folder of wayTo(place).slice(0, -1)) {
    try {
      mkdirSync(folder);
    } catch (thrown) {
      if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
    }
  }
}

/** Removes the folders on the path of a removed file. A folder with other content stays. */
function removeEmptyFolders(place: ConfigPlace): void {
  for (const folder of wayTo(place).slice(0, -1).reverse()) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Returns each folder below the base, then the file. */
function wayTo({ base, name }: ConfigPlace): string[] {
  const names = name.split('/');
  return names.map((_, at) => path.join(base, ...names.slice(0, at + 1)));
}

export function fileOf({ base, name }: ConfigPlace): string {
  return path.join(base, ...name.split('/'));
}
