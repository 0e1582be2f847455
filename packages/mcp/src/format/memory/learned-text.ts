/** What `argus learn` took in, for people at the terminal. */

import type { TestState } from 'argus-engine';
import { count } from '../../text/count.ts';
import { shortLine } from '../../text/untrusted.ts';
import { lines, paint } from '../terminal.ts';

export interface LearnedFromCi {
  /** New ones. */
  runs: number;
  known: number;
  failures: number;
  leftOut: { name: string; reason: string }[];
  /** Tests that failed once, by what they are now. */
  tests: Partial<Record<TestState, number>>;
  fixes: { found: number; proved: number };
  cancelled?: boolean;
}

export interface LearnedFromGit {
  /** Commits that were looked at. */
  looked: number;
  /** Those that look like fixes by what they say. */
  fixes: number;
  /** Those of them that changed a test and a source, and are kept now. */
  learned: number;
  /** Kept before. */
  known: number;
  cancelled?: boolean;
}

export interface Learned {
  fromCi?: LearnedFromCi;
  fromGit?: LearnedFromGit;
}

/** Of what was left out. */
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
