/**
 * Finds submodules that are checked out in a work tree. Git must not look into them itself, because it would read their
 * settings, which can start programs. Each is read as a separate repository.
 */

import path from 'node:path';
import { asText, type Git, type GitOptions } from '../git/git.ts';
import { textOf } from '../system/files/read.ts';
import { isWithin, lstat, realOr } from '../system/files/way.ts';

/** Maximum number of submodules, because each needs its own processes. */
const MAX_SUBMODULES = 16;
const MAX_BYTES = 64 * 1024;

export interface Submodule {
  /** Path from the top of the work tree, as latin1 bytes. */
  name: string;
  folder: string;
  /** The commit in the last commit of the work tree. */
  commit: string;
}

/** Submodules that both `.gitmodules` and the last commit name. */
export async function submodulesOf(git: Git, top: string, asking: GitOptions): Promise<Submodule[]> {
  const text = textOf(path.join(top, '.gitmodules'), { maxBytes: MAX_BYTES, links: 'refused' }) ?? '';
  const named = [...text.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gmu)].map(([, name = '']) => name);
  const there = named.filter((name) => isCheckedOut(top, name)).slice(0, MAX_SUBMODULES);
  if (there.length === 0) return [];
  const { stdout, problem } = await git.run(['ls-tree', '-z', '--full-tree', 'HEAD', '--', ...there], asking);
  if (problem !== null) return [];
  return [...stdout.matchAll(/160000 commit ([0-9a-f]+)\t([^\0]+)\0/gu)].map(([, commit = '', name = '']) => {
    return { name, folder: path.join(top, ...asText(name).split('/')), commit };
  });
}

/** A link in the path could lead outside the work tree. */
function isCheckedOut(top: string, name: string): boolean {
  const folder = path.join(top, name);
  const isInside = folder !== top && isWithin(realOr(folder), realOr(top)) && realOr(folder) !== realOr(top);
  return isInside && lstat(path.join(folder, '.git')) !== undefined;
}
