/**
 * Learns from a finished loop: each fix becomes a solution of its error in the debug memory, with its outcome, and is
 * reported for the failed run. If storing fails, a message reports it.
 */

import type { FixAttempt, FixState } from 'argus-engine';
import { getEnvironment } from '../environment/project-environment.ts';
import { getErrorMessage } from '../errors.ts';
import { addIncident, addSolution, recordOutcome } from '../sessions/memories.ts';
import { isStorageProblem } from '../storage/database.ts';
import type { StorageResult } from '../storage/outbox.ts';
import { formatMarkdownLine } from '../text/markdown.ts';
import { type AttemptRun, readAttemptRun } from './attempt/recorded-attempt.ts';
import type { LoopContext } from './loop-context.ts';
import { isRejected } from './report/loop-record.ts';
import { describeChange } from './snapshots/changes.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import { GENERATED_DESCRIPTION_PREFIX } from './state/fix-file.ts';
import { readEndOfLog } from './state/loop-files.ts';
import type { StateFolder } from './state/state-folder.ts';

/** Enough text to repeat a fix and to recognize an error. */
const MAX_STEPS_CHARACTERS = 8_000;
const MAX_SIGNATURE_CHARACTERS = 8_000;
const MAX_TITLE_CHARACTERS = 300;

/** A longer diff is cut at its end. */
const MAX_DIFF_CHARACTERS = 2_000;
const MAX_FILES = 20;

/** Maximum number of causes of a run for which a fix is reported. */
const MAX_CAUSES = 5;

/** A fix, and the error that it was meant to fix. */
interface LearnedFix {
  fix: FixAttempt;
  /** Headline of the error. */
  title: string;
  signature: string;
  steps: string;
  worked: boolean;
  /** The run that failed with the error. Undefined if the caller gave the error, or if the run was not recorded. */
  failed: AttemptRun | undefined;
  /** A case for each cause that the fix was meant for. */
  cases: string[];
}

/**
 * Learns the fixes with a number above `known`, because earlier calls have learned the others. Returns messages about
 * problems. A storage problem ends the call, so that the next call learns the remaining fixes.
 */
export async function learnFixes(
  loopContext: LoopContext,
  loop: FinishedLoop,
  known: number,
  onLearned: (upTo: number) => void,
): Promise<string[]> {
  if (!loopContext.session.historyEnabled || isUnacceptedSuccess(loop.state)) return [];
  const lessons = (await createLessons(loopContext, loop)).filter(({ fix }) => fix.number > known);
  const problems = new Set<string>();
  for (const lesson of lessons) {
    try {
      await learnSolution(loopContext, lesson);
      const reports = await reportFix(loopContext, lesson);
      for (const warning of reports.flatMap(getWarnings)) problems.add(warning);
    } catch (thrown) {
      problems.add(`Not remembered: ${getErrorMessage(thrown)}`);
      if (isStorageProblem(thrown)) break;
    }
    onLearned(lesson.fix.number);
  }
  return [...problems];
}

/** The parts of a loop that this module needs. */
interface FinishedLoop {
  state: FixState;
  folder: StateFolder;
  snapshots: Pick<Snapshots, 'difference' | 'diff'>;
}

/**
 * Returns a lesson for each fix. A fix worked if the loop succeeded and the error never came back. A fix that a person
 * rejected is skipped, because it must not be tried again; then the error before it is still the current error.
 */
async function createLessons(loopContext: LoopContext, loop: FinishedLoop): Promise<LearnedFix[]> {
  const { state, folder } = loop;
  const { attempts } = state;
  const verified = state.status === 'success';
  const verifierOffset = state.mode === 'command' ? 1 : 0;
  const lessons = attempts.map(async (attempt, index): Promise<LearnedFix[]> => {
    // In error mode, an attempt verifies the fix that was made before it. In command mode, the next attempt verifies
    // the fix.
    const later = attempts.slice(index + verifierOffset);
    const [verifying] = later;
    if (attempt.fix_applied === null || verifying === undefined || isRejected(verifying)) return [];
    const failed = attempts.slice(0, index + verifierOffset).findLast((before) => !isRejected(before));
    const hash = failed === undefined ? state.first_error?.error_hash : failed.error_hash;
    const cameBack = later.some(({ error_hash }) => error_hash === hash);
    const error = failed ?? state.first_error;
    const net = isRejected(attempts[index + verifierOffset - 1] ?? verifying)
      ? await computeNetChange(loopContext, loop, failed?.snapshot ?? state.host.base, verifying.snapshot)
      : { files: attempt.files, diff: readDiff(folder, attempt.number) };
    // The fix only reverted a rejected fix.
    if (net.files.length === 0 && attempt.outside === null && attempt.files.length > 0) return [];
    const headline = error?.headline || error?.error_type || 'a failed command';
    const worked = verified && !cameBack;
    const failedRun = failed === undefined ? undefined : readAttemptRun(folder, failed.number);
    const text =
      failed === undefined
        ? (state.error ?? '')
        : extractErrorText(loopContext, failed, readEndOfLog(folder, failed.number));
    return [
      {
        fix: attempt,
        title: formatMarkdownLine(headline, MAX_TITLE_CHARACTERS),
        steps: formatSteps(attempt, net) + (worked ? formatAcceptance(state) : ''),
        signature: text.slice(-MAX_SIGNATURE_CHARACTERS).toWellFormed() || headline,
        worked,
        failed: failedRun,
        cases: selectCases(failedRun, readAttemptRun(folder, verifying.number), worked),
      },
    ];
  });
  return (await Promise.all(lessons)).flat();
}

/**
 * Returns a case for each cause. If the fix worked, returns the causes that the next run no longer had, otherwise the
 * causes that it still had.
 */
function selectCases(failed: AttemptRun | undefined, next: AttemptRun | undefined, worked: boolean): string[] {
  const still = new Set(next?.causes.flat());
  const matchingCauses = (failed?.causes ?? []).filter((cases) => cases.some((name) => still.has(name)) !== worked);
  return matchingCauses.flatMap(([first]) => first ?? []).slice(0, MAX_CAUSES);
}

/**
 * True for a success with weakened tests for which the agent stated a reason, but which no person accepted. Nothing is
 * learned from such a success.
 */
function isUnacceptedSuccess({ attempts, stated_reason }: FixState): boolean {
  return stated_reason !== null && (attempts.at(-1)?.weakened ?? []).length > 0;
}

/** Describes who accepted a success that no run has proved. */
function formatAcceptance({ mode, test, attempts, verified_by }: FixState): string {
  if (verified_by !== null) return ` No command verified it; its author did: ${formatMarkdownLine(verified_by)}.`;
  const weakened = attempts.at(-1)?.weakened ?? [];
  const where = weakened.map(({ file, line, kind }) => `${file}:${line} (${kind.replaceAll('_', ' ')})`);
  if (where.length > 0) return ` A person accepted it although the tests are weaker: ${where.slice(0, 3).join(', ')}.`;
  return mode === 'error' && test === null ? ' A person accepted it; nothing was run to verify it.' : '';
}

/** The combined change of a fix and the rejected fix before it. */
interface NetChange {
  files: FixAttempt['files'];
  diff: string;
}

async function computeNetChange(
  { rules }: LoopContext,
  { snapshots }: FinishedLoop,
  from: string | null,
  to: string | null,
): Promise<NetChange> {
  if (from === null || to === null) return { files: [], diff: '' };
  const { files } = await snapshots.difference(from, to);
  return { files, diff: rules.redact(await snapshots.diff(from, to)) };
}

/** Returns the part of an output that contains the error. */
function extractErrorText({ rules }: LoopContext, { exit_code, timed_out }: FixAttempt, text: string): string {
  return rules.understand({ text, exit_code, timed_out }).text;
}

async function learnSolution(
  loopContext: LoopContext,
  { fix, title, signature, steps, worked }: LearnedFix,
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
 * Reports the fix for each cause, as after a diagnosis. Called after `learnSolution`, which would otherwise find this
 * report as a known solution.
 */
async function reportFix(
  { session }: LoopContext,
  { failed, cases, steps, worked }: LearnedFix,
): Promise<StorageResult<unknown>[]> {
  if (failed === undefined) return [];
  const report = { runId: failed.runId, fixDescription: steps, success: worked, env: getEnvironment(session.root) };
  const kept: StorageResult<unknown>[] = [];
  for (const caseName of cases) kept.push(await session.learn('reportFix', { ...report, caseName }));
  return kept;
}

/** Returns why a report is not stored, or an empty list. */
function getWarnings(kept: StorageResult<unknown>): string[] {
  return kept.notStored === undefined ? [] : kept.warnings;
}

/**
 * Returns the steps of a fix as text. If nobody described the fix, adds the diff, because otherwise the fix cannot be
 * repeated.
 */
function formatSteps({ fix_applied, outside }: FixAttempt, { files, diff }: NetChange): string {
  const named = files.slice(0, MAX_FILES).map(({ path }) => path);
  const where = named.length > 0 ? ` Files: ${named.join(', ')}.` : '';
  const also = outside !== null && outside !== fix_applied ? ` Outside the project: ${outside}` : '';
  const undescribed = fix_applied?.startsWith(`${GENERATED_DESCRIPTION_PREFIX} `) ?? false;
  const shown = extractChangedLines(diff).slice(0, MAX_DIFF_CHARACTERS);
  const steps = undescribed
    ? `${describeChange({ files: [...files], digest: null }, outside)}${shown}${also}`
    : `${/[.!?]$/u.test(fix_applied ?? '') ? fix_applied : `${fix_applied}.`}${also}${where}`;
  return steps.slice(0, MAX_STEPS_CHARACTERS).toWellFormed();
}

/** Returns the added and removed lines of a unified diff, without headers and context. */
function extractChangedLines(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+-]/u.test(line) && !/^(?:--- |\+\+\+ )/u.test(line));
  return lines.map((line) => `\n${line}`).join('');
}

function readDiff(folder: StateFolder, attempt: number): string {
  const file = folder.read(`attempt_${attempt}_fix.md`) ?? '';
  return /^(`{3,})diff\n(.*?)\n\1$/msu.exec(file)?.[2] ?? '';
}
