import type { CaseRecord, RunRecord, VerdictKind } from 'argus-engine';
import { expect, test } from 'vitest';
import { type GateBase, type GateFacts, judgeRun, NO_RERUNS } from '../../src/cli/ci/gate-judgement.ts';
import { createUnrecordedRunReport } from '../../src/cli/ci/unrecorded-run.ts';
import type { QuarantinedCase, QuarantineVersions } from '../../src/config/quarantine.ts';

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
const GATE_FACTS: GateFacts = {
  outcome: undefined,
  unread: [],
  committed: [],
  today: '2026-02-03',
  base: { commits: new Set([BASE_COMMIT]), problem: null },
  again: NO_RERUNS,
  missing: null,
  missingFails: false,
  otherReasons: [],
};
const NO_QUARANTINE: QuarantineVersions = {
  from: 'main (aaaaaaaaaaaa)',
  counting: [],
  here: [],
  change: { added: [], changed: [], removed: [] },
  problem: null,
  notes: [],
};

function createCaseRecord(caseName: string, verdict?: VerdictKind | 'passed'): CaseRecord {
  const defaults = { caseName, flaky: false, runnerStatus: null, durationMs: 1, attempts: 1 };
  const brief = (kind: VerdictKind): Pick<CaseRecord, 'verdict' | 'precedents'> => ({
    verdict: { kind, probability: 0.9 },
    precedents: { failedAt: [BASE_COMMIT] },
  });
  if (verdict === 'passed')
    return { ...defaults, status: 'passed', category: null, headline: null, error: null, signature: null };
  const failure = { category: 'UNKNOWN', headline: 'no', error: 'Error: no', signature: 'x' } as const;
  return { ...defaults, status: 'failed', ...failure, ...(verdict === undefined ? {} : brief(verdict)) };
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
])('a failure with the verdict %s passes: %s', (kind, isAccepted) => {
  const gate = judgeRun(
    { run: RUN, cases: [createCaseRecord('a', kind), createCaseRecord('b', 'passed')] },
    NO_QUARANTINE,
    GATE_FACTS,
  );
  expect(gate.passes).toBe(isAccepted);
  expect([gate.failing.length, gate.reported.length]).toEqual(isAccepted ? [0, 1] : [1, 0]);
});

test.each(['npm test', 'packages/a > npm test'])(
  'an interrupted run does not pass, whatever its verdict: %s',
  (caseName) => {
    const timedOutRun = { ...createCaseRecord(caseName, 'order'), runnerStatus: 'timedOut' };
    const run = { ...RUN, command: 'npm test' };
    const gate = judgeRun({ run, cases: [timedOutRun] }, NO_QUARANTINE, GATE_FACTS);
    expect([gate.passes, gate.problems]).toEqual([false, ['The run was stopped before all of its tests had run.']]);
    const timedOutTest = { ...createCaseRecord('a.spec.ts > npm', 'flaky'), runnerStatus: 'timedOut' };
    expect(judgeRun({ run, cases: [timedOutTest] }, NO_QUARANTINE, GATE_FACTS).passes).toBe(true);
  },
);

test.each(['(report)', 'packages/a > (report)'])(
  'a run with an incomplete report does not pass, whatever its verdict: %s',
  (caseName) => {
    const gate = judgeRun({ run: RUN, cases: [createCaseRecord(caseName, 'flaky')] }, NO_QUARANTINE, GATE_FACTS);
    expect(gate.failing).toMatchObject([{ caseName }]);
  },
);

test('counts a quarantine entry until the end of its day', () => {
  const entry: QuarantinedCase = { case: 'a', reason: 'waits', owner: 'ada', until: '2026-02-03' };
  const judgeOnDay = (until: string) => {
    const entries = [{ ...entry, until }];
    return judgeRun(
      { run: RUN, cases: [createCaseRecord('a', 'broken')] },
      { ...NO_QUARANTINE, counting: entries, here: entries },
      GATE_FACTS,
    );
  };
  expect(judgeOnDay('2026-02-03')).toMatchObject({ passes: true, quarantined: [{ caseName: 'a', reason: 'waits' }] });
  expect(judgeOnDay('2026-02-02')).toMatchObject({ passes: false, failing: [{ caseName: 'a' }], quarantined: [] });
  expect(judgeOnDay('2026-02-02').problems).toEqual([expect.stringMatching(/^The quarantine of a has expired/u)]);
});

test('does not take inherited object properties for quarantine entries', () => {
  const gate = judgeRun(
    { run: RUN, cases: [createCaseRecord('__proto__', 'broken'), createCaseRecord('constructor', 'broken')] },
    NO_QUARANTINE,
    GATE_FACTS,
  );
  expect(gate.failing).toHaveLength(2);
});

test('does not trust a run without failures if something else reports a failure', () => {
  const passed = { run: { ...RUN, status: 'passed', failed: 0 } as const, cases: [createCaseRecord('b', 'passed')] };
  expect(judgeRun(passed, NO_QUARANTINE, GATE_FACTS).passes).toBe(true);
  expect(judgeRun({ ...passed, run: RUN }, NO_QUARANTINE, GATE_FACTS).problems).toHaveLength(1);
  expect(judgeRun(passed, NO_QUARANTINE, { ...GATE_FACTS, outcome: 'failure' }).problems).toHaveLength(1);
  expect(judgeRun(passed, NO_QUARANTINE, { ...GATE_FACTS, unread: ['report.xml: cut off'] }).problems).toEqual([
    'Not fully read, so a failure may be missing: report.xml: cut off',
  ]);
  expect(judgeRun({ run: { ...passed.run, passed: 0 }, cases: [] }, NO_QUARANTINE, GATE_FACTS).problems).toEqual([
    'The run has no tests.',
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
  const gate = judgeRun(
    createUnrecordedRunReport({ ...waiting, failures: [failure] }),
    { ...NO_QUARANTINE, counting: [entry] },
    GATE_FACTS,
  );
  expect(gate.quarantined).toHaveLength(1);
  expect(gate.failing.map(({ caseName }) => caseName)).toEqual(['unlisted failure 1 of 2', 'unlisted failure 2 of 2']);
  const passed = { ...waiting, status: 'passed', totals: { ...totals, failed: 0 }, failures: [], more: 0 } as const;
  expect(judgeRun(createUnrecordedRunReport({ ...passed, failures: [] }), NO_QUARANTINE, GATE_FACTS).passes).toBe(true);
});

const createFlakyCase = (more: Partial<CaseRecord>): CaseRecord => ({ ...createCaseRecord('a', 'flaky'), ...more });
const verdictWithProbability = (kind: VerdictKind, probability = 0.9) => ({ verdict: { kind, probability } });
const precedentsFailedHere = (chance: number) => ({
  precedents: { failedAt: [BASE_COMMIT], failedHere: { runs: 2, chance } },
});
const { precedents: _, ...WITHOUT_PRECEDENT } = createFlakyCase({});
const UNKNOWN_BASE: GateBase = { commits: null, problem: 'main is not in this clone' };

test.each<[string, CaseRecord, Partial<GateFacts>, string | undefined]>([
  ['failed in the same way on the base', createFlakyCase({}), {}, undefined],
  ['passed on the same files', createFlakyCase({ precedents: { failedAt: [], passedIn: 'run-0' } }), {}, undefined],
  ['passed when run again', WITHOUT_PRECEDENT, { again: { ...NO_RERUNS, passed: new Set(['a']) } }, undefined],
  [
    'failed when run again',
    createFlakyCase({}),
    { again: { ...NO_RERUNS, failed: new Set(['a']) } },
    'failed in every rerun',
  ],
  [
    'fails on these files as often as its rate makes likely',
    createFlakyCase(precedentsFailedHere(0.06)),
    {},
    undefined,
  ],
  ['fails on these files more often than by chance', createFlakyCase(precedentsFailedHere(0.04)), {}, 'in all 2 runs'],
  ['is a guess', createFlakyCase(verdictWithProbability('flaky', 0.53)), {}, 'not certain enough'],
  [
    'failed in the same way only at its own commit',
    createFlakyCase({ precedents: { failedAt: ['a'.repeat(40)] } }),
    {},
    'no run without',
  ],
  [
    'failed in the same way only at commits of the change',
    createFlakyCase({ precedents: { failedAt: ['c'.repeat(40)] } }),
    {},
    'no run',
  ],
  ['has no precedent', WITHOUT_PRECEDENT, {}, 'no run without this change'],
  [
    'has a condition that only the change had',
    createFlakyCase({ ...verdictWithProbability('environment'), precedents: { failedAt: [], passedIn: 'run-0' } }),
    {},
    'no run without',
  ],
  [
    'was an outage only in its own run',
    { ...WITHOUT_PRECEDENT, ...verdictWithProbability('infrastructure') },
    {},
    'no run',
  ],
  ['has an unknown base', createFlakyCase({}), { base: UNKNOWN_BASE }, 'main is not in this clone'],
])('does not excuse a failure that %s', (_, failure, facts, refused) => {
  const gate = judgeRun({ run: RUN, cases: [failure, createCaseRecord('b', 'passed')] }, NO_QUARANTINE, {
    ...GATE_FACTS,
    ...facts,
  });
  expect(gate.passes).toBe(refused === undefined);
  expect(gate.failing.map((failing) => failing.refused)).toEqual(
    refused === undefined ? [] : [expect.stringContaining(refused)],
  );
});

test('requires that excused failures explain the failed command', () => {
  const report = { run: RUN, cases: [createCaseRecord('a', 'flaky'), createCaseRecord('b', 'passed')] };
  const judgeWithFacts = (facts: Partial<GateFacts>) => judgeRun(report, NO_QUARANTINE, { ...GATE_FACTS, ...facts });
  expect(judgeWithFacts({ outcome: 'failure' }).passes).toBe(true);
  const missing = { baseRunId: 'run-0', ran: 20, missing: ['c', 'd'] };
  expect(judgeWithFacts({ missing })).toMatchObject({
    passes: false,
    missing: ['c', 'd'],
    problems: [expect.stringContaining('2 of 20 tests of run-0 did not run')],
  });
  const otherReasons = ['The tests printed: coverage for lines (50%) does not meet global threshold (80%)'];
  expect(judgeWithFacts({ otherReasons })).toMatchObject({ passes: false, problems: otherReasons });
  const passed = { run: { ...RUN, status: 'passed', failed: 0 } as const, cases: [createCaseRecord('b', 'passed')] };
  expect(judgeRun(passed, NO_QUARANTINE, { ...GATE_FACTS, missing, otherReasons }).passes, 'nothing is excused').toBe(
    true,
  );
  expect(judgeRun(passed, NO_QUARANTINE, { ...GATE_FACTS, missing, missingFails: true })).toMatchObject({
    passes: false,
    problems: ['2 tests of the base did not run (gate.missingTests is fail).'],
  });
});
