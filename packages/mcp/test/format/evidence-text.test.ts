/** Formats the list of fixes for terminals of different widths. */

import type { FixEvidence, FixesResult, ReportedFix, SharedFixEntry } from 'argus-engine';
import { expect, test } from 'vitest';
import { formatFixDetails, formatFixes } from '../../src/format/failures/evidence-text.ts';
import { formatSharedOrigin } from '../../src/format/failures/verdict-text.ts';

const FOUND_FIX: FixEvidence = {
  fixId: 'fix-407d1654a2e0b85a-a65e613d5ce8',
  commit: 'a'.repeat(40),
  status: 'proved',
  passes: 1,
  needed: 1,
  failedIn: 'run-1',
  passedIn: 'run-2',
  caseNames: ['cart.test.js > adds', 'cart.test.js > counts what lies in it, however often it was put there'],
};
const REPORTED_FIX: ReportedFix = {
  fixId: 'fix-019d2b1e-8f00-7000-8000-0123456789ab',
  patternId: 'pat-1',
  caseName: 'a.py::test_a',
  fixDescription: `Waited for the queue${' and waited'.repeat(40)}\nThe second line`,
  createdAt: '2026-02-03T04:05:06Z',
  trust: { state: 'claimed', failedIn: 'run-1', passes: 0, needed: 11 },
};
const SHARED_FIX: SharedFixEntry = {
  fixId: 'fix-019d2b1e-8f00-7000-8000-ba9876543210',
  caseName: 'b.py::test_b',
  fixDescription: '等待队列清空以后再断言。'.repeat(12),
  origin: {
    file: '.argus-shared/fixes/fix-019d2b1e-8f00-7000-8000-ba9876543210.json',
    by: 'ann',
    elsewhere: { proved: 2, claimed: 0, failed: 1 },
  },
};
const ALL_FIXES: FixesResult = { fixes: [FOUND_FIX], reported: [REPORTED_FIX], shared: [SHARED_FIX] };

const DETAILS_HINT = 'argus fixes FIX shows a fix and the changes of its commit';

test('prints each fix completely and on one line if the output is not a terminal', () => {
  expect(formatFixes(ALL_FIXES).split('\n')).toEqual([
    expect.stringMatching(/^held in 1 run {24}fix-407d\S+ +a{12}: cart\.test\.js > adds, .*put there$/u),
    expect.stringMatching(
      /^not confirmed \(0 of 11 runs passed\) {2}fix-019d2b1e-8f00-7\S+ {2}a\.py::test_a: Waited .* and waited$/u,
    ),
    expect.stringMatching(
      /^foreign, not confirmed {15}fix-\S+ {2}b\.py::test_b: .*\(\.argus-shared.* worked 2, failed 1\)$/u,
    ),
    DETAILS_HINT,
  ]);
});

test('groups an edit, its commit and its report under the first fix', () => {
  const { commit: _, ...mend } = FOUND_FIX;
  const edit = { ...mend, fixId: 'fix-edit', passes: 2, files: ['cart.js'], sameAs: FOUND_FIX.fixId };
  const otherFix = { ...FOUND_FIX, fixId: 'fix-other', caseNames: ['b'] };
  const report = { ...REPORTED_FIX, fixId: 'fix-report', fixDescription: 'Counted one more', sameAs: FOUND_FIX.fixId };
  const rows = formatFixes({ fixes: [FOUND_FIX, otherFix, edit], reported: [REPORTED_FIX, report] }).split('\n');
  expect(rows.map((row) => row.split(/ {2,}/u))).toEqual([
    ['held in 1 run', FOUND_FIX.fixId, expect.stringMatching(/^a{12}: cart/u)],
    ['held in 2 runs', 'fix-edit', 'same fix: edited, not committed: cart.js'],
    ['not confirmed (0 of 11 runs passed)', 'fix-report', 'same fix: Counted one more'],
    ['held in 1 run', 'fix-other', `${'a'.repeat(12)}: b`],
    ['not confirmed (0 of 11 runs passed)', 'fix-019d2b1e-8f00', expect.stringContaining('Waited')],
    [DETAILS_HINT],
  ]);
});

test('prints one line per fix on a terminal with 120 columns', () => {
  const rows = formatFixes({ fixes: [FOUND_FIX], reported: [REPORTED_FIX] }, 120).split('\n');
  expect(rows.map((row) => row.length)).toEqual([120, 120, DETAILS_HINT.length]);
  expect(rows[1]).toMatch(/ {2}a\.py::test_a: Waited for the queue and.*…$/u);
});

test('on a narrow terminal, moves the text to its own line and shortens it', () => {
  const rows = formatFixes(ALL_FIXES, 80).split('\n');
  expect(rows).toHaveLength(7);
  expect(rows[0]).toBe('held in 1 run                        fix-407d1654a2e0b85a-a65e613d5ce8');
  expect(rows[1]).toBe('    aaaaaaaaaaaa: cart.test.js > adds, cart.test.js > counts what lies in it, h…');
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
  // Each of these characters takes two columns.
  const [wide = ''] = rows.slice(5);
  expect(wide).toMatch(/^ {4}b\.py::test_b: 等待.*…$/u);
  expect(wide.length + (wide.match(/[^ -~…]/gu) ?? []).length).toBeLessThanOrEqual(80);
});

test('names the file of a shared fix', () => {
  const text = formatFixDetails({ found: null, reported: null, shared: SHARED_FIX, change: null });
  expect(text).toContain(`shared   ${SHARED_FIX.origin.file}, by ann; elsewhere: worked 2, failed 1`);
  expect(text).toContain(`| ${SHARED_FIX.fixDescription}`);
});

test('names the file that assigns a shared fix to this failure', () => {
  const joinedBy = '.argus-shared/decisions/dec-019d2b1e-8f00-7000-8000-ba9876543210.json';
  expect(formatSharedOrigin({ ...SHARED_FIX.origin, joinedBy })).toBe(
    `${SHARED_FIX.origin.file}, by ann; same failure according to ${joinedBy}; elsewhere: worked 2, failed 1`,
  );
});
