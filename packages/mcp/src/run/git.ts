/**
 * State of the work tree when a run starts.
 * Does not: change anything, not even git's index.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GitFacts } from 'argus-engine';

/** A status that takes longer is not worth the wait. */
const TIMEOUT_MS = 5_000;

/** What Argus and its fix loop write is no change of the project. */
const NOT_OURS = [':(top)', ':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];

const run = promisify(execFile);

/** Null outside a repository, and where git is not installed. */
export async function gitFacts(root: string): Promise<GitFacts | null> {
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--', ...NOT_OURS];
  try {
    const { stdout } = await run('git', args, {
      cwd: root,
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
      // Reading must not take the lock another git may need.
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    });
    return parseStatus(stdout);
  } catch {
    return null;
  }
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
