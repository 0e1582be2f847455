/**
 * What changed in the work tree since an attempt, by the snapshots a loop's state names. What anybody says was changed
 * does not count. Whether a change counts: the rules.
 */

import type { FixAttempt, FixDecision, FixState, Weakening } from 'argus-engine';
import type { LoopContext } from '../loop-context.ts';
import { UNDESCRIBED } from '../state/fix-file.ts';
import type { Difference, Snapshots } from './snapshots.ts';
import { MAX_FILE_DIFF_CHARACTERS } from './text-diff.ts';

/** More are named in the fix file. */
const MAX_NAMED_FILES = 5;

export interface Change extends Difference {
  /** The work tree as it is. */
  now: string;
  /** The attempt that ran with exactly this work tree. */
  tried: FixAttempt | null;
  /** Unified. */
  diff: string;
}

/** Since the last attempt ended, or in error mode the loop began. */
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
  // Whole files, because a hunk may begin inside of a comment or a string.
  const whole = await snapshots.diff(from, now, 'whole');
  // A cut diff does not show all changes.
  const digest = whole.length < MAX_FILE_DIFF_CHARACTERS ? (rules.changeDigest(whole) ?? null) : difference.digest;
  return { files: difference.files, digest, now, tried, diff };
}

/** By all fixes together, from the beginning to the given moment. */
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

/** As runs recorded them, else as a runner printed them. */
function failingTests(rules: LoopContext['rules'], { attempts, error }: FixState): string[] {
  const recorded = attempts.flatMap(({ failed_cases }) => failed_cases);
  if (recorded.length > 0) return [...new Set(recorded)];
  const given = error === null ? [] : rules.understand({ text: error }).failing_tests;
  return [...new Set([...given, ...attempts.flatMap(({ failing_tests }) => failing_tests)])];
}

/** What was changed from the beginning to the last run, without secrets. */
export async function fixedDiff({ rules }: LoopContext, snapshots: Snapshots, state: FixState): Promise<string> {
  const { base } = state.host;
  const last = state.attempts.at(-1)?.snapshot ?? null;
  return base === null || last === null ? '' : rules.redact(await snapshots.diff(base, last));
}

/** Of a green run; without a change by anybody but the command there is nothing to suspect. */
export async function suspicions(
  loopContext: LoopContext,
  snapshots: Snapshots,
  state: FixState,
  snapshot: string,
): Promise<Weakening[]> {
  const from = state.host.after ?? state.host.base;
  // A change that was not declared, while an error was waited for to pass, is one all the same.
  const changed = state.pending_fix !== null || (from !== null && !(await snapshots.same(from, snapshot)));
  return changed ? weakenings(loopContext, snapshots, state, snapshot) : [];
}

/** In words, where nobody said any. */
export function describeChange({ files }: Difference, outside: string | null): string {
  if (files.length === 0) return outside ?? UNDESCRIBED;
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => `${file.path}: ${file.change}`);
  return `${UNDESCRIBED} ${named.join(', ')}${files.length > MAX_NAMED_FILES ? ` and ${files.length - MAX_NAMED_FILES} more files` : ''}`;
}

/** Why a declared fix was refused, with what the work tree shows of it. */
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
