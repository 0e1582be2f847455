/**
 * Finds the changes in the work tree since an attempt by comparing the snapshots of a loop. Claims of an agent or a
 * person about changes do not count. The rules decide whether a change counts.
 */

import type { FixAttempt, FixDecision, FixState, Weakening } from 'argus-engine';
import type { LoopContext } from '../loop-context.ts';
import { GENERATED_DESCRIPTION_PREFIX } from '../state/fix-file.ts';
import { type Difference, MAX_FILE_DIFF_CHARACTERS, type Snapshots } from './snapshots.ts';

/** Maximum number of files in a generated description. The fix file lists all files. */
const MAX_NAMED_FILES = 5;

interface WorkTreeChange extends Difference {
  /** Id of a snapshot of the current work tree. */
  now: string;
  /** An attempt that ran with exactly these files. Null if there is none. */
  tried: FixAttempt | null;
  /** Unified diff. */
  diff: string;
}

/**
 * Returns the change since the end of the last attempt. In error mode before the first attempt, returns the change
 * since the start of the loop.
 */
export async function computeChange(
  { rules }: LoopContext,
  snapshots: Snapshots,
  { host, attempts }: FixState,
): Promise<WorkTreeChange> {
  const now = await snapshots.saveTemporarily();
  const from = host.after ?? host.base;
  if (from === null) return { digest: null, files: [], now, tried: null, diff: '' };
  const difference = await snapshots.difference(from, now);
  if (difference.digest === null) return { ...difference, now, tried: null, diff: '' };
  const tried = await findAttemptWithFiles(snapshots, attempts, now);
  const diff = await snapshots.diff(from, now);
  // Use complete files, because a hunk may start inside a comment or a string.
  const whole = await snapshots.diff(from, now, 'whole');
  // A truncated diff does not show all changes.
  const digest = whole.length < MAX_FILE_DIFF_CHARACTERS ? (rules.changeDigest(whole) ?? null) : difference.digest;
  return { files: difference.files, digest, now, tried, diff };
}

/** Returns the tests that all fixes together have weakened, from the start of the loop to the snapshot `until`. */
export async function findWeakenings(
  { rules }: LoopContext,
  snapshots: Snapshots,
  state: FixState,
  until: string,
): Promise<Weakening[]> {
  const { base } = state.host;
  if (base === null) return [];
  const { files } = await snapshots.difference(base, until);
  return rules.weakened(files, await snapshots.diff(base, until, 'whole'), listFailingTests(rules, state));
}

/** Returns the failing tests from recorded runs, otherwise from the output of test runners. */
function listFailingTests(rules: LoopContext['rules'], { attempts, error }: FixState): string[] {
  const recorded = attempts.flatMap(({ failed_cases }) => failed_cases);
  if (recorded.length > 0) return [...new Set(recorded)];
  const given = error === null ? [] : rules.understand({ text: error }).failing_tests;
  return [...new Set([...given, ...attempts.flatMap(({ failing_tests }) => failing_tests)])];
}

/** Returns the diff from the start of the loop to the last run, without secrets. */
export async function readFixesDiff({ rules }: LoopContext, snapshots: Snapshots, state: FixState): Promise<string> {
  const { base } = state.host;
  const last = state.attempts.at(-1)?.snapshot ?? null;
  return base === null || last === null ? '' : rules.redact(await snapshots.diff(base, last));
}

/** Returns the weakened tests of a successful run. If nothing changed since the last attempt, nothing is suspicious. */
export async function findSuspiciousChanges(
  loopContext: LoopContext,
  snapshots: Snapshots,
  state: FixState,
  snapshot: string,
): Promise<Weakening[]> {
  const from = state.host.after ?? state.host.base;
  // A change also counts if it was not declared, for example while the loop waited for an error to disappear.
  const changed = state.pending_fix !== null || (from !== null && !(await snapshots.areEqual(from, snapshot)));
  return changed ? findWeakenings(loopContext, snapshots, state, snapshot) : [];
}

/** Describes a change by its files. Used if nobody described the change. */
export function describeChange({ files }: Difference, outside: string | null): string {
  if (files.length === 0) return outside ?? GENERATED_DESCRIPTION_PREFIX;
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => `${file.path}: ${file.change}`);
  return `${GENERATED_DESCRIPTION_PREFIX} ${named.join(', ')}${files.length > MAX_NAMED_FILES ? ` and ${files.length - MAX_NAMED_FILES} more files` : ''}`;
}

/** Extends the reason for a refused fix with facts about the work tree. */
export function explainRefusal(
  decision: FixDecision,
  { digest, tried }: WorkTreeChange,
  expectedDecision: FixDecision['type'],
): FixDecision {
  const { reason } = decision;
  const hasFailed = tried !== null && tried.exit_code !== 0;
  const before = hasFailed ? `The work tree is the same as before attempt ${tried.number}, which failed. ` : '';
  const ignored = 'Changes of comments, blank lines and files that git ignores do not count.';
  const hint = expectedDecision === 'apply_fix' && digest === null ? ` ${ignored}` : '';
  return { ...decision, reason: before + reason + hint };
}

async function findAttemptWithFiles(
  snapshots: Snapshots,
  attempts: FixState['attempts'],
  now: string,
): Promise<FixAttempt | null> {
  for (const attempt of attempts) {
    const { snapshot } = attempt;
    if (snapshot !== null && (await snapshots.areEqual(snapshot, now).catch(() => false))) return attempt;
  }
  return null;
}
