/**
 * Checks the path from a project to a file of Argus in it: whether it stays in the project and belongs to this user.
 */

import { chmodSync, lstatSync, realpathSync, type Stats, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../../errors.ts';

/** The reason why a path cannot be used, as the beginning of a sentence. */
export interface Obstacle {
  kind: 'link' | 'owner';
  text: string;
}

/** True when the path is the folder or lies in it. Both paths must be absolute. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

/** The real path. Returns the absolute path if the file does not exist. */
export function realOr(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/** The first obstacle between the real path of a project and a file in it. The file need not exist. */
export function obstacleOn(root: string, file: string): Obstacle | undefined {
  const names = path.relative(root, file).split(path.sep);
  let at = root;
  for (const name of names) {
    at = path.join(at, name);
    const stats = lstat(at);
    if (stats === undefined) return undefined;
    const obstacle = obstacleAt(root, at, stats);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** The first of the files that is a link. Argus itself never creates these files as links. */
export function linkAmong(root: string, files: readonly string[]): Obstacle | undefined {
  const link = files.find((file) => lstat(file)?.isSymbolicLink());
  return link === undefined ? undefined : { kind: 'link', text: `${path.relative(root, link)} is a link` };
}

function obstacleAt(root: string, at: string, stats: Stats): Obstacle | undefined {
  const shown = path.relative(root, at);
  if (stats.isSymbolicLink() && !leadsInto(root, at)) {
    return { kind: 'link', text: `${shown} is a link that leads out of the project` };
  }
  if (isStrangers(stats)) return { kind: 'owner', text: `${shown} belongs to another user of this machine` };
  return undefined;
}

function leadsInto(root: string, link: string): boolean {
  try {
    return isWithin(realpathSync.native(link), root);
  } catch {
    // The target does not exist yet, and a write through the link would create it.
    return false;
  }
}

/**
 * True for a file of another user, compared with the effective user of this process. Always false on Windows, which has
 * no such ids but gives each user separate folders.
 */
export function isStrangers({ uid }: Pick<Stats, 'uid'>): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
}

/**
 * Removes the permissions of other users. Files of another user, and file systems without permissions, stay unchanged.
 */
export function tighten(file: string, mode: 0o600 | 0o700): void {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink() || isStrangers(stats) || (stats.mode & 0o077) === 0) return;
    chmodSync(file, mode);
  } catch {
    // The file is missing or cannot be changed. Opening it reports problems that matter.
  }
}

/** Creates a `.gitignore` that ignores the whole folder. An existing file or link stays unchanged. */
export function ignoreInGit(folder: string): void {
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    // Another process may have created the file first.
    if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
  }
}

export function lstat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file or may not be entered.
    return undefined;
  }
}

/** True also for a link to a regular file. */
export function isFile(file: string): boolean {
  return stat(file)?.isFile() === true;
}

/** Follows links. Undefined also for circular links. */
export function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
