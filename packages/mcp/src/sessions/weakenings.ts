/**
 * Finds out whether a change weakened a test or the way in which tests are run. Uses the rule of the fix loop:
 * crates/core/src/fix_loop/weakened.rs.
 */

import { createFixLoop, type MendedBefore, type Weakening } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import { asText, Git, type GitArgs } from '../git/git.ts';
import { NOT_OURS } from '../git/settings.ts';

/** Limits of a diff. A larger diff counts as a change without weakenings. */
const LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024, encoding: 'latin1' } as const;

interface Place {
  root: string;
  config: Config;
}

/**
 * Returns the weakenings of a case in a diff. `compared` is a git command that diffs, with its revisions, for example
 * `diff-tree` with a commit.
 */
export async function weakenings({ root, config }: Place, compared: GitArgs, caseName: string): Promise<Weakening[]> {
  const args: GitArgs = [...compared, '-p', '--no-renames', '-U1000000', '--', ':(top)', ...NOT_OURS];
  const diff = await new Git(root).run(args, LIMITS);
  if (diff.problem !== null || diff.cut) return [];
  const rules = createFixLoop({ rules: config.classify?.rules ?? [], secrets: config.redact?.patterns ?? [] });
  const found = rules.weakened([], asText(diff.stdout), [caseName]);
  const [ownFile = ''] = caseName.split(' > ');
  // Weakenings of other files are ignored, because other tests may be added or removed in the same change.
  const isOfTest = ({ file, kind }: Weakening) => file.endsWith(ownFile) || ABOUT_ALL.has(kind);
  return found.filter(isOfTest);
}

const ABOUT_ALL: ReadonlySet<Weakening['kind']> = new Set([
  'test_changed',
  'hook_changed',
  'mocked',
  'failure_ignored',
]);

/**
 * Removes `mendedBefore` from an answer if its commit weakened the test. The engine has already left out edits that
 * weaken a test, but only the repository knows the changes of a commit.
 */
export async function withHonestMend<T extends { mendedBefore?: MendedBefore }>(
  place: Place,
  answer: T,
  caseName: string,
): Promise<T> {
  const commit = answer.mendedBefore?.commit ?? '';
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(commit)) return answer;
  const found = await weakenings(place, ['diff-tree', '-r', '--root', '--no-commit-id', commit], caseName);
  if (found.length === 0) return answer;
  const honest = { ...answer };
  delete honest.mendedBefore;
  return honest;
}
