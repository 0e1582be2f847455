/**
 * State of the work tree when a run starts. Nothing is changed, not even git's index.
 */

import type { GitFacts } from 'argus-engine';
import { isRefusal, runGit } from '../git/git.ts';
import { NOT_OURS } from '../git/settings.ts';
import { log } from '../log.ts';
import { visible } from '../text/untrusted.ts';

/** A status that takes longer is not worth the wait. */
const TIMEOUT_MS = 5_000;

const MAX_BYTES = 64 * 1024 * 1024;

/** Folders of which it was said that git refuses to look into them. */
const refused = new Set<string>();

/** Null outside a repository, where git refuses to look into it, and where git is not installed. */
export async function gitFacts(root: string): Promise<GitFacts | null> {
  const { stdout, cut, problem } = await runGit(
    root,
    ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--', ':(top)', ...NOT_OURS],
    { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
  );
  if (isRefusal(problem) && !refused.has(root)) {
    refused.add(root);
    log(visible(`${root} counts as no git repository: ${problem}`));
  }
  return problem === null && !cut ? parseStatus(stdout) : null;
}

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string): GitFacts {
  const facts: GitFacts = { commit: null, branch: null, dirty: false };
  for (const entry of output.split('\0')) {
    if (entry.startsWith('# branch.oid ')) facts.commit = known(entry.slice(13), '(initial)');
    else if (entry.startsWith('# branch.head ')) facts.branch = known(entry.slice(14), '(detached)');
    else if (entry !== '' && !entry.startsWith('# ')) facts.dirty = true;
  }
  return facts;
}

function known(value: string, absent: string): string | null {
  return value === absent ? null : value;
}
