/** Formats the list of fixes for terminals of different widths. */

import type { FixEvidence, FixesResult, ReportedFix, SharedKnown } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatFixes, formatFixInFull } from '../../src/format/failures/evidence-text.ts';
import { originText } from '../../src/format/failures/origin-text.ts';

const FOUND: FixEvidence = {
  fixId: 'fix-407d1654a2e0b85a-a65e613d5ce8',
  commit: 'a'.repeat(40),
  status: 'proved',
  passes: 1,
  needed: 1,
  failedIn: 'run-1',
  passedIn: 'run-2',
  caseNames: ['cart.test.js > adds', 'cart.test.js > counts what lies in it, however often it was put there'],
};
const REPORTED: ReportedFix = {
  fixId: 'fix-019d2b1e-8f00-7000-8000-0123456789ab',
  patternId: 'pat-1',
  caseName: 'a.py::test_a',
  fixDescription: `Waited for the queue${' and waited'.repeat(40)}\nThe second line`,
  createdAt: '2026-02-03T04:05:06Z',
  trust: { state: 'claimed', failedIn: 'run-1', passes: 0, needed: 11 },
};
const SHARED: SharedKnown = {
  fixId: 'fix-019d2b1e-8f00-7000-8000-ba9876543210',
  caseName: 'b.py::test_b',
  fixDescription: '等待队列清空以后再断言。'.repeat(12),
  origin: {
    file: '.argus-shared/fixes/fix-019d2b1e-8f00-7000-8000-ba9876543210.json',
    by: 'ann',
    elsewhere: { proved: 2, claimed: 0, failed: 1 },
  },
};
const FIXES: FixesResult = { fixes: [FOUND], reported: [REPORTED], shared: [SHARED] };

const HINT = 'argus fixes FIX_ID shows one of them, and what its commit changed';

test('prints each fix whole and on one line without a terminal', () => {
  expect(formatFixes(FIXES).split('\n')).toEqual([
    expect.stringMatching(
      /^proved {3}fix-407d\S+ {9}passed 1 time since {2}a{12}: cart\.test\.js > adds, .*put there$/u,
    ),
    expect.stringMatching(/^claimed {2}fix-\S+ {2}0 of 11 passes seen {2}a\.py::test_a: Waited .* and waited$/u),
    expect.stringMatching(
      /^claimed {2}fix-\S+ {2}foreign {14}b\.py::test_b: .*\(\.argus-shared.* 2 worked, 1 failed\)$/u,
    ),
    HINT,
  ]);
});

test('groups an edit, its commit and its report under the first fix', () => {
  const { commit: _, ...mend } = FOUND;
  const edit = { ...mend, fixId: 'fix-edit', passes: 2, files: ['cart.js'], sameAs: FOUND.fixId };
  const other = { ...FOUND, fixId: 'fix-other', caseNames: ['b'] };
  const report = { ...REPORTED, fixId: 'fix-report', fixDescription: 'Counted one more', sameAs: FOUND.fixId };
  const rows = formatFixes({ fixes: [FOUND, other, edit], reported: [REPORTED, report] }).split('\n');
  expect(rows.map((row) => row.split(/ {2,}/u))).toEqual([
    ['proved', FOUND.fixId, 'passed 1 time since', expect.stringMatching(/^a{12}: cart/u)],
    ['', 'fix-edit', 'passed 2 times since', 'the same mend: edited, not committed: cart.js'],
    ['claimed', 'fix-report', '0 of 11 passes seen', 'the same mend: Counted one more'],
    ['proved', 'fix-other', 'passed 1 time since', `${'a'.repeat(12)}: b`],
    ['claimed', REPORTED.fixId, '0 of 11 passes seen', expect.stringContaining('Waited')],
    [HINT],
  ]);
});

test('prints one line per fix on a terminal of 120 columns', () => {
  const rows = formatFixes({ fixes: [FOUND], reported: [REPORTED] }, 120).split('\n');
  expect(rows.map((row) => row.length)).toEqual([120, 120, HINT.length]);
  expect(rows[1]).toMatch(/ {2}a\.py::test_a: Waited for the queue and.*…$/u);
});

test('moves the text to its own line on a narrow terminal, and cuts it', () => {
  const rows = formatFixes(FIXES, 80).split('\n');
  expect(rows).toHaveLength(7);
  expect(rows[0]).toBe('proved   fix-407d1654a2e0b85a-a65e613d5ce8         passed 1 time since');
  expect(rows[1]).toBe('    aaaaaaaaaaaa: cart.test.js > adds, cart.test.js > counts what lies in it, h…');
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
  // Each of these characters takes two columns.
  const [wide = ''] = rows.slice(5);
  expect(wide).toMatch(/^ {4}b\.py::test_b: 等待.*…$/u);
  expect(wide.length + (wide.match(/[^ -~…]/gu) ?? []).length).toBeLessThanOrEqual(80);
});

test('names the file of a shared fix', () => {
  const text = formatFixInFull({ found: null, reported: null, shared: SHARED, change: null });
  expect(text).toContain(`shared   ${SHARED.origin.file}, by ann; elsewhere 2 worked, 1 failed`);
  expect(text).toContain(`| ${SHARED.fixDescription}`);
});

test('names the file that joins a shared fix to this failure', () => {
  const joinedBy = '.argus-shared/decisions/dec-019d2b1e-8f00-7000-8000-ba9876543210.json';
  expect(originText({ ...SHARED.origin, joinedBy })).toBe(
    `${SHARED.origin.file}, by ann; one with this failure, as ${joinedBy} says; elsewhere 2 worked, 1 failed`,
  );
});
