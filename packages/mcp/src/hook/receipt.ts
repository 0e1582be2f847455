/**
 * The receipt tells a person who did not watch an agent work, in one line, whether the tests passed on exactly the
 * current files. Only ids of trees decide, never a text that an agent or a program printed.
 */

import type { GitFacts, ReceiptResult, RunRecord, Weakening } from 'argus-engine';
import { computeDigest } from '../git/changes.ts';
import type { Session } from '../sessions/session.ts';
import { io } from '../system/io.ts';
import { formatCount } from '../text/count.ts';
import { toShortLine } from '../text/untrusted-text.ts';
import type { HookState, StateLine } from './state.ts';

/**
 * `green`: all tests passed on the current files. `skipped`: they passed, but uncommitted edits disable tests. `partial`:
 * only some of the known tests ran. `unknown`: no run is recorded.
 */
export type ReceiptState = 'green' | 'red' | 'skipped' | 'partial' | 'not run' | 'unknown';

export interface Receipt {
  state: ReceiptState;
  /** A line for a person. */
  line: string;
  runId: string | null;
  /** Files that were changed since the run. */
  changed: string[];
  /** Uncommitted edits that let a test pass although the fault remains. */
  weakened: Weakening[];
  /** Problems with the memory. */
  warnings: string[];
}

const MAX_NAMED_FILES = 2;

/** Kinds of edits after which a test no longer runs. */
const DISABLING_KINDS = new Set<Weakening['kind']>(['test_skipped', 'test_deleted']);

/** `state` has the commands that the hook saw pass and that no run was recorded for. */
export async function readReceipt(session: Session, git: GitFacts, state: HookState): Promise<Receipt> {
  const { value, warnings } = await session.withEngine((engine) => engine.receipt({ git }));
  const { run, isSameTree, isPartial, changed, weakened } = value;
  const seen = state.findLast('ran');
  const isSeenHere = seen !== undefined && seen.tree !== null && seen.tree === git.tree;
  const isUnrecorded = isSeenHere && (!isSameTree || (isPartial && run?.status === 'passed'));
  const description = isUnrecorded ? describeSeenPass(seen, value) : describeRun(value);
  return { ...description, runId: run?.id ?? null, changed, weakened, warnings };
}

/**
 * A command that passed without a record. It may have run only some of the tests, so it counts as green only if it is
 * the command of the last run of all tests.
 */
function describeSeenPass(seen: SeenPass, result: ReceiptResult): Description {
  const { run, isPartial, isSameTree, changed } = result;
  const ended = `${seen.runner} ended with exit code 0 on this very tree, ${formatAge(seen.at)}`;
  const isSameCommand = run?.command != null && seen.key === computeDigest(run.command);
  if (isSameCommand && !isPartial) return withDisabledTests({ state: 'green', line: `green: ${ended}` }, result);
  const since = isSameTree || changed.length === 0 ? '' : ` since ${formatCount(changed.length, 'changed file')}`;
  return { state: 'partial', line: `not recorded${since}: ${ended}; unknown how many tests ran` };
}

type SeenPass = Extract<StateLine, { t: 'ran' }>;

type Description = Pick<Receipt, 'state' | 'line'>;

function describeRun(result: ReceiptResult): Description {
  const { run, isSameTree, isPartial, knownTests, changed } = result;
  if (run === null) return { state: 'unknown', line: 'no test run is recorded' };
  const outcome = formatOutcome(run);
  const facts = [run.command === null ? '' : toShortLine(run.command), formatAge(Date.parse(run.timestamp))];
  const [command, age] = facts;
  if (!isSameTree) {
    const since = changed.length === 0 ? 'on this tree' : `since ${formatCount(changed.length, 'changed file')}`;
    const files = changed.length === 0 ? '' : ` (${formatFiles(changed)})`;
    return { state: 'not run', line: joinParts(`not run ${since}${files}; last ${outcome}`, command, age) };
  }
  const here = [command, 'this very tree', age] as const;
  if (run.status === 'failed') return { state: 'red', line: joinParts(outcome, ...here) };
  const green = withDisabledTests({ state: 'green', line: joinParts(outcome, ...here) }, result);
  if (!isPartial || green.state !== 'green') return green;
  return { state: 'partial', line: `only ${run.passed} of ${knownTests} known tests ran; ${green.line}` };
}

function withDisabledTests(description: Description, { weakened }: ReceiptResult): Description {
  const disabled = weakened.filter(({ kind }) => DISABLING_KINDS.has(kind));
  if (disabled.length === 0) return description;
  const places = formatFiles(disabled.map(({ file, line }) => `${toShortLine(file)}:${line}`));
  const count = formatCount(disabled.length, 'uncommitted edit');
  return {
    state: 'skipped',
    line: `green by skipping: ${count} disable${disabled.length === 1 ? 's' : ''} tests (${places}); ${description.line}`,
  };
}

function formatOutcome({ status, passed, failed, skipped }: RunRecord): string {
  const ran = passed + failed;
  const more = skipped === 0 ? '' : `, ${skipped} skipped`;
  if (status === 'failed' && failed === 0) return `red: the command failed, ${passed} passed${more}`;
  return status === 'failed' ? `red: ${failed} of ${ran} failed${more}` : `green: ${passed} of ${ran}${more}`;
}

function joinParts(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}

function formatFiles(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED_FILES).map((file) => toShortLine(file));
  const more = files.length > MAX_NAMED_FILES ? [`${files.length - MAX_NAMED_FILES} more`] : [];
  return [...named, ...more].join(', ');
}

/** Formats the time since then: `40 s ago`, `3 h ago`. */
function formatAge(at: number): string {
  const seconds = Math.max(0, Math.round((io().now() - at) / 1_000));
  const [unit, size] = AGE_UNITS.find(([, , max]) => seconds < max) ?? LARGEST_AGE_UNIT;
  return `${Math.round(seconds / size)} ${unit} ago`;
}

const HOUR = 3_600;

/** Units with their seconds, each for ages below the last number. */
const AGE_UNITS = [
  ['s', 1, 60],
  ['min', 60, HOUR],
  ['h', HOUR, 48 * HOUR],
] as const;
const LARGEST_AGE_UNIT = ['days', 24 * HOUR] as const;
