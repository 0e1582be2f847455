import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyOf } from '../../src/owner/foreign-copy.ts';
import { folder } from '../project.ts';

test('replaces older copies and copies of killed processes', () => {
  const [copies, original] = [folder(), path.join(folder(), 'argus.db')];
  writeFileSync(original, 'SQLite format 3\0 one');
  const before = path.basename(copyOf(original, copies));
  for (const name of ['copy-old', 'copy-new', 'draft-old']) mkdirSync(path.join(copies, name));
  for (const name of ['copy-old', 'draft-old']) utimesSync(path.join(copies, name), 0, 0);
  writeFileSync(original, 'SQLite format 3\0 and two');
  const after = path.basename(copyOf(original, copies));
  expect(readdirSync(copies).sort()).toEqual(['copy-new', after]);
  expect(after).not.toBe(before);
});
