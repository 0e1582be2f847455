/** Formats known facts for readers who did not ask for them. */

import type { Cause, FailureBrief, KnownPattern, RunResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatKnown } from '../../src/format/failures/known-text.ts';

const CAUSE: Cause = { causeId: 'cause-1', headline: 'boom', place: 'a.js:1', count: 1, cases: ['a.test.js > a'] };
const TIP: KnownPattern = {
  patternId: 'builtin-assertion',
  confidence: 0.5,
  suggestedFix: 'Compare them.',
  standing: 'a built-in tip, not yet tried here',
};

function failed(causes: Cause[], known: KnownPattern | null = null): RunResult {
  const brief = { category: 'UNKNOWN', failureKind: 'unknown', headline: 'boom', known } as const;
  const failures = causes.map(({ causeId, cases: [caseName = ''] }): FailureBrief => ({ ...brief, caseName, causeId }));
  const totals = { passed: 0, failed: 1, skipped: 0, flaky: 0 };
  const counted = { runId: 'run-1', durationMs: 1, totals, more: 0, notes: [], skipped: [] };
  return { ...counted, status: 'failed', causes, failures };
}

test.each([
  ['a failure that nothing is known of', failed([CAUSE], TIP)],
  ['a test that was never seen', failed([{ ...CAUSE, verdict: { kind: 'new', probability: 1 } }])],
  ['a run that passed', { ...failed([{ ...CAUSE, count: 2 }]), status: 'passed' as const }],
])('prints nothing about %s', (_, run) => expect(formatKnown(run)).toBe(''));

test('prints verdicts, common causes and fixes, each with its test', () => {
  const verdict = { kind: 'flaky', probability: 0.8 } as const;
  expect(formatKnown(failed([{ ...CAUSE, verdict }], TIP))).toBe(
    `argus knows of these failures:
  a.test.js > a: boom at a.js:1
      flaky (80 %)
  next: argus diagnose run-1 'a.test.js > a'`,
  );
  const unseen = { kind: 'new', probability: 1 } as const;
  expect(formatKnown(failed([{ ...CAUSE, count: 3, verdict: unseen }]))).toContain(
    '  3 failures, 1 cause: boom at a.js:1\n  next',
  );
  const fix = { ...TIP, patternId: 'pat-1', suggestedFix: 'Turn it.', standing: 'fixed 1 of 1 time' };
  const tried = { proved: 1, claimed: 0, failed: 0 };
  expect(formatKnown(failed([CAUSE], { ...fix, tried }))).toContain('fixed 1 of 1 time: Turn it.');
});

test('prints only the first of many causes', () => {
  const causes = Array.from({ length: 9 }, (_, at) => ({ ...CAUSE, causeId: `cause-${at}`, count: 2 }));
  expect(formatKnown(failed(causes)).split('\n')).toHaveLength(8);
  expect(formatKnown(failed(causes))).toContain('… and 4 more causes: argus history run-1');
});
