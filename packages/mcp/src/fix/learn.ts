/**
 * Learns from a finished loop. Each fix becomes a solution of its error in the debug memory, with its outcome, and is
 * reported for the failed run in the memory of failures. Failed recordings become messages, not errors.
 */

import type { FixAttempt, FixState } from 'argus-engine';
import { environmentOf } from '../environment/project-environment.ts';
import { messageOf } from '../errors.ts';
import { addIncident, addSolution, recordOutcome } from '../memory/calls.ts';
import { isStorageProblem } from '../storage/database.ts';
import type { Kept } from '../storage/outbox.ts';
import { type AttemptRun, readAttemptRun } from './attempt/recorded-attempt.ts';
import type { LoopContext } from './loop-context.ts';
import { oneLine } from './report/markdown.ts';
import { isRejected } from './report/summary.ts';
import { describeChange } from './snapshots/changes.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { UNDESCRIBED } from './state/fix-file.ts';
import { readLog } from './state/loop-files.ts';
import type { StateFolder } from './state/state-folder.ts';

/** Enough text to repeat a fix and to recognize an error. */
const MAX_STEPS_CHARACTERS = 8_000;
const MAX_SIGNATURE_CHARACTERS = 8_000;
const MAX_TITLE_CHARACTERS = 300;

/** A longer diff is cut at its end. */
const MAX_DIFF_CHARACTERS = 2_000;
const MAX_FILES = 20;

/** Limit for the causes of a run for which a fix is reported. */
const MAX_CAUSES = 5;

/** A fix and the error that it was for. */
interface Lesson {
  fix: FixAttempt;
  /** Headline of the error. */
  title: string;
  signature: string;
  steps: string;
  worked: boolean;
  /**
   * The run that failed with the error. Undefined if the error was given by the caller, or if the run was not recorded.
   */
  failed: AttemptRun | undefined;
  /** A case for each cause that the fix was for. */
  cases: string[];
}

/**
 * Learns the fixes after number `known`, where the last call ended. Returns messages about failed recordings. Storage
 * problems end the call, so the next call learns the rest.
 */
export async function learn(
  loopContext: LoopContext,
  loop: Lessons,
  known: number,
  onLearned: (upTo: number) => void,
): Promise<string[]> {
  if (!loopContext.session.historyEnabled || isExplained(loop.state)) return [];
  const lessons = (await lessonsOf(loopContext, loop)).filter(({ fix }) => fix.number > known);
  const problems = new Set<string>();
  for (const lesson of lessons) {
    try {
      await learnSolution(loopContext, lesson);
      const reports = await reportFix(loopContext, lesson);
      for (const warning of reports.flatMap(warningsOf)) problems.add(warning);
    } catch (thrown) {
      problems.add(`Not remembered: ${messageOf(thrown)}`);
      if (isStorageProblem(thrown)) break;
    }
    onLearned(lesson.fix.number);
  }
  return [...problems];
}

/** The parts of a loop that this module learns from. */
interface Lessons {
  state: FixState;
  folder: StateFolder;
  snapshots: Pick<Snapshots, 'difference' | 'diff'>;
}

/**
 * Returns a lesson for each fix. A fix worked if the loop succeeded and the error never came back. A fix that a human
 * rejected is skipped, because it must not be tried again; the error before it stays the current error.
 */
async function lessonsOf(loopContext: LoopContext, loop: Lessons): Promise<Lesson[]> {
  const { state, folder } = loop;
  const { attempts } = state;
  const verified = state.status === 'success';
  const isAfter = state.mode === 'command' ? 1 : 0;
  const lessons = attempts.map(async (attempt, index): Promise<Lesson[]> => {
    // In error mode, an attempt verifies the fix that was made before it. In command mode, the next attempt verifies
    // the fix.
    const later = attempts.slice(index + isAfter);
    const [verifying] = later;
    if (attempt.fix_applied === null || verifying === undefined || isRejected(verifying)) return [];
    const failed = attempts.slice(0, index + isAfter).findLast((before) => !isRejected(before));
    const hash = failed === undefined ? state.first_error?.error_hash : failed.error_hash;
    const cameBack = later.some(({ error_hash }) => error_hash === hash);
    const error = failed ?? state.first_error;
    const net = isRejected(attempts[index + isAfter - 1] ?? verifying)
      ? await netChange(loopContext, loop, failed?.snapshot ?? state.host.base, verifying.snapshot)
      : { files: attempt.files, diff: diffOf(folder, attempt.number) };
    // The fix only undid a rejected fix.
    if (net.files.length === 0 && attempt.outside === null && attempt.files.length > 0) return [];
    const headline = error?.headline || error?.error_type || 'a failed command';
    const worked = verified && !cameBack;
    const failedRun = failed === undefined ? undefined : readAttemptRun(folder, failed.number);
    const text =
      failed === undefined ? (state.error ?? '') : salient(loopContext, failed, readLog(folder, failed.number));
    return [
      {
        fix: attempt,
        title: oneLine(headline, MAX_TITLE_CHARACTERS),
        steps: stepsOf(attempt, net) + (worked ? acceptance(state) : ''),
        signature: text.slice(-MAX_SIGNATURE_CHARACTERS).toWellFormed() || headline,
        worked,
        failed: failedRun,
        cases: casesOf(failedRun, readAttemptRun(folder, verifying.number), worked),
      },
    ];
  });
  return (await Promise.all(lessons)).flat();
}

/**
 * Returns a case for each cause. If the fix worked, these are causes that the next run no longer had; otherwise causes
 * that it still had.
 */
function casesOf(failed: AttemptRun | undefined, next: AttemptRun | undefined, worked: boolean): string[] {
  const still = new Set(next?.causes.flat());
  const fits = (failed?.causes ?? []).filter((cases) => cases.some((name) => still.has(name)) !== worked);
  return fits.flatMap(([first]) => first ?? []).slice(0, MAX_CAUSES);
}

/** True for a success that is based on a stated reason and that no human accepted. Nothing is learned from it. */
function isExplained({ attempts, stated_reason }: FixState): boolean {
  return stated_reason !== null && (attempts.at(-1)?.weakened ?? []).length > 0;
}

/** Describes who accepted a success that no run has proved. */
function acceptance({ mode, test, attempts, verified_by }: FixState): string {
  if (verified_by !== null) return ` No command verified it; whoever made it did: ${oneLine(verified_by)}.`;
  const weakened = attempts.at(-1)?.weakened ?? [];
  const where = weakened.map(({ file, line, kind }) => `${file}:${line} (${kind.replaceAll('_', ' ')})`);
  if (where.length > 0) return ` A person accepted it although the tests are weaker: ${where.slice(0, 3).join(', ')}.`;
  return mode === 'error' && test === null ? ' A person accepted it; nothing was run to verify it.' : '';
}

/** The change by a fix and the rejected fix before it together. */
interface NetChange {
  files: FixAttempt['files'];
  diff: string;
}

async function netChange(
  { rules }: LoopContext,
  { snapshots }: Lessons,
  from: string | null,
  to: string | null,
): Promise<NetChange> {
  if (from === null || to === null) return { files: [], diff: '' };
  const { files } = await snapshots.difference(from, to);
  return { files, diff: rules.redact(await snapshots.diff(from, to)) };
}

/** Returns the part of an output that contains the error. */
function salient({ rules }: LoopContext, { exit_code, timed_out }: FixAttempt, text: string): string {
  return rules.understand({ text, exit_code, timed_out }).text;
}

async function learnSolution(
  loopContext: LoopContext,
  { fix, title, signature, steps, worked }: Lesson,
): Promise<void> {
  const { session, sessionManager } = loopContext;
  const shared = { env: {}, projectPath: session.root };
  const notes = worked ? undefined : (fix.why_failed ?? undefined);
  const incident = { title, error_signature: signature, tags: ['fix-problem'], steps, worked, notes, ...shared };
  const added = await addIncident(incident, sessionManager);
  if (added.created) return;
  const { incident_id } = added;
  const { solution_id } = await addSolution({ incident_id, steps, ...shared }, sessionManager);
  await recordOutcome({ solution_id, worked, notes, ...shared }, sessionManager);
}

/**
 * Reports the fix for each cause, as after a diagnosis. Called after `learnSolution`, because otherwise that function
 * would find this report as a known solution.
 */
async function reportFix({ session }: LoopContext, { failed, cases, steps, worked }: Lesson): Promise<Kept<unknown>[]> {
  if (failed === undefined) return [];
  const report = { runId: failed.runId, fixDescription: steps, success: worked, env: environmentOf(session.root) };
  const kept: Kept<unknown>[] = [];
  for (const caseName of cases) kept.push(await session.learn('reportFix', { ...report, caseName }));
  return kept;
}

/** Returns why a report is not stored, or an empty list. */
function warningsOf(kept: Kept<unknown>): string[] {
  return kept.notStored === undefined ? [] : kept.warnings;
}

/** Describes the fix in words. Without a description adds the diff, because otherwise the fix cannot be repeated. */
function stepsOf({ fix_applied, outside }: FixAttempt, { files, diff }: NetChange): string {
  const named = files.slice(0, MAX_FILES).map(({ path }) => path);
  const where = named.length > 0 ? ` Files: ${named.join(', ')}.` : '';
  const also = outside !== null && outside !== fix_applied ? ` Outside the project: ${outside}` : '';
  const undescribed = fix_applied?.startsWith(`${UNDESCRIBED} `) ?? false;
  const shown = changedLines(diff).slice(0, MAX_DIFF_CHARACTERS);
  const steps = undescribed
    ? `${describeChange({ files: [...files], digest: null }, outside)}${shown}${also}`
    : `${/[.!?]$/u.test(fix_applied ?? '') ? fix_applied : `${fix_applied}.`}${also}${where}`;
  return steps.slice(0, MAX_STEPS_CHARACTERS).toWellFormed();
}

/** Returns the added and removed lines of a unified diff, without headers and context. */
function changedLines(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+-]/u.test(line) && !/^(?:--- |\+\+\+ )/u.test(line));
  return lines.map((line) => `\n${line}`).join('');
}

function diffOf(folder: StateFolder, attempt: number): string {
  const file = folder.read(`attempt_${attempt}_fix.md`) ?? '';
  return /^(`{3,})diff\n(.*?)\n\1$/msu.exec(file)?.[2] ?? '';
}
