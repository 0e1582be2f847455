import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyForeignDatabase } from '../../src/owner/identity.ts';
import { createFolder } from '../project.ts';

test('replaces older copies of the database, and copies that killed processes left', () => {
  const [copies, original] = [createFolder(), path.join(createFolder(), 'argus.db')];
  writeFileSync(original, 'SQLite format 3\0 one');
  const firstCopy = path.basename(copyForeignDatabase(original, copies));
  for (const name of ['copy-old', 'copy-new', 'draft-old']) mkdirSync(path.join(copies, name));
  for (const name of ['copy-old', 'draft-old']) utimesSync(path.join(copies, name), 0, 0);
  writeFileSync(original, 'SQLite format 3\0 and two');
  const secondCopy = path.basename(copyForeignDatabase(original, copies));
  expect(readdirSync(copies).sort()).toEqual(['copy-new', secondCopy]);
  expect(secondCopy).not.toBe(firstCopy);
});
