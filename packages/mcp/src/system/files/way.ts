/**
 * The way from a project to a file of Argus in it: whether it stays in the project and belongs to this user.
 */

import { chmodSync, lstatSync, realpathSync, type Stats, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCodeOf } from '../../errors.ts';

/** What is in the way, as the beginning of a sentence. */
export interface Obstacle {
  kind: 'link' | 'owner';
  text: string;
}

/** Whether a path is a folder or lies in it; both absolute. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

/** The real path; of what is not there, the path as it is. */
export function realOr(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/** The first obstacle on the way from the real path of a project to a file in it, whether it exists or not. */
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

/** The first of some files that is a link, which none of them is where Argus made them. */
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
    // It leads nowhere yet; whoever writes through it makes that place.
    return false;
  }
}

/** What this process makes belongs to its effective user. Windows has no such numbers, and gives each user own folders. */
export function isStrangers({ uid }: Pick<Stats, 'uid'>): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
}

/** Takes from others what they need not see; what is not this user's, or no file system of rights, stays as it is. */
export function tighten(file: string, mode: 0o600 | 0o700): void {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink() || isStrangers(stats) || (stats.mode & 0o077) === 0) return;
    chmodSync(file, mode);
  } catch {
    // Missing, or not to be changed: what matters is said when it is opened.
  }
}

/** Keeps git away from a folder; what lies there already, a link too, stays as it is. */
export function ignoreInGit(folder: string): void {
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    // Also where another process was first.
    if (systemCodeOf(thrown) !== 'EEXIST') throw thrown;
  }
}

export function lstat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the way is a file, or may not be entered.
    return undefined;
  }
}

/** True also for a link to a regular file. */
export function isFile(file: string): boolean {
  return stat(file)?.isFile() === true;
}

/** Behind links; undefined also for links in a circle. */
export function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
