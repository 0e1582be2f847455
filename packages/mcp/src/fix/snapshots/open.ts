/**
 * Chooses how the work tree is kept: as commits of the repository, else as copies.
 */

import { GitSnapshots } from './git-snapshots.ts';
import { PlainCopies } from './plain-copies.ts';
import type { Snapshots } from './snapshots.ts';

/** For a loop of this project, by the name of its folder. */
export async function snapshotsOf(root: string, commandHash: string, folder: string): Promise<Snapshots> {
  const opened = await GitSnapshots.open(root, commandHash);
  return opened instanceof GitSnapshots ? opened : new PlainCopies(root, folder, opened);
}
