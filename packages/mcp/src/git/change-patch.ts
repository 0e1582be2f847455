/** Takes the change of a commit out of a work tree and puts it back. Only temporary work trees are changed. */

import { parseFileName } from './changes.ts';
import { TEST_FILE } from './fix-presence.ts';
import { decodePath, type Git } from './git.ts';

const LIMITS = { timeoutMs: 60_000, maxBytes: 64 * 1024 * 1024 } as const;

/** A change as patches, in latin1, so that the bytes of files in any encoding stay the same. */
export interface ChangePatch {
  /** Changes of the code. */
  code: string;
  /** Changes of tests. They stay when the code is taken out, because otherwise the test would be gone too. */
  tests: string;
  /** Paths of the changed code. */
  files: string[];
}

/**
 * Reads the change of a commit. If it changes only tests, they count as the code.
 * @param testFile beginning of the name of a test, which may be its file
 * @returns a text with the reason if the change cannot be read
 */
export async function readChangePatch(git: Git, commit: string, testFile: string): Promise<ChangePatch | string> {
  const options = ['-r', '-p', '--binary', '--full-index', '--no-renames', '--no-color'] as const;
  const args = ['diff-tree', ...options, `${commit}^1`, commit] as const;
  const { stdout, problem, cut } = await git.run(args, { ...LIMITS, encoding: 'latin1' });
  if (cut) return 'Its change is too large.';
  if (problem !== null) return 'This clone has no commit before it, for example because the clone is shallow.';
  const parts = stdout.split(/^(?=diff --git )/mu).filter((part) => part !== '');
  if (parts.length === 0) return 'It changes no files.';
  if (parts.some((part) => /^(?:index \S+|(?:new|old|deleted file|new file) mode) 160000$/mu.test(part)))
    return 'It changes a submodule, and a temporary work tree has no submodules.';
  const nameOf = (part: string) => decodePath(parseFileName(part) ?? '');
  const isTest = (part: string) => TEST_FILE.test(nameOf(part)) || (testFile !== '' && nameOf(part).endsWith(testFile));
  const code = parts.some((part) => !isTest(part)) ? parts.filter((part) => !isTest(part)) : parts;
  const tests = parts.filter((part) => !code.includes(part));
  return { code: code.join(''), tests: tests.join(''), files: code.map(nameOf) };
}

export type Direction = 'in' | 'out';

/** Returns true if a patch can be applied to the work tree of `git`, or taken out of it. */
export function canApply(git: Git, patch: string, direction: Direction): Promise<boolean> {
  return runApply(git, patch, direction, ['--check']);
}

/** Applies a patch to the work tree of `git`, or takes it out. Returns false if its lines are not there. */
export function applyPatch(git: Git, patch: string, direction: Direction): Promise<boolean> {
  return runApply(git, patch, direction, []);
}

async function runApply(git: Git, patch: string, direction: Direction, options: readonly string[]): Promise<boolean> {
  const args = ['apply', ...options, ...(direction === 'out' ? ['--reverse'] : []), '-'] as const;
  const { problem } = await git.run(args, { ...LIMITS, stdin: Buffer.from(patch, 'latin1') });
  return problem === null;
}
