/** Formats the result of `argus learn` for the terminal. */

import type { TestState } from 'argus-engine';
import { count } from '../../text/count.ts';
import { shortLine } from '../../text/untrusted.ts';
import { lines, paint } from '../terminal.ts';

export interface LearnedFromCi {
  /** The number of new runs. */
  runs: number;
  known: number;
  failures: number;
  leftOut: { name: string; reason: string }[];
  /** The number of tests by state, among tests that failed at least once. */
  tests: Partial<Record<TestState, number>>;
  fixes: { found: number; proved: number };
  cancelled?: boolean;
}

export interface LearnedFromGit {
  /** The number of examined commits. */
  looked: number;
  /** The number of commits whose message looks like a fix. */
  fixes: number;
  /** The number of these commits that changed a test and a source file and were stored now. */
  learned: number;
  /** The number of commits that were stored before. */
  known: number;
  cancelled?: boolean;
}

export interface Learned {
  fromCi?: LearnedFromCi;
  fromGit?: LearnedFromGit;
}

/** The limit of names of skipped reports. */
const MAX_NAMED = 3;

export function formatLearned({ fromCi, fromGit }: Learned): string {
  return lines([...(fromCi === undefined ? [] : ciLines(fromCi)), ...(fromGit === undefined ? [] : gitLines(fromGit))]);
}

function ciLines({ runs, known, failures, leftOut, tests, fixes, cancelled }: LearnedFromCi): (string | false)[] {
  const named = leftOut.slice(0, MAX_NAMED).map(({ name, reason }) => `${shortLine(name)} (${shortLine(reason)})`);
  const more = leftOut.length - named.length;
  const left =
    leftOut.length === 0
      ? ''
      : `; ${leftOut.length} left out: ${named.join(', ')}${more > 0 ? `, … and ${more} more` : ''}`;
  if (runs + known + leftOut.length === 0) return ['no report was found there: nothing to learn from'];
  return [
    cancelled === true && paint.yellow('cancelled: the same command goes on where it stopped'),
    `${count(runs, 'run')} taken in, ${known} known before, ${count(failures, 'failure')} judged${left}; known now: ${states(tests)}, ${count(fixes.found, 'fix', 'fixes')} found (${fixes.proved} proved)`,
  ];
}

function states(tests: LearnedFromCi['tests']): string {
  const unwell = Object.entries(tests).filter(([state]) => state !== 'healthy');
  return unwell.map(([state, number]) => `${number} ${state}`).join(', ') || 'no unhealthy test';
}

function gitLines({ looked, fixes, learned, known, cancelled }: LearnedFromGit): (string | false)[] {
  if (looked === 0) return ['no commit yet: nothing to learn from'];
  return [
    cancelled === true && paint.yellow('cancelled: the same command goes on where it stopped'),
    `${count(looked, 'commit')} looked at, ${fixes} say that they mend something; ${learned} of them changed a test and a source and are kept as hints, ${known} were known before`,
  ];
}
