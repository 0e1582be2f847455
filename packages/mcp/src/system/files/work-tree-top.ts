/** Where git would find the repository that a folder lies in, without starting it. */

import path from 'node:path';
import { lstat } from './way.ts';

/** The nearest folder upwards that has a repository; `folder` is a real path. Undefined outside of any. */
export function workTreeTop(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isWorkTreeTop(at)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** The folder and those around it, up to the repository that it is of; the folder alone outside of any. */
export function foldersUpwards(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !isWorkTreeTop(at); folders.push(at)) {
    if (at === path.dirname(at)) return [folder];
    at = path.dirname(at);
  }
  return folders;
}

/** Linked work trees and submodules have a file there. Git passes by a folder without a HEAD. */
export function isWorkTreeTop(folder: string): boolean {
  const git = path.join(folder, '.git');
  // HEAD may be a link to a branch without a commit.
  return lstat(path.join(git, 'HEAD')) !== undefined || lstat(git)?.isFile() === true;
}
