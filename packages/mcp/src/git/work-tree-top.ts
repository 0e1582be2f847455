/** Where git would find the repository that a folder lies in, without starting it. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { lstat } from '../system/files/way.ts';

/** The nearest folder upwards that has a repository; `folder` is a real path. Undefined outside of any. */
export function workTreeTop(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isTop(at)) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** Linked work trees and submodules have a file there. Git passes by a folder without a HEAD. */
function isTop(folder: string): boolean {
  const git = path.join(folder, '.git');
  return existsSync(path.join(git, 'HEAD')) || lstat(git)?.isFile() === true;
}
