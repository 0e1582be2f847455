/**
 * Checks the path from a project to a file of Argus in it: whether the path stays in the project and belongs to this
 * user. Also finds the repository of a folder as git does, without starting git.
 */

import { chmodSync, lstatSync, realpathSync, type Stats, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getSystemCode } from '../../errors.ts';

/** Why a path cannot be used, as the beginning of a sentence. */
interface Obstacle {
  kind: 'link' | 'owner';
  text: string;
}

/** True if the path is the folder or inside it. Both paths must be absolute. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative));
}

/** Returns the real path, or the absolute path if the file does not exist. */
export function resolveRealPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

/**
 * Returns the first obstacle on the path from a project to a file in it. `root` must be a real path. The file need not
 * exist.
 */
export function findObstacle(root: string, file: string): Obstacle | undefined {
  const names = path.relative(root, file).split(path.sep);
  let at = root;
  for (const name of names) {
    at = path.join(at, name);
    const stats = tryLstat(at);
    if (stats === undefined) return undefined;
    const obstacle = checkForObstacle(root, at, stats);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** Returns an obstacle if one of the files is a link. Argus itself never creates links with these names. */
export function findLinkObstacle(root: string, files: readonly string[]): Obstacle | undefined {
  const link = files.find((file) => tryLstat(file)?.isSymbolicLink());
  return link === undefined ? undefined : { kind: 'link', text: `${path.relative(root, link)} is a link` };
}

function checkForObstacle(root: string, at: string, stats: Stats): Obstacle | undefined {
  const shown = path.relative(root, at);
  if (stats.isSymbolicLink() && !isLinkInto(root, at)) {
    return { kind: 'link', text: `${shown} is a link that points outside the project` };
  }
  if (belongsToOtherUser(stats)) return { kind: 'owner', text: `${shown} belongs to another user of this machine` };
  return undefined;
}

function isLinkInto(root: string, link: string): boolean {
  try {
    return isWithin(realpathSync.native(link), root);
  } catch {
    // The target does not exist yet, and a write through the link would create it.
    return false;
  }
}

/**
 * True if the file belongs to another user than the effective user of this process. Always false on Windows, which has
 * no such ids but gives each user separate folders.
 */
export function belongsToOtherUser({ uid }: Pick<Stats, 'uid'>): boolean {
  const own = process.geteuid?.();
  return own !== undefined && uid !== own;
}

/**
 * Removes the permissions of other users. Files of another user, and file systems without permissions, are not changed.
 */
export function restrictPermissions(file: string, mode: 0o600 | 0o700): void {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink() || belongsToOtherUser(stats) || (stats.mode & 0o077) === 0) return;
    chmodSync(file, mode);
  } catch {
    // The file is missing or cannot be changed. Opening the file will report problems that matter.
  }
}

/** Creates a `.gitignore` that ignores the complete folder. An existing file or link is not changed. */
export function ignoreInGit(folder: string): void {
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    // Another process may have created the file first.
    if (getSystemCode(thrown) !== 'EEXIST') throw thrown;
  }
}

export function tryLstat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file, or a folder without permission.
    return undefined;
  }
}

/** Also true for a link to a regular file. */
export function isFile(file: string): boolean {
  return stat(file)?.isFile() === true;
}

/** Returns undefined also for circular links. */
export function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Returns the nearest folder with a repository, which may be the folder itself. `folder` must be a real path. Returns
 * undefined outside of a repository.
 */
export function findWorkTreeTop(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isWorkTreeTop(at)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/**
 * Returns the folder and its parents up to the root of its repository. Outside of a repository, returns only the folder
 * itself.
 */
export function listFoldersUpToWorkTree(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !isWorkTreeTop(at); folders.push(at)) {
    if (at === path.dirname(at)) return [folder];
    at = path.dirname(at);
  }
  return folders;
}

/**
 * True if the folder is the top of a work tree. Linked work trees and submodules have a `.git` file. Git ignores a
 * `.git` folder without a HEAD.
 */
export function isWorkTreeTop(folder: string): boolean {
  const git = path.join(folder, '.git');
  // HEAD may be a link to a branch without commits, so the target is not checked.
  return tryLstat(path.join(git, 'HEAD')) !== undefined || tryLstat(git)?.isFile() === true;
}
