import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { removeFileWithoutTap } from '../../src/run/reports/printed-tap.ts';

test.each([
  ['output of a failed build', '> build\n> tsc\n\nsrc/a.ts(1,1): error TS1005: ok expected\n', false],
  ['a TAP document', '> test\n> tap\n\nTAP version 14\n1..0\n', true],
  ['only results', 'ok 1 - adds\n', true],
  ['indented results', '    not ok 1 - adds\n', true],
])('keeps a copy of the output only if it contains TAP: %s', (_name, printed, isReport) => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'argus-tap-')), 'tap.tap');
  writeFileSync(file, printed);
  removeFileWithoutTap(file);
  expect(existsSync(file)).toBe(isReport);
  removeFileWithoutTap(`${file}.absent`);
});
