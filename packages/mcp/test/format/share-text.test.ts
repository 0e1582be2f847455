/** Formats doubts about shared files that a person should read. */

import { expect, test } from 'vitest';
import { formatShareChecked, formatShared } from '../../src/format/memory/share-text.ts';

const DOUBT = { path: 'fixes/fix-a.json', message: 'line 9 has 32 hexadecimal digits that may be a key: 3f9a…' };
const SAID = `to be read: ${DOUBT.path}: ${DOUBT.message}`;

test('prints a possible key before the commit', () => {
  const shared = { dryRun: false, by: null, files: ['.argus-shared/fixes/fix-a.json'], present: 0, leftOut: [] };
  const said = formatShared({ ...shared, doubts: [DOUBT] }).split('\n');
  expect(said.slice(-2)).toEqual([SAID, expect.stringContaining('next: read them')]);
});

test('does not count a doubt as a fault', () => {
  expect(formatShareChecked({ files: 1, faults: [], doubts: [DOUBT] })).toBe(`1 shared file, nothing wrong\n${SAID}`);
});
