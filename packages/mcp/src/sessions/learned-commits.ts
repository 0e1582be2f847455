/**
 * Removes hints to commits that are not on the current branch. The engine cannot check this, because only git knows.
 */

import type { ChangedBefore } from 'argus-engine';
import { Git } from '../git/git.ts';
import { isInHead } from '../git/history.ts';

/** The limit of commits to look up, because each lookup starts a process. */
const MAX_LOOKED_FOR = 12;

/** A failure or a diagnosis. */
interface WithHints {
  changedBefore?: ChangedBefore[];
}

/** Removes commits that are not in HEAD and keeps at most `most` hints for each item. */
export async function keepOnBranch(root: string, all: readonly WithHints[], most: number): Promise<void> {
  const named = new Set(all.flatMap(({ changedBefore = [] }) => changedBefore.map(({ commit }) => commit)));
  if (named.size === 0) return;
  const git = new Git(root);
  const asked = [...named].slice(0, MAX_LOOKED_FOR);
  const are = await Promise.all(asked.map((commit) => isInHead(git, commit)));
  const there = new Set(asked.filter((_, index) => are[index]));
  for (const one of all) {
    const left = (one.changedBefore ?? []).filter(({ commit }) => there.has(commit)).slice(0, most);
    if (left.length > 0) one.changedBefore = left;
    else delete one.changedBefore;
  }
}
