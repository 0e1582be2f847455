/**
 * Finds what changed in the work tree since an attempt, by comparing the snapshots in a loop's state. Claims about
 * changes do not count. The rules decide whether a change counts.
 */

import type { FixAttempt, FixDecision, FixState, Weakening } from 'argus-engine';
import type { LoopContext } from '../loop-context.ts';
import { UNDESCRIBED } from '../state/fix-file.ts';
import type { Difference, Snapshots } from './snapshots.ts';
import { MAX_FILE_DIFF_CHARACTERS } from './text-diff.ts';

/** Limit for the file names in a description. The fix file lists all. */
const MAX_NAMED_FILES = 5;

export interface Change extends Difference {
  /** Id of a snapshot of the current work tree. */
  now: string;
  /** An attempt that ran with exactly this work tree. Null if there is none. */
  tried: FixAttempt | null;
  /** Unified diff. */
  diff: string;
}

/**
 * Returns the change since the end of the last attempt. In error mode before the first attempt, since the start of the
 * loop.
 */
export async function changeSince(
  { rules }: LoopContext,
  snapshots: Snapshots,
  { host, attempts }: FixState,
): Promise<Change> {
  const now = await snapshots.now();
  const from = host.after ?? host.base;
  if (from === null) return { digest: null, files: [], now, tried: null, diff: '' };
  const difference = await snapshots.difference(from, now);
  if (difference.digest === null) return { ...difference, now, tried: null, diff: '' };
  const tried = await ranWith(snapshots, attempts, now);
  const diff = await snapshots.diff(from, now);
  // Use whole files, because a hunk may start inside a comment or a string.
  const whole = await snapshots.diff(from, now, 'whole');
  // A cut diff does not show all changes.
  const digest = whole.length < MAX_FILE_DIFF_CHARACTERS ? (rules.changeDigest(whole) ?? null) : difference.digest;
  return { files: difference.files, digest, now, tried, diff };
}

/** Returns the weakened tests by all fixes together, from the start of the loop to the snapshot `until`. */
export async function weakenings(
  { rules }: LoopContext,
  snapshots: Snapshots,
  state: FixState,
  until: string,
): Promise<Weakening[]> {
  const { base } = state.host;
  if (base === null) return [];
  const { files } = await snapshots.difference(base, until);
  return rules.weakened(files, await snapshots.diff(base, until, 'whole'), failingTests(rules, state));
}

/** Returns the failing tests from recorded runs, otherwise from the output of runners. */
function failingTests(rules: LoopContext['rules'], { attempts, error }: FixState): string[] {
  const recorded = attempts.flatMap(({ failed_cases }) => failed_cases);
  if (recorded.length > 0) return [...new Set(recorded)];
  const given = error === null ? [] : rules.understand({ text: error }).failing_tests;
  return [...new Set([...given, ...attempts.flatMap(({ failing_tests }) => failing_tests)])];
}

/** Returns the diff from the start of the loop to the last run, without secrets. */
export async function fixedDiff({ rules }: LoopContext, snapshots: Snapshots, state: FixState): Promise<string> {
  const { base } = state.host;
  const last = state.attempts.at(-1)?.snapshot ?? null;
  return base === null || last === null ? '' : rules.redact(await snapshots.diff(base, last));
}

/** Returns the weakened tests of a green run. Without a change since the last attempt, nothing is suspicious. */
export async function suspicions(
  loopContext: LoopContext,
  snapshots: Snapshots,
  state: FixState,
  snapshot: string,
): Promise<Weakening[]> {
  const from = state.host.after ?? state.host.base;
  // A change also counts if it was not declared, for example while the loop waited for an error to disappear.
  const changed = state.pending_fix !== null || (from !== null && !(await snapshots.same(from, snapshot)));
  return changed ? weakenings(loopContext, snapshots, state, snapshot) : [];
}

/** Describes a change by its files, because nobody described it. */
export function describeChange({ files }: Difference, outside: string | null): string {
  if (files.length === 0) return outside ?? UNDESCRIBED;
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => `${file.path}: ${file.change}`);
  return `${UNDESCRIBED} ${named.join(', ')}${files.length > MAX_NAMED_FILES ? ` and ${files.length - MAX_NAMED_FILES} more files` : ''}`;
}

/** Explains why a declared fix was refused, with what the work tree shows. */
export function explainRefusal(
  decision: FixDecision,
  { digest, tried }: Change,
  due: FixDecision['type'],
): FixDecision {
  const { reason } = decision;
  const hasFailed = tried !== null && tried.exit_code !== 0;
  const before = hasFailed ? `The work tree is as it was before attempt ${tried.number}, which failed. ` : '';
  const ignored = 'Comments and blank lines are none, and files that git ignores are outside of it.';
  const behind = due === 'apply_fix' && digest === null ? ` ${ignored}` : '';
  return { ...decision, reason: before + reason + behind };
}

async function ranWith(snapshots: Snapshots, attempts: FixState['attempts'], now: string): Promise<FixAttempt | null> {
  for (const attempt of attempts) {
    const { snapshot } = attempt;
    if (snapshot !== null && (await snapshots.same(snapshot, now).catch(() => false))) return attempt;
  }
  return null;
}
