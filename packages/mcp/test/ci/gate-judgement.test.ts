import type { CaseRecord, RunRecord, VerdictKind } from 'argus-engine';
import { expect, test } from 'vitest';
import { type GateBase, NOTHING_AGAIN } from '../../src/cli/ci/excuse.ts';
import { type GateFacts, judge } from '../../src/cli/ci/gate-judgement.ts';
import { unrecordedRun } from '../../src/cli/ci/unrecorded-run.ts';
import type { QuarantinedCase } from '../../src/config/quarantine.ts';
import type { QuarantineVersions } from '../../src/config/quarantine-versions.ts';

const RUN: RunRecord = {
  id: 'run-1',
  timestamp: '2026-02-03T04:05:06.000Z',
  gitCommit: 'a'.repeat(40),
  gitBranch: 'change',
  dirty: false,
  command: null,
  durationMs: 3,
  passed: 1,
  failed: 1,
  skipped: 0,
  flaky: 0,
  status: 'failed',
};
const BASE_COMMIT = 'b'.repeat(40);
const FACTS: GateFacts = {
  outcome: undefined,
  unread: [],
  today: '2026-02-03',
  base: { commits: new Set([BASE_COMMIT]), problem: null },
  again: NOTHING_AGAIN,
  missing: null,
  missingFails: false,
  otherReasons: [],
};
const NONE: QuarantineVersions = {
  from: 'main (aaaaaaaaaaaa)',
  counting: [],
  here: [],
  change: { added: [], changed: [], removed: [] },
  problem: null,
  notes: [],
};

function one(caseName: string, verdict?: VerdictKind | 'passed'): CaseRecord {
  const ended = { caseName, flaky: false, runnerStatus: null, durationMs: 1, attempts: 1 };
  const brief = (kind: VerdictKind): Pick<CaseRecord, 'verdict' | 'precedents'> => ({
    verdict: { kind, probability: 0.9 },
    precedents: { failedAt: [BASE_COMMIT] },
  });
  if (verdict === 'passed')
    return { ...ended, status: 'passed', category: null, headline: null, error: null, signature: null };
  const failure = { category: 'UNKNOWN', headline: 'no', error: 'Error: no', signature: 'x' } as const;
  return { ...ended, status: 'failed', ...failure, ...(verdict === undefined ? {} : brief(verdict)) };
}

test.each<[VerdictKind | undefined, boolean]>([
  ['regression', false],
  ['broken', false],
  ['new', false],
  ['unknown', false],
  // A run from an earlier version has no verdict.
  [undefined, false],
  ['flaky', true],
  ['infrastructure', true],
  ['order', true],
  ['environment', true],
])('a failure with the verdict %s passes: %s', (kind, passes) => {
  const gate = judge({ run: RUN, cases: [one('a', kind), one('b', 'passed')] }, NONE, FACTS);
  expect(gate.passes).toBe(passes);
  expect([gate.failing.length, gate.reported.length]).toEqual(passes ? [0, 1] : [1, 0]);
});

test.each(['npm test', 'packages/a > npm test'])('a run that was cut off passes by no verdict: %s', (caseName) => {
  const cut = { ...one(caseName, 'order'), runnerStatus: 'timedOut' };
  const run = { ...RUN, command: 'npm test' };
  const gate = judge({ run, cases: [cut] }, NONE, FACTS);
  expect([gate.passes, gate.problems]).toEqual([false, ['The run was ended before all of its tests had run.']]);
  const ofTest = { ...one('a.spec.ts > npm', 'flaky'), runnerStatus: 'timedOut' };
  expect(judge({ run, cases: [ofTest] }, NONE, FACTS).passes).toBe(true);
});

test('counts a quarantine entry until the end of its day', () => {
  const entry: QuarantinedCase = { case: 'a', reason: 'waits', owner: 'ada', until: '2026-02-03' };
  const judged = (until: string) => {
    const entries = [{ ...entry, until }];
    return judge({ run: RUN, cases: [one('a', 'broken')] }, { ...NONE, counting: entries, here: entries }, FACTS);
  };
  expect(judged('2026-02-03')).toMatchObject({ passes: true, quarantined: [{ caseName: 'a', reason: 'waits' }] });
  expect(judged('2026-02-02')).toMatchObject({ passes: false, failing: [{ caseName: 'a' }], quarantined: [] });
  expect(judged('2026-02-02').problems).toEqual([expect.stringMatching(/^The quarantine of a is over/u)]);
});

test('does not take inherited properties for quarantine entries', () => {
  const gate = judge({ run: RUN, cases: [one('__proto__', 'broken'), one('constructor', 'broken')] }, NONE, FACTS);
  expect(gate.failing).toHaveLength(2);
});

test('distrusts a run without failures if something else reports a failure', () => {
  const passed = { run: { ...RUN, status: 'passed', failed: 0 } as const, cases: [one('b', 'passed')] };
  expect(judge(passed, NONE, FACTS).passes).toBe(true);
  expect(judge({ ...passed, run: RUN }, NONE, FACTS).problems).toHaveLength(1);
  expect(judge(passed, NONE, { ...FACTS, outcome: 'failure' }).problems).toHaveLength(1);
  expect(judge(passed, NONE, { ...FACTS, unread: ['report.xml: cut off'] }).problems).toEqual([
    'Not read in whole, so a failure may be missing: report.xml: cut off',
  ]);
  expect(judge({ run: { ...passed.run, passed: 0 }, cases: [] }, NONE, FACTS).problems).toEqual([
    'The run has no test.',
  ]);
});

test('counts every failure of an unrecorded run, including failures that are not listed', () => {
  const failure = {
    caseName: 'a',
    category: 'UNKNOWN',
    failureKind: 'unknown',
    headline: 'no',
    causeId: 'cause-1',
    known: null,
  } as const;
  const totals = { total: 4, passed: 1, failed: 3, skipped: 0, flaky: 0 };
  const waiting = { runId: 'run-1', status: 'failed', durationMs: 3, totals, failures: [failure], more: 2 } as const;
  const entry: QuarantinedCase = { case: 'a', reason: 'waits', owner: 'ada', until: '2999-12-31' };
  const gate = judge(unrecordedRun({ ...waiting, failures: [failure] }), { ...NONE, counting: [entry] }, FACTS);
  expect(gate.quarantined).toHaveLength(1);
  expect(gate.failing.map(({ caseName }) => caseName)).toEqual([
    'failure 1 of 2 that are not listed',
    'failure 2 of 2 that are not listed',
  ]);
  const passed = { ...waiting, status: 'passed', totals: { ...totals, failed: 0 }, failures: [], more: 0 } as const;
  expect(judge(unrecordedRun({ ...passed, failures: [] }), NONE, FACTS).passes).toBe(true);
});

const flaky = (more: Partial<CaseRecord>): CaseRecord => ({ ...one('a', 'flaky'), ...more });
const sure = (kind: VerdictKind, probability = 0.9) => ({ verdict: { kind, probability } });
const failedHere = (chance: number) => ({ precedents: { failedAt: [BASE_COMMIT], failedHere: { runs: 2, chance } } });
const { precedents: _, ...WITHOUT_PRECEDENT } = flaky({});
const UNKNOWN_BASE: GateBase = { commits: null, problem: 'main is not in this clone' };

test.each<[string, CaseRecord, Partial<GateFacts>, string | undefined]>([
  ['failed so on the base', flaky({}), {}, undefined],
  ['passed on the same files', flaky({ precedents: { failedAt: [], passedIn: 'run-0' } }), {}, undefined],
  ['passed when run again', WITHOUT_PRECEDENT, { again: { ...NOTHING_AGAIN, passed: new Set(['a']) } }, undefined],
  ['failed when run again', flaky({}), { again: { ...NOTHING_AGAIN, failed: new Set(['a']) } }, 'failed again'],
  ['fails on these files as often as its rate makes likely', flaky(failedHere(0.06)), {}, undefined],
  ['fails on these files more often than by chance', flaky(failedHere(0.04)), {}, 'in each of 2 runs'],
  ['is a guess', flaky(sure('flaky', 0.53)), {}, 'not sure enough'],
  ['failed so only at its own commit', flaky({ precedents: { failedAt: ['a'.repeat(40)] } }), {}, 'no run without'],
  ['failed so only at commits of the change', flaky({ precedents: { failedAt: ['c'.repeat(40)] } }), {}, 'no run'],
  ['has no precedent', WITHOUT_PRECEDENT, {}, 'no run without this change'],
  [
    'has a condition that only the change had',
    flaky({ ...sure('environment'), precedents: { failedAt: [], passedIn: 'run-0' } }),
    {},
    'no run without',
  ],
  ['was an outage of its own run alone', { ...WITHOUT_PRECEDENT, ...sure('infrastructure') }, {}, 'no run'],
  ['has a base that is not known', flaky({}), { base: UNKNOWN_BASE }, 'main is not in this clone'],
])('an excusable failure that %s', (_, failure, facts, refused) => {
  const gate = judge({ run: RUN, cases: [failure, one('b', 'passed')] }, NONE, { ...FACTS, ...facts });
  expect(gate.passes).toBe(refused === undefined);
  expect(gate.failing.map((failing) => failing.refused)).toEqual(
    refused === undefined ? [] : [expect.stringContaining(refused)],
  );
});

test('requires that excused failures explain the failed command', () => {
  const report = { run: RUN, cases: [one('a', 'flaky'), one('b', 'passed')] };
  const judged = (facts: Partial<GateFacts>) => judge(report, NONE, { ...FACTS, ...facts });
  expect(judged({ outcome: 'failure' }).passes).toBe(true);
  const missing = { baseRunId: 'run-0', ran: 20, missing: ['c', 'd'] };
  expect(judged({ missing })).toMatchObject({
    passes: false,
    missing: ['c', 'd'],
    problems: [expect.stringContaining('2 of 20 tests of run-0 did not run')],
  });
  const otherReasons = ['The tests printed: coverage for lines (50%) does not meet global threshold (80%)'];
  expect(judged({ otherReasons })).toMatchObject({ passes: false, problems: otherReasons });
  const passed = { run: { ...RUN, status: 'passed', failed: 0 } as const, cases: [one('b', 'passed')] };
  expect(judge(passed, NONE, { ...FACTS, missing, otherReasons }).passes, 'nothing is excused').toBe(true);
  expect(judge(passed, NONE, { ...FACTS, missing, missingFails: true })).toMatchObject({
    passes: false,
    problems: ['2 tests of the base did not run (gate.missingTests is fail).'],
  });
});
