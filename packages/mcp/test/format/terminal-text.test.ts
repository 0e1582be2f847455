/** Formats texts for people at a terminal: commands instead of tools, and fixes with their results. */

import type { DiagnosticResult, FixRecord } from 'argus-engine';
import { expect, test } from 'vitest';
import { withCommands } from '../../src/format/commands.ts';
import { formatDiagnosis, formatFix } from '../../src/format/failures/diagnosis-text.ts';
import { formatRun } from '../../src/format/failures/run-text.ts';

test.each([
  ["A recorded run in which 'boom' passes: call argus_run.", "A recorded run in which 'boom' passes: argus run."],
  ['if it did not help, report it with success: false.', 'if it did not help, report it with --failed.'],
  ['The newest are run-1; argus_history lists all.', 'The newest are run-1; argus history lists all.'],
  [
    'After attempting it, call record_outcome with worked=true or false.',
    'After attempting it, run argus outcome with worked or failed.',
  ],
  ['call add_solution (then record_outcome).', 'run argus add-solution (then argus outcome).'],
  [
    'ranked_solutions lists incidents; add_incident adds one',
    'argus solutions lists incidents; argus add-incident adds one',
  ],
  [
    'argus.yaml:3: no list. Correct it and call argus_init again.',
    'argus.yaml:3: no list. Correct it and run this again.',
  ],
  ['argus-mcp adopt, at a terminal, shows what it holds', 'argus adopt, at a terminal, shows what it holds'],
  ['npx -y argus-mcp; history and run are words', 'npx -y argus-mcp; history and run are words'],
])('rewrites: %s', (told, shown) => {
  expect(withCommands(told)).toBe(shown);
});

const RECORD: FixRecord = {
  id: 'fix-1',
  patternId: 'builtin-assertion',
  runId: 'run-1',
  caseName: 'totals',
  fixDescription: 'Counted one more',
  success: true,
  state: 'proved',
  provedBy: 'run-2',
  createdAt: '2026-02-25T14:00:00.000Z',
  recordedBy: null,
  recordedFrom: null,
};

function diagnosis(fix: FixRecord): DiagnosticResult {
  return {
    category: 'ASSERTION_MISMATCH',
    failureKind: 'assertion',
    message: 'boom',
    cause: { causeId: 'cause-1', headline: 'boom', count: 1, cases: [] },
    signature: 'a1',
    signaturePattern: 'a',
    pattern: null,
    match: { how: 'none', patternId: null, similarity: null, builtinId: null },
    suggestedFix: null,
    confidence: null,
    fixHistory: [fix],
    isNewPattern: false,
    rule: 'none',
    evidence: null,
    related: [],
    warnings: [],
  };
}

test('prints no check mark for a fix of another failure, and names its case', () => {
  expect(formatDiagnosis(diagnosis(RECORD))).toContain('✓ 2026-02-25 Counted one more');
  const other = formatDiagnosis(diagnosis({ ...RECORD, ofOtherFailure: true }));
  expect(other).toContain('· for totals: 2026-02-25 Counted one more');
  expect(other).not.toContain('✓');
});

test('names the case that has a known error', () => {
  const further = { ...diagnosis(RECORD), sameCauseAs: { caseName: 'first', patternId: 'pat-1' } };
  expect(formatDiagnosis(further)).toContain('new for this case; the same error as first (pat-1), known from there');
});

test.each([
  ['one that is clearly ahead', 'a 88, b 10', 'likely since aaaaaaaaaaaa'],
  ['two', 'a 48, b 46', 'perhaps since aaaaaaaaaaaa (48 %) or bbbbbbbbbbbb (46 %)'],
  ['one, and maybe none', 'a 40', 'perhaps since aaaaaaaaaaaa (40 %)'],
  [
    'many',
    'a 24, b 24, c 20, d 20, e 6, f 6',
    'perhaps since aaaaaaaaaaaa (24 %), bbbbbbbbbbbb (24 %), cccccccccccc (20 %), dddddddddddd (20 %) or one of 2 more',
  ],
])('suspects %s', (_, suspected, since) => {
  const verdict = { kind: 'regression' as const, probability: 0.93, because: [], against: [] };
  const suspects = suspected.split(', ').map((one) => {
    const [letter = '', chance] = one.split(' ');
    return { commit: letter.repeat(40), probability: Number(chance) / 100 };
  });
  const said = formatDiagnosis({ ...diagnosis(RECORD), verdict, suspects });
  expect(said).toContain(`verdict    regression (93 %), ${since}\n`);
});

const FIX = {
  patternId: 'builtin-assertion',
  category: 'ASSERTION_MISMATCH',
  previousConfidence: 0.5,
  updatedConfidence: 0.6,
  occurrences: 2,
  resolutions: 1,
  fixRecordId: 'fix-1',
  isNewPattern: false,
  state: 'claimed',
  provedBy: null,
  toProve: "A recorded run in which 'totals' passes: call argus_run.",
} as const;

test('names the pattern that learned a reported fix', () => {
  const text = formatFix({ ...FIX, learnedBy: 'pat-1' }, 'run-1');
  expect(text).toContain('recorded on pat-1 (ASSERTION_MISMATCH), a new pattern; counts on builtin-assertion too');
  expect(formatFix(FIX, 'run-1')).toContain('recorded on builtin-assertion (ASSERTION_MISMATCH)\n');
});

test('prints a claim on one line unless a later run contradicts it', () => {
  const warnings = ["'totals' still fails in run-2, the newest run that has it, so this success is only claimed."];
  expect(formatFix({ ...FIX, warnings }, 'run-2')).not.toContain('warning');
  expect(formatFix({ ...FIX, warnings }, 'run-1')).toContain('warning: ');
});

const RUN = {
  runId: 'run-2',
  status: 'passed',
  durationMs: 1,
  totals: { passed: 1, failed: 0, skipped: 0, flaky: 0 },
  failures: [],
  more: 0,
  causes: [],
  notes: [],
} satisfies Parameters<typeof formatRun>[0];

const BRIEF = { category: 'UNKNOWN', failureKind: 'unknown', headline: 'boom', known: null, causeId: 'c' } as const;
const CAUSE = {
  causeId: 'c',
  headline: 'boom',
  count: 1,
  cases: ['a'],
  verdict: { kind: 'flaky', probability: 0.8 },
} as const;

type Run = Parameters<typeof formatRun>[0];
const shown = (failures: Run['failures'], more: Partial<Run> = {}) =>
  formatRun({ ...RUN, status: 'failed', failures, ...more });

test('prints only the verdict for the cause of one failure, and a line for the cause of many', () => {
  const failures = [{ ...BRIEF, caseName: 'a' }];
  const alone = shown(failures, { causes: [{ ...CAUSE, cases: ['a'] }] });
  expect(alone.match(/boom/gu)).toHaveLength(1);
  expect(alone).toContain('boom\n    flaky (80 %)');
  const shared = shown(failures, { more: 1, causes: [{ ...CAUSE, count: 2, cases: ['a', 'b'] }] });
  expect(shared).toContain('    2 failures, 1 cause: boom\n        flaky (80 %)\n… and 1 more failure');
  const further = shown(failures, { more: 1, causes: [{ ...CAUSE, causeId: 'd', cases: ['b'] }] });
  expect(further).toContain('1 failure, 1 cause: boom\n    flaky (80 %)');
});

test('suggests no diagnosis for a run that is lost', () => {
  const failures = [{ ...BRIEF, caseName: 'a' }];
  expect(shown(failures)).toContain('next: argus diagnose run-2 a');
  expect(shown(failures, { queued: true })).toContain('next: argus diagnose run-2 a');
  expect(shown(failures, { queued: false })).not.toContain('next:');
});

test('prints common details of several failures once, below their names', () => {
  const failures = ['a', 'b', 'c'].map((caseName) => ({ ...BRIEF, caseName, place: `src/${caseName > 'b'}.ts:1` }));
  expect(shown(failures)).toContain(
    '✗ a\n✗ b\n    unknown  boom\n    at src/false.ts:1\n✗ c\n    unknown  boom\n    at src/true.ts:1\n',
  );
  const missing = { ...BRIEF, failureKind: 'module-not-found' as const };
  const apart = [
    { ...missing, caseName: 'a' },
    { ...BRIEF, failureKind: 'syntax-error' as const, causeId: 'd', caseName: 'b' },
    { ...missing, caseName: 'c' },
  ];
  const causes = [
    { ...CAUSE, count: 2, cases: ['a', 'c'] },
    { ...CAUSE, causeId: 'd', cases: ['b'] },
  ];
  expect(shown(apart, { causes }), 'whatever came between them').toContain(
    '✗ a\n✗ c\n    module-not-found  boom\n    2 failures, 1 cause: boom\n        flaky (80 %)\n✗ b\n    syntax-error  boom\n    flaky (80 %)\n',
  );
});

test('prints a tip once, below learned fixes', () => {
  const tip = { patternId: 'builtin-timeout', confidence: 0.5, suggestedFix: 'Wait.', standing: 'a built-in tip' };
  const learned = { ...tip, patternId: 'pat-1', suggestedFix: 'Turn it.', standing: 'fixed 1 of 1 time' };
  const tried = { ...tip, standing: 'fixed 1 of 2 times', tried: { proved: 1, claimed: 0, failed: 1 } };
  const late = { ...BRIEF, category: 'TIMEOUT', failureKind: 'timeout', headline: 'too late' } as const;
  const said = shown([tip, learned, tip, tried].map((known, at) => ({ ...late, caseName: `test ${at}`, known })));
  expect(said.match(/Wait\.|Turn it\./gu)).toEqual(['Turn it.', 'Wait.', 'Wait.']);
  expect(said).toContain(
    '✗ test 3\n    TIMEOUT  timeout  too late\n    fixed 1 of 2 times: Wait.\nTIMEOUT  a built-in tip: Wait.\n',
  );
});

test('prints the fixes that a run proves', () => {
  const fix = { caseName: 'totals', patternId: 'pat-1', fixDescription: 'Counted one more\nand less' };
  const said = formatRun({ ...RUN, proved: Array.from({ length: 7 }, () => fix) });
  expect(said.split('\n').filter((line) => line === 'proved: Counted one more (totals)')).toHaveLength(5);
  expect(said).toContain('… and 2 more fixes proved');
});
