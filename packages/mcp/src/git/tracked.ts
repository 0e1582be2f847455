/** Finds the files that git tracks. */

import { runGit } from './git.ts';

/**
 * Returns the paths (absolute or relative to `root`) that git tracks, or that are folders with tracked files. The case
 * is ignored, because some file systems ignore it. Empty outside a repository. Undefined if git could not answer.
 */
export async function trackedFiles(root: string, paths: readonly string[]): Promise<Set<string> | undefined> {
  const specs = paths.map((one) => `:(icase,literal)${one}`);
  if (specs.length === 0) return new Set();
  const found = await Promise.all(specs.map((spec) => isTracked(root, spec)));
  if (found.includes(undefined)) return undefined;
  return new Set(paths.filter((_, index) => found[index] === true));
}

async function isTracked(root: string, spec: string): Promise<boolean | undefined> {
  const { stdout, problem } = await runGit(root, ['ls-files', '-z', '--cached', '--', spec], { maxBytes: 1_024 });
  if (problem === null) return stdout !== '';
  const none = /not a git repository|is outside repository|Invalid path|^git is not installed/u.test(problem);
  return none ? false : undefined;
}
