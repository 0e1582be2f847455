/** Describes commits for people: title, author, date and files. */

import type { Git } from './git.ts';

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 20;
const MAX_TITLE_CHARACTERS = 100;

export interface DescribedCommit {
  title: string;
  author: string;
  /** ISO 8601. */
  date: string;
  /** Relative to the folder that git runs in. */
  files: string[];
}

/**
 * Describes commits by full hash. Leaves out commits that are not here. Returns nothing if git does not answer in time.
 */
export async function describedCommits(git: Git, hashes: readonly string[]): Promise<Map<string, DescribedCommit>> {
  const known = hashes.filter((hash) => /^[0-9a-f]{40,64}$/u.test(hash));
  if (known.length === 0) return new Map();
  const format = '--format=%x00%H%n%an%n%aI%n%s';
  const args = ['log', '--no-walk=unsorted', '--ignore-missing', '--name-only', '--relative', format] as const;
  const { stdout, problem } = await git.run([...args, ...known, '--'], { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  if (problem !== null) return new Map();
  return new Map(stdout.split('\0').slice(1).map(described));
}

function described(entry: string): [string, DescribedCommit] {
  const [hash = '', author = '', date = '', title = '', ...names] = entry.split('\n');
  const files = names.filter((name) => name !== '').slice(0, MAX_FILES);
  return [hash, { title: title.slice(0, MAX_TITLE_CHARACTERS), author, date, files }];
}
