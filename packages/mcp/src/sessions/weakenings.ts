/**
 * Finds out whether a change weakened a test, or weakened how tests are run. Uses the rule of the fix loop:
 * crates/core/src/fix_loop/weakenings.rs.
 */

import { createFixLoop, type PreviousFix, type Weakening } from 'argus-engine';
import type { Config } from '../config/schema.ts';
import { findFixPresence } from '../git/fix-presence.ts';
import { decodePath, Git, type GitArgs } from '../git/git.ts';
import { EXCLUDE_ARGUS_FILES } from '../git/settings.ts';
import type { Project } from '../owner/project.ts';

/** Limits of a diff. A larger diff counts as a change without weakenings. */
const DIFF_LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024, encoding: 'latin1' } as const;

interface ProjectRules {
  root: string;
  project: Pick<Project, 'top'>;
  config: Config;
}

/**
 * Returns the weakenings in a diff that affect a case. `diffCommand` is a git command that creates a diff, with its
 * revisions, such as `diff-tree` with a commit.
 */
export async function findWeakenings(
  { root, config }: ProjectRules,
  diffCommand: GitArgs,
  caseName: string,
): Promise<Weakening[]> {
  const args: GitArgs = [...diffCommand, '-p', '--no-renames', '-U1000000', '--', ':(top)', ...EXCLUDE_ARGUS_FILES];
  const diff = await new Git(root).run(args, DIFF_LIMITS);
  if (diff.problem !== null || diff.cut) return [];
  const rules = createFixLoop({ rules: config.classify?.rules ?? [], secrets: config.redact?.patterns ?? [] });
  const found = rules.weakened([], decodePath(diff.stdout), [caseName]);
  const [ownFile = ''] = caseName.split(' > ');
  // Weakenings of other test files are ignored, because other tests may be added or removed in the same change.
  const affectsTest = ({ file, kind }: Weakening) => file.endsWith(ownFile) || KINDS_AFFECTING_ALL_TESTS.has(kind);
  return found.filter(affectsTest);
}

const KINDS_AFFECTING_ALL_TESTS: ReadonlySet<Weakening['kind']> = new Set([
  'test_changed',
  'hook_changed',
  'mocked',
  'failure_ignored',
]);

/** Whether the changes of fixes are still there, by the id of the fix, because many failures may have the same fix. */
type FixPresences = Map<string, ReturnType<typeof findFixPresence>>;

/**
 * Removes `mendedBefore` from an answer if the commit weakened the test. Otherwise adds whether the change is still in
 * the work tree. The engine has already left out edits that weaken a test, but only the repository knows the changes of
 * a commit.
 */
export async function checkPreviousFix<T extends { mendedBefore?: PreviousFix }>(
  place: ProjectRules,
  answer: T,
  caseName: string,
  presences: FixPresences = new Map(),
): Promise<T> {
  const { mendedBefore } = answer;
  const commit = mendedBefore?.commit ?? '';
  if (mendedBefore === undefined || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(commit)) return answer;
  const found = await findWeakenings(place, ['diff-tree', '-r', '--root', '--no-commit-id', commit], caseName);
  if (found.length === 0) {
    const finding = presences.get(mendedBefore.fixId) ?? findFixPresence(place.project.top, mendedBefore);
    presences.set(mendedBefore.fixId, finding);
    const presence = await finding;
    return presence === undefined ? answer : { ...answer, mendedBefore: { ...mendedBefore, presence } };
  }
  const withoutFix = { ...answer };
  delete withoutFix.mendedBefore;
  return withoutFix;
}

/** Like `checkPreviousFix`, for all failures of a run. */
export function checkPreviousFixes<T extends { caseName: string; mendedBefore?: PreviousFix }>(
  place: ProjectRules,
  failures: readonly T[],
): Promise<T[]> {
  const presences: FixPresences = new Map();
  return Promise.all(failures.map((failure) => checkPreviousFix(place, failure, failure.caseName, presences)));
}
