/** Formats known facts about failures for readers who did not ask for them. */

import type { Cause, FailureBrief, KnownPattern, RunResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatKnownFailures } from '../../src/format/failures/known-failures-text.ts';

const CAUSE: Cause = { causeId: 'cause-1', headline: 'boom', place: 'a.js:1', count: 1, cases: ['a.test.js > a'] };
const KNOWN_PATTERN: KnownPattern = {
  patternId: 'builtin-assertion',
  confidence: 0.5,
  suggestedFix: 'Compare them.',
  fixStatus: 'a built-in tip, not yet tried here',
};

function createFailedRun(causes: Cause[], knownPattern: KnownPattern | null = null): RunResult {
  const brief = { category: 'UNKNOWN', failureKind: 'unknown', headline: 'boom', known: knownPattern } as const;
  const failures = causes.map(({ causeId, cases: [caseName = ''] }): FailureBrief => ({ ...brief, caseName, causeId }));
  const totals = { passed: 0, failed: 1, skipped: 0, flaky: 0 };
  const counted = { runId: 'run-1', durationMs: 1, totals, more: 0, notes: [], skipped: [] };
  return { ...counted, status: 'failed', causes, failures };
}

test.each([
  ['an unknown failure', createFailedRun([CAUSE], KNOWN_PATTERN)],
  ['a test that was never seen', createFailedRun([{ ...CAUSE, verdict: { kind: 'new', probability: 1 } }])],
  ['a run that passed', { ...createFailedRun([{ ...CAUSE, count: 2 }]), status: 'passed' as const }],
])('prints nothing about %s', (_, run) => expect(formatKnownFailures(run)).toBe(''));

test('prints verdicts, common causes and fixes, each with its test', () => {
  const verdict = { kind: 'flaky', probability: 0.8 } as const;
  expect(formatKnownFailures(createFailedRun([{ ...CAUSE, verdict }], KNOWN_PATTERN))).toBe(
    `argus knows these failures:
  a.test.js > a: boom at a.js:1
      flaky (80 %): it fails without a code change
  next: argus diagnose 'a.test.js > a'`,
  );
  const unseen = { kind: 'new', probability: 1 } as const;
  expect(formatKnownFailures(createFailedRun([{ ...CAUSE, count: 3, verdict: unseen }]))).toContain(
    '  3 failures, 1 cause: boom at a.js:1\n  next',
  );
  const fix = { ...KNOWN_PATTERN, patternId: 'pat-1', suggestedFix: 'Turn it.', fixStatus: 'fixed 1 of 1 time' };
  const tried = { proved: 1, claimed: 0, failed: 0 };
  expect(formatKnownFailures(createFailedRun([CAUSE], { ...fix, tried }))).toContain('Turn it. (fixed 1 of 1 time)');
});

test('prints only the first of many causes', () => {
  const causes = Array.from({ length: 9 }, (_, at) => ({ ...CAUSE, causeId: `cause-${at}`, count: 2 }));
  expect(formatKnownFailures(createFailedRun(causes)).split('\n')).toHaveLength(8);
  expect(formatKnownFailures(createFailedRun(causes))).toContain('… and 4 more causes: argus report');
});
