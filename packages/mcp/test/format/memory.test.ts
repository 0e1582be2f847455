/** Formats warnings about shared files that a person should check. */

import { expect, test } from 'vitest';
import { formatShareCheck, formatShareResult } from '../../src/format/memory.ts';

const WARNING = { path: 'fixes/fix-a.json', message: 'line 9 has 32 hexadecimal digits, which may be a key: 3f9a…' };
const WARNING_TEXT = `please check: ${WARNING.path}: ${WARNING.message}`;

test('prints a warning about a possible key before the commit', () => {
  const shared = { dryRun: false, by: null, files: ['.argus-shared/fixes/fix-a.json'], present: 0, leftOut: [] };
  const lines = formatShareResult({ ...shared, doubts: [WARNING] }).split('\n');
  expect(lines.slice(-2)).toEqual([WARNING_TEXT, expect.stringContaining('next: read the files')]);
});

test('does not count a warning as a fault', () => {
  expect(formatShareCheck({ files: 1, faults: [], doubts: [WARNING] })).toBe(
    `1 shared file, no faults\n${WARNING_TEXT}`,
  );
});
