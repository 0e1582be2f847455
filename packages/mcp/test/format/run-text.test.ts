/** Formats a run for the terminal: a heading, and a block for each cause. */

import type { Cause, FailureBrief, RunResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatRun } from '../../src/format/failures/run-text.ts';

const CART_FAILURE: FailureBrief = {
  caseName: 'test/cart.test.js > cart > is empty at first',
  category: 'UNKNOWN',
  failureKind: 'exception',
  headline: "TypeError: Cannot read properties of undefined (reading 'reduce')",
  message: 'printed by the runner',
  place: 'src/cart.js:2',
  sourceLine: 'return cart.reduce(sum)',
  causeId: 'cause-1',
  known: {
    patternId: 'pat-1',
    confidence: 0.5,
    suggestedFix: 'Guard the empty cart\nand say so',
    trust: { state: 'proved', passes: 12, needed: 1, failedIn: 'run-1', provedBy: 'run-2' },
  },
};
const KNOWN_PATTERN = {
  patternId: 'builtin-conn-refused',
  confidence: 0.5,
  suggestedFix: 'Start it.',
  fixStatus: 'a built-in tip',
};
const STOCK_FAILURE: FailureBrief = {
  caseName: 'stock > knows the apples',
  category: 'CONNECTION_REFUSED',
  failureKind: 'connection-refused',
  headline: 'connect ECONNREFUSED 127.0.0.1:59999',
  causeId: 'cause-2',
  known: KNOWN_PATTERN,
};
const CAUSES: Cause[] = [
  {
    causeId: 'cause-1',
    headline: CART_FAILURE.headline,
    place: 'src/cart.js:2',
    count: 300,
    cases: [CART_FAILURE.caseName, 'b', 'c', 'd', 'e'],
    verdict: {
      kind: 'regression',
      probability: 0.97,
      since: { startedAt: '2026-11-20T09:00:00.000Z', runs: 1, edited: ['src/cart.js'] },
    },
  },
  {
    causeId: 'cause-2',
    headline: STOCK_FAILURE.headline,
    place: 'src/stock.js:2',
    count: 1,
    cases: [STOCK_FAILURE.caseName],
    verdict: { kind: 'flaky', probability: 0.91 },
  },
];
const RUN: RunResult = {
  runId: 'run-019ad3b2-c1f4-7000-8000-0123456789ab',
  status: 'failed',
  durationMs: 1_900,
  totals: { passed: 1, failed: 301, skipped: 0, flaky: 0 },
  failures: [CART_FAILURE, STOCK_FAILURE],
  more: 299,
  causes: CAUSES,
  notes: [],
  skipped: [],
};

test('prints a block for each cause, whatever the number of failures', () => {
  expect(formatRun(RUN)).toBe(`Argus  301 failures, 2 causes, 1 passed                 run-019ad3b2-c1f4  1.9 s

300x  TypeError: Cannot read properties of undefined (reading 'reduce')
      at src/cart.js:2
      test/cart.test.js > cart > is empty at first
      b
      c
      and 297 more
      Regression: you edited src/cart.js since the last pass
      Fixed before: Guard the empty cart (held in 12 runs)      argus diagnose 1

  1x  connect ECONNREFUSED 127.0.0.1:59999                        src/stock.js:2
      stock > knows the apples
      Flaky (91 %): it fails without a code change              argus diagnose 2`);
});

test('keeps every line within the width of the terminal', () => {
  const long = { headline: 'expected the total of the cart to be '.repeat(6), cases: ['cart > adds '.repeat(12)] };
  const longRun = { ...RUN, causes: CAUSES.map((cause) => ({ ...cause, ...long })), notes: ['a note '.repeat(30)] };
  for (const columns of [60, 80, 120]) {
    const lines = formatRun(longRun, { columns }).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  }
});

test('adds title and author to the commit that a verdict names', () => {
  const commit = 'a'.repeat(40);
  const verdict = { kind: 'broken', probability: 0.9, suspect: commit } as const;
  const since = { startedAt: '2025-11-20T09:00:00.000Z', runs: 22 };
  const [first] = CAUSES.map((cause) => ({ ...cause, count: 1, cases: ['a'], verdict: { ...verdict, since } }));
  const commits = new Map([[commit, { title: 'Round prices', author: 'Ada' }]]);
  const text = formatRun({ ...RUN, failures: [], causes: first ? [first] : [] }, { commits, columns: 120 });
  expect(text).toContain('Failing since 20 Nov 2025, 22 runs, commit aaaaaaaaaaaa (Round prices, Ada)');
});

test.each([
  [
    'a run that passed',
    { status: 'passed', totals: { passed: 3, failed: 0, skipped: 1, flaky: 0 } },
    '3 passed, 1 skipped',
  ],
  ['a command that failed', { totals: { passed: 3, failed: 0, skipped: 0, flaky: 0 } }, '3 passed, the command failed'],
  [
    'an interrupted run',
    { interrupted: true, totals: { passed: 3, failed: 0, skipped: 0, flaky: 0 } },
    '3 passed, interrupted',
  ],
] as const)('prints one line for %s', (_, more, words) => {
  const text = formatRun({ ...RUN, failures: [], causes: [], ...more });
  expect(text.split('\n')).toHaveLength(1);
  expect(text).toContain(`Argus  ${words}  `);
});

test('suggests no diagnosis for a run that was not stored, and notes that a run is not the newest', () => {
  expect(formatRun({ ...RUN, queued: true })).toContain('argus diagnose 1');
  expect(formatRun({ ...RUN, queued: false })).not.toContain('argus diagnose');
  expect(formatRun(RUN, { runName: 'run-1' })).toContain('argus diagnose run-1 2');
});

test('counts the causes that are not listed, and prints the reported fixes that have held so far', () => {
  expect(formatRun({ ...RUN, moreCauses: 3 })).toContain('… and 3 more causes: argus report run-019ad3b2-c1f4');
  const fix = { caseName: 'totals', patternId: 'pat-1', fixDescription: 'Counted one more\nand less' };
  const text = formatRun({ ...RUN, proved: Array.from({ length: 7 }, () => fix) });
  expect(text.split('\n').filter((line) => line === 'Fix held: Counted one more (totals)')).toHaveLength(5);
  expect(text).toContain('… and 2 more fixes held');
});
