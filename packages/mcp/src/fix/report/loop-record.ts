/**
 * The state of a loop at a point in time, and conclusions that several texts share. Reports, briefs and answers are
 * created from it. state/loop-files.ts reads it.
 */

import type { FixApproach, FixAttempt, FixError, FixErrorSummary, FixNextStep, FixState } from 'argus-engine';
import { formatCode, formatMarkdownLine } from '../../text/markdown.ts';
import type { Answer } from '../context/gather-context.ts';
import type { ResearchFindings } from '../context/research.ts';
import type { FixGoal } from '../start-fields.ts';

/** A solution that helped with a similar error before. */
export interface KnownSolution {
  solution_id: string;
  title: string;
  steps: string;
  why: string;
}

/** Facts about an error. `insight.json` stores them until the next error. */
export interface Insight {
  /** Number of the attempt that failed with this error. 0 for an error that the caller gave. */
  attempt: number;
  error: FixError;
  context: Answer[];
  location: string | null;
  function: string | null;
  /** Frames in the project, the innermost first. */
  frames: string[];
  /** A missing program, dependency or script, and the command that installs it. */
  missing: string | null;
  /** Diff of the uncommitted changes. */
  uncommitted: string | null;
  hypothesis: string | null;
  query: string | null;
  /** The query as Markdown, in the form of the contract. */
  query_markdown: string | null;
  known: KnownSolution[];
  lookup_id: string | null;
  /** Output of a research program. */
  research: string | null;
  /** The research, split into parts. */
  findings: ResearchFindings | null;
  /** URLs in the research. */
  sources: string[];
  notes: string[];
}

export interface RestoreCommand {
  /**
   * The command restores the files as they were before the attempt with this number. 0 is the beginning of the loop.
   */
  attempt: number;
  command: string;
}

export interface LoopRecord {
  state: FixState;
  nextStep: FixNextStep;
  /** Path of the loop's folder relative to the project, with `/`. */
  folder: string;
  insight: Insight | null;
  /** URLs in the research. */
  sources: string[];
  goingBack: RestoreCommand[];
  /**
   * A message to print first: the result is from an earlier call, and a person must decide. Null if this call ran
   * something.
   */
  earlier: string | null;
  /** Diff of all fixes, without secrets. Empty while the loop continues. */
  diff: string;
  /** End of the last attempt's output, without secrets. */
  output: string;
  notes: string[];
}

export function hasSucceeded(state: FixState): boolean {
  return state.status === 'success';
}

/** True for a successful run that a person rejected. The rules give such a run the hash `suspicious`. */
export function isRejected({ error_hash }: FixAttempt): boolean {
  return error_hash === 'suspicious';
}

/**
 * Returns the fixes that no person rejected. In error mode, an attempt verifies its own fix; in command mode, the next
 * attempt does.
 */
export function listKeptFixes({ mode, attempts }: FixState): FixAttempt[] {
  const getVerifier = (index: number) => attempts[mode === 'command' ? index + 1 : index];
  return attempts.filter((attempt, index) => {
    const verifying = getVerifier(index);
    return attempt.fix_applied !== null && (verifying === undefined || !isRejected(verifying));
  });
}

/**
 * Returns a note for each requested limit that differs from the limit of the loop, because limits cannot change during
 * a loop.
 */
export function describeUnchangedLimits(state: FixState, requested: Partial<FixGoal>): string[] {
  const limits = [
    { name: 'max_attempts', wanted: requested.max_attempts, kept: state.max_attempts },
    { name: 'backoff', wanted: requested.backoff, kept: state.initial_backoff_seconds },
    { name: 'circuit_breaker', wanted: requested.circuit_breaker, kept: state.circuit_breaker.threshold },
    { name: 'namespace', wanted: requested.namespace, kept: state.namespace },
    { name: 'test', wanted: requested.test, kept: state.test },
  ];
  const changed = limits.filter(({ wanted, kept }) => (wanted ?? kept) !== kept);
  return changed.map(({ name, kept }) => `${name} stays ${kept ?? 'unset'}, because it cannot change during a loop.`);
}

/** Returns the current error of a loop. */
export function getLastError(state: FixState): FixAttempt | FixErrorSummary | null {
  return state.attempts.findLast(({ error_hash }) => error_hash !== null) ?? state.first_error;
}

const APPROACH_TITLES: Readonly<Record<FixApproach, string>> = {
  direct: 'Direct Fix',
  defensive: 'Defensive Approach',
  alternative: 'Alternative Pattern',
};

export function getApproachTitle(approach: FixApproach | null): string {
  return approach === null ? 'No change' : APPROACH_TITLES[approach];
}

/** Returns a text such as `src/a.ts:12`. */
export function formatErrorLocation({ state, insight }: LoopRecord): string {
  if (insight?.location) return formatMarkdownLine(insight.location);
  const location = getLastError(state)?.location ?? insight?.error.location;
  if (!location) return 'unknown';
  return formatMarkdownLine(location.line === null ? location.file : `${location.file}:${location.line}`);
}

/** Suggests next steps for a person. They depend on the reason why the loop ended. */
export function suggestNextSteps(record: LoopRecord): string[] {
  const { state } = record;
  const error = getLastError(state);
  const headline = formatCode(error?.headline ?? error?.error_type ?? 'the error');
  const changed = state.attempts.some(({ fix_applied }) => fix_applied !== null);
  const steps = STEPS_BY_ESCALATION[state.escalation ?? 'none']({
    headline,
    because: error?.class_because ?? null,
    changed,
  });
  const known = record.insight?.known[0];
  return known === undefined ? steps : [...steps, `Try the earlier fix: ${formatMarkdownLine(known.steps)}`];
}

interface LoopEnding {
  headline: string;
  because: string | null;
  /** True if a fix was tried. */
  changed: boolean;
}

type StepsCreator = (ending: LoopEnding) => string[];

const STEPS_BY_ESCALATION: Readonly<Record<NonNullable<FixState['escalation']> | 'none', StepsCreator>> = {
  circuit_breaker_opened: ({ headline, changed }) => [
    changed
      ? `Every fix ended with the same error, ${headline}: look for a cause that no fix has touched`
      : `${headline} does not disappear without a change: check the requirements of the command`,
    'Run again with `--reset-circuit` once the cause is known',
  ],
  max_attempts_reached: ({ headline, changed }) => [
    changed
      ? `Compare the last error, ${headline}, with the changes of each fix`
      : `${headline} does not disappear without a change: check the requirements of the command`,
    'Start again with a larger `--max-attempts` if the errors came closer to the goal',
  ],
  permanent_error: ({ headline, because }) => [
    `Remove the cause of ${headline} by hand (${formatMarkdownLine(because ?? 'credentials, permissions or data')}), because no code change can`,
    'Then run the same command again',
  ],
  suspicious_success: () => [
    'Restore the tests and continue with `--resume --fix TEXT`; if an expectation was wrong, explain that in TEXT',
    'Or a person decides with `--accept` or `--reject`',
  ],
  interrupted_too_often: () => [
    'Find out why the process ends while the command runs, for example memory or an outer time limit',
  ],
  no_change_made: ({ headline }) => [
    `Fix the cause of ${headline}, then continue with \`--resume --fix TEXT\`: nothing was changed`,
  ],
  stopped_by_human: () => ['None: a human stopped the loop'],
  none: ({ headline }) => [`Fix the cause of ${headline}, then run the same command again with \`--resume\``],
};
