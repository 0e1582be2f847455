/** Finds the repository of a folder like git does, without starting git. */

import path from 'node:path';
import { lstat } from './way.ts';

/**
 * The nearest parent folder (or the folder itself) with a repository. `folder` must be a real path. Undefined outside a
 * repository.
 */
export function workTreeTop(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isWorkTreeTop(at)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The folder and its parents up to the root of its repository. Only the folder itself outside a repository. */
export function foldersUpwards(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !isWorkTreeTop(at); folders.push(at)) {
    if (at === path.dirname(at)) return [folder];
    at = path.dirname(at);
  }
  return folders;
}

/** Linked work trees and submodules have a `.git` file. Git ignores a `.git` folder without a HEAD. */
export function isWorkTreeTop(folder: string): boolean {
  const git = path.join(folder, '.git');
  // HEAD may be a link to a branch that has no commit yet, so the target is not checked.
  return lstat(path.join(git, 'HEAD')) !== undefined || lstat(git)?.isFile() === true;
}
