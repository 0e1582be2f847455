/** Files that a repository puts in the place of a spool. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Seal } from '../../src/storage/seal.ts';
import { Spool } from '../../src/storage/spool.ts';
import { folder } from '../project.ts';

const named = (at: number) => `0195220c-2a00-7abc-8def-00112233445${at}.${'0'.repeat(64)}.json`;

const spoolIn = (place: string) => new Spool(place, new Seal(async () => folder()));

test.skipIf(process.platform === 'win32')('ignores and keeps a link, a pipe, a device and a folder', async () => {
  const place = folder({ notes: 'mine' });
  symlinkSync('/dev/zero', path.join(place, named(0)));
  symlinkSync('notes', path.join(place, named(1)));
  execFileSync('mkfifo', [path.join(place, named(2))]);
  mkdirSync(path.join(place, named(3)));
  mkdirSync(path.join(place, 'x.draft'));
  utimesSync(path.join(place, 'x.draft'), 1, 1);
  expect(await spoolIn(place).files()).toEqual([]);
  expect(readdirSync(place)).toHaveLength(6);
});

test.skipIf(process.platform === 'win32')('ignores a link to a folder and keeps its files', async () => {
  const outside = folder({ 'notes.draft': 'mine', [named(0)]: '{}' });
  utimesSync(path.join(outside, 'notes.draft'), 1, 1);
  const link = path.join(folder(), 'argus.db.spool');
  symlinkSync(outside, link);
  const spool = spoolIn(link);
  expect(spool.isEmpty()).toBe(true);
  expect(await spool.files()).toEqual([]);
  expect(readdirSync(outside).sort()).toEqual([named(0), 'notes.draft']);
});
