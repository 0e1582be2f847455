/**
 * Chooses how to keep the work tree: as commits of the repository, otherwise as copies.
 */

import { GitSnapshots } from './git-snapshots.ts';
import { PlainCopies } from './plain-copies.ts';
import type { Snapshots } from './snapshots.ts';

/** Opens the snapshots of a loop of this project. `folder` is the loop's folder. */
export async function snapshotsOf(root: string, commandHash: string, folder: string): Promise<Snapshots> {
  const opened = await GitSnapshots.open(root, commandHash);
  return opened instanceof GitSnapshots ? opened : new PlainCopies(root, folder, opened);
}
