import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { removeWithoutTap } from '../../src/run/reports/printed-tap.ts';

test.each([
  ['a build that failed before', '> build\n> tsc\n\nsrc/a.ts(1,1): error TS1005: ok expected\n', false],
  ['TAP', '> test\n> tap\n\nTAP version 14\n1..0\n', true],
  ['results alone', 'ok 1 - adds\n', true],
  ['within a package', '    not ok 1 - adds\n', true],
])('keeps a copy only with TAP: %s', (_name, printed, isReport) => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'argus-tap-')), 'tap.tap');
  writeFileSync(file, printed);
  removeWithoutTap(file);
  expect(existsSync(file)).toBe(isReport);
  removeWithoutTap(`${file}.absent`);
});
