/** Finds the commit and the time of a run in the names of folders. */

import { expect, test } from 'vitest';
import { findHashes, parseTimeInName } from '../../src/cli/learn/report-commits.ts';

const COMMIT_HASH = '9912ab4c0d1e2f3a4b5c6d7e8f90123456789abc';

test.each([
  ['2026-02-03', '2026-02-03T00:00:00.000Z'],
  ['20260203T040506Z', '2026-02-03T04:05:06.000Z'],
  ['2026-02-03_04-05', '2026-02-03T04:05:00.000Z'],
  // The digits after the date do not belong to it.
  [`2026-02-03-${COMMIT_HASH}`, '2026-02-03T00:00:00.000Z'],
  ['2026-02-03-1234abc', '2026-02-03T00:00:00.000Z'],
  ['2026-02-03-994512', '2026-02-03T00:00:00.000Z'],
])('reads the time in %s', (name, time) => {
  expect(new Date(parseTimeInName(name) ?? 0).toISOString()).toBe(time);
});

test.each(['abc20260203f', 'd20260203abcdef0123456789abcdef012345678', '2026-13-03', '2026-02-32', 'run-7'])(
  'finds no time in %s',
  (name) => expect(parseTimeInName(name)).toBeUndefined(),
);

test.each([
  [`y/2026-02-03-${COMMIT_HASH}`, [COMMIT_HASH]],
  ['z-1234567e', ['1234567e']],
  ['20260203', []],
  ['20260203t040506', []],
])('finds in %s the hashes %s', (name, hashes) => expect(findHashes(name)).toEqual(hashes));
