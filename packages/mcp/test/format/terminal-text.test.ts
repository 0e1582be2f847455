/** Formats texts for people at a terminal: commands instead of tools, and fixes with their results. */

import type { DiagnosticResult, FixRecord } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatDiagnosis, formatFix } from '../../src/format/failures/diagnosis-text.ts';
import { toCommandLineText } from '../../src/format/terminal.ts';

test.each([
  ["A recorded run in which 'boom' passes: call argus_run.", "A recorded run in which 'boom' passes: argus run."],
  ['if it did not help, report it with success: false.', 'if it did not help, report it with --failed.'],
  [
    'The newest runs are run-1; argus_history lists all runs.',
    'The newest runs are run-1; argus history lists all runs.',
  ],
  [
    'After attempting it, call record_outcome with worked=true or false.',
    'After attempting it, run argus outcome with worked or failed.',
  ],
  ['call add_solution (then record_outcome).', 'run argus add-solution (then argus outcome).'],
  [
    'ranked_solutions lists incidents; add_incident adds an incident',
    'argus solutions lists incidents; argus add-incident adds an incident',
  ],
  [
    'argus.yaml:3: no list. Correct it and call argus_init again.',
    'argus.yaml:3: no list. Correct it and run this again.',
  ],
  ['argus-mcp adopt, at a terminal, shows its content', 'argus adopt, at a terminal, shows its content'],
  ['npx -y argus-mcp; history and run are words', 'npx -y argus-mcp; history and run are words'],
])('rewrites the commands in the text: %s', (input, expected) => {
  expect(toCommandLineText(input)).toBe(expected);
});

const FIX_RECORD: FixRecord = {
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

function createDiagnosis(fix: FixRecord): DiagnosticResult {
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

test('prints a check mark for a fix that held, and names the case of a fix of another failure', () => {
  expect(formatDiagnosis(createDiagnosis(FIX_RECORD))).toContain('✓ 2026-02-25 Counted one more (held in 1 run)');
  const refuted = { ...FIX_RECORD, state: 'refuted', refutedBy: 'run-2' } as const;
  expect(formatDiagnosis(createDiagnosis(refuted))).toContain('✗ 2026-02-25 Counted one more (the failure came back)');
  const otherDiagnosis = formatDiagnosis(createDiagnosis({ ...FIX_RECORD, ofOtherFailure: true }));
  expect(otherDiagnosis).toContain('· for totals: 2026-02-25 Counted one more');
  expect(otherDiagnosis).not.toContain('✓');
});

test('names the case that has a known error', () => {
  const further = { ...createDiagnosis(FIX_RECORD), sameCauseAs: { caseName: 'first', patternId: 'pat-1' } };
  expect(formatDiagnosis(further)).toContain('new for this case; same error as first (pat-1), whose fixes apply');
});

test.each([
  ['a commit that is clearly ahead', 'a 88, b 10', 'commit aaaaaaaaaaaa'],
  ['two', 'a 48, b 46', 'perhaps commit aaaaaaaaaaaa (48 %) or bbbbbbbbbbbb (46 %)'],
  ['a commit or none', 'a 40', 'perhaps commit aaaaaaaaaaaa (40 %)'],
  [
    'many',
    'a 24, b 24, c 20, d 20, e 6, f 6',
    'perhaps commit aaaaaaaaaaaa (24 %), bbbbbbbbbbbb (24 %), cccccccccccc (20 %), dddddddddddd (20 %) or 2 others',
  ],
])('names the suspected commits: %s', (_, suspected, since) => {
  const verdict = { kind: 'regression' as const, probability: 0.93, because: [], against: [] };
  const suspects = suspected.split(', ').map((one) => {
    const [letter = '', chance] = one.split(' ');
    return { commit: letter.repeat(40), probability: Number(chance) / 100 };
  });
  const diagnosisText = formatDiagnosis({ ...createDiagnosis(FIX_RECORD), verdict, suspects });
  expect(diagnosisText).toContain(`verdict    regression: ${since}\n`);
});

const REPORTED_FIX = {
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

test('names the pattern that a reported fix was added to', () => {
  const text = formatFix({ ...REPORTED_FIX, learnedBy: 'pat-1' }, 'run-1');
  expect(text).toContain('recorded on pat-1 (ASSERTION_MISMATCH), a new pattern; counts on builtin-assertion too');
  expect(formatFix(REPORTED_FIX, 'run-1')).toContain('recorded on builtin-assertion (ASSERTION_MISMATCH)\n');
});

test('prints a claim on one line unless a later run contradicts it', () => {
  const warnings = ["'totals' still fails in run-2, the newest run that has it, so this success is only claimed."];
  expect(formatFix({ ...REPORTED_FIX, warnings }, 'run-2')).not.toContain('warning');
  expect(formatFix({ ...REPORTED_FIX, warnings }, 'run-1')).toContain('warning: ');
});
