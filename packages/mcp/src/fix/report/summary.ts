/**
 * Conclusions from a loop's state that several texts use.
 */

import type { FixApproach, FixAttempt, FixErrorSummary, FixState } from 'argus-engine';
import type { WantedFix } from '../start-fields.ts';
import { code, oneLine } from './markdown.ts';
import type { LoopRecord } from './record.ts';

export function succeeded(state: FixState): boolean {
  return state.status === 'success';
}

/** True for a green run that a human rejected. The rules give it this hash. */
export function isRejected({ error_hash }: FixAttempt): boolean {
  return error_hash === 'suspicious';
}

/**
 * Returns the fixes that no human rejected. In error mode, an attempt verifies its own fix; in command mode, the next
 * attempt does.
 */
export function keptFixes({ mode, attempts }: FixState): FixAttempt[] {
  const verifier = (index: number) => attempts[mode === 'command' ? index + 1 : index];
  return attempts.filter((attempt, index) => {
    const verifying = verifier(index);
    return attempt.fix_applied !== null && (verifying === undefined || !isRejected(verifying));
  });
}

/** Returns notes about requested limits that differ from the limits of the loop, which cannot change while it runs. */
export function limitsKept(state: FixState, asked: Partial<WantedFix>): string[] {
  const limits = [
    { name: 'max_attempts', wanted: asked.max_attempts, kept: state.max_attempts },
    { name: 'backoff', wanted: asked.backoff, kept: state.initial_backoff_seconds },
    { name: 'circuit_breaker', wanted: asked.circuit_breaker, kept: state.circuit_breaker.threshold },
    { name: 'namespace', wanted: asked.namespace, kept: state.namespace },
    { name: 'test', wanted: asked.test, kept: state.test },
  ];
  const changed = limits.filter(({ wanted, kept }) => (wanted ?? kept) !== kept);
  return changed.map(({ name, kept }) => `${name} stays ${kept ?? 'unset'}, as the loop began.`);
}

/** Returns the current error of a loop. */
export function lastError(state: FixState): FixAttempt | FixErrorSummary | null {
  return state.attempts.findLast(({ error_hash }) => error_hash !== null) ?? state.first_error;
}

const TITLES: Readonly<Record<FixApproach, string>> = {
  direct: 'Direct Fix',
  defensive: 'Defensive Approach',
  alternative: 'Alternative Pattern',
};

export function approachTitle(approach: FixApproach | null): string {
  return approach === null ? 'No change' : TITLES[approach];
}

/** For example `src/a.ts:12`. */
export function locationText({ state, insight }: LoopRecord): string {
  if (insight?.location) return oneLine(insight.location);
  const location = lastError(state)?.location ?? insight?.error.location;
  if (!location) return 'unknown';
  return oneLine(location.line === null ? location.file : `${location.file}:${location.line}`);
}

/** Suggests steps for a person, by the reason why the loop ended. */
export function nextSteps(record: LoopRecord): string[] {
  const { state } = record;
  const error = lastError(state);
  const headline = code(error?.headline ?? error?.error_type ?? 'the error');
  const changed = state.attempts.some(({ fix_applied }) => fix_applied !== null);
  const steps = STEPS[state.escalation ?? 'none']({ headline, because: error?.class_because ?? null, changed });
  const known = record.insight?.known[0];
  return known === undefined ? steps : [...steps, `Try what helped before: ${oneLine(known.steps)}`];
}

interface Ending {
  headline: string;
  because: string | null;
  /** True if a fix was tried. */
  changed: boolean;
}

type Steps = (ending: Ending) => string[];

const STEPS: Readonly<Record<NonNullable<FixState['escalation']> | 'none', Steps>> = {
  circuit_breaker_opened: ({ headline, changed }) => [
    changed
      ? `Every fix ended in the same error, ${headline}: look for a cause that none of them touched`
      : `${headline} does not pass by itself: see that what the command needs is there`,
    'Run again with `--reset-circuit` once the cause is known',
  ],
  max_attempts_reached: ({ headline, changed }) => [
    changed
      ? `Read the last error, ${headline}, beside what each fix changed`
      : `${headline} does not pass by itself: see that what the command needs is there`,
    'Begin again with a larger `--max-attempts` if the errors have been getting closer to the goal',
  ],
  permanent_error: ({ headline, because }) => [
    `Remove the cause of ${headline} by hand (${oneLine(because ?? 'credentials, permissions or data')}): no change of the code can`,
    'Run the same command again when it is gone',
  ],
  suspicious_success: () => [
    'Restore the tests and go on with `--resume --fix TEXT`; where an expectation was wrong, state there why',
    'A person may decide instead, with `--accept` or `--reject`',
  ],
  interrupted_too_often: () => [
    'Find out what ends the process while the command runs: memory, a time limit around it',
  ],
  no_change_made: ({ headline }) => [
    `Change what causes ${headline}, then go on with \`--resume --fix TEXT\`: nothing was changed`,
  ],
  stopped_by_human: () => ['Nothing: a human stopped the loop'],
  none: ({ headline }) => [`Change what causes ${headline}, then run the same command again with \`--resume\``],
};
