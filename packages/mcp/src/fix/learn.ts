/**
 * What a loop taught: each fix becomes a solution of its error in the debug memory, with how it turned out, and the
 * failed run with its fix goes into the memory of failures. What could not be recorded is said and is no error.
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

/** Enough to repeat a fix, and to know an error by. */
const MAX_STEPS_CHARACTERS = 8_000;
const MAX_SIGNATURE_CHARACTERS = 8_000;
const MAX_TITLE_CHARACTERS = 300;

/** A small fix is told whole; of a large one its beginning. */
const MAX_DIFF_CHARACTERS = 2_000;
const MAX_FILES = 20;

/** Causes of one run that a fix is remembered for. */
const MAX_CAUSES = 5;

/** One fix and the error it was for. */
interface Lesson {
  fix: FixAttempt;
  /** What the error was. */
  title: string;
  signature: string;
  steps: string;
  worked: boolean;
  /** The run that failed with it; none where it was given, or was not recorded. */
  failed: AttemptRun | undefined;
  /** One case of each cause that it was for. */
  cases: string[];
}

/**
 * Of the fixes after `known`, which is where the last call ended. Returns what could not be recorded; a lesson of which
 * nothing is kept is learned by the next call, with those behind it.
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

/** What is learned from. */
interface Lessons {
  state: FixState;
  folder: StateFolder;
  snapshots: Pick<Snapshots, 'difference' | 'diff'>;
}

/**
 * A fix worked when its error never came back in a loop that came to a good end. One that a human has rejected teaches
 * nothing that should be tried again, and the error stays the one that it hid.
 */
async function lessonsOf(loopContext: LoopContext, loop: Lessons): Promise<Lesson[]> {
  const { state, folder } = loop;
  const { attempts } = state;
  const verified = state.status === 'success';
  const isAfter = state.mode === 'command' ? 1 : 0;
  const lessons = attempts.map(async (attempt, index): Promise<Lesson[]> => {
    // In error mode an attempt verifies the fix for what failed before it; else the next one does.
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
    // Nothing but taking back what was rejected.
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

/** One of each cause: those that the next run had no more, where it worked; else those that it still had. */
function casesOf(failed: AttemptRun | undefined, next: AttemptRun | undefined, worked: boolean): string[] {
  const still = new Set(next?.causes.flat());
  const fits = (failed?.causes ?? []).filter((cases) => cases.some((name) => still.has(name)) !== worked);
  return fits.flatMap(([first]) => first ?? []).slice(0, MAX_CAUSES);
}

/** A success by a stated reason, which nobody has accepted, teaches nothing. */
function isExplained({ attempts, stated_reason }: FixState): boolean {
  return stated_reason !== null && (attempts.at(-1)?.weakened ?? []).length > 0;
}

/** A success that no run has shown by itself. */
function acceptance({ mode, test, attempts, verified_by }: FixState): string {
  if (verified_by !== null) return ` No command verified it; whoever made it did: ${oneLine(verified_by)}.`;
  const weakened = attempts.at(-1)?.weakened ?? [];
  const where = weakened.map(({ file, line, kind }) => `${file}:${line} (${kind.replaceAll('_', ' ')})`);
  if (where.length > 0) return ` A person accepted it although the tests are weaker: ${where.slice(0, 3).join(', ')}.`;
  return mode === 'error' && test === null ? ' A person accepted it; nothing was run to verify it.' : '';
}

/** What a fix comes to without the rejected one before it. */
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

/** The part of an output that says what went wrong. */
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
 * As it is reported after a diagnosis, for each cause that it was for. Behind the solution, which would else be found as
 * one that is known.
 */
async function reportFix({ session }: LoopContext, { failed, cases, steps, worked }: Lesson): Promise<Kept<unknown>[]> {
  if (failed === undefined) return [];
  const report = { runId: failed.runId, fixDescription: steps, success: worked, env: environmentOf(session.root) };
  const kept: Kept<unknown>[] = [];
  for (const caseName of cases) kept.push(await session.learn('reportFix', { ...report, caseName }));
  return kept;
}

/** Why it is not stored yet, or never. */
function warningsOf(kept: Kept<unknown>): string[] {
  return kept.notStored === undefined ? [] : kept.warnings;
}

/** In words; where nobody described it, as a diff, for else nobody could repeat it. */
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

/** Of a unified diff, what is read first: no headers, and nothing that stayed. */
function changedLines(diff: string): string {
  const lines = diff.split('\n').filter((line) => /^[+-]/u.test(line) && !/^(?:--- |\+\+\+ )/u.test(line));
  return lines.map((line) => `\n${line}`).join('');
}

function diffOf(folder: StateFolder, attempt: number): string {
  const file = folder.read(`attempt_${attempt}_fix.md`) ?? '';
  return /^(`{3,})diff\n(.*?)\n\1$/msu.exec(file)?.[2] ?? '';
}
