/** Tests a spool folder in which a repository has put files of its own, and the key that signs waiting calls. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FileHmac, Spool } from '../../src/storage/spool.ts';
import { createFolder } from '../project.ts';

const callFileName = (at: number) => `0195220c-2a00-7abc-8def-00112233445${at}.${'0'.repeat(64)}.json`;

const createSpool = (place: string) => new Spool(place, new FileHmac(async () => createFolder()));

test.skipIf(process.platform === 'win32')('ignores and keeps a link, a pipe, a device and a folder', async () => {
  const place = createFolder({ notes: 'mine' });
  symlinkSync('/dev/zero', path.join(place, callFileName(0)));
  symlinkSync('notes', path.join(place, callFileName(1)));
  execFileSync('mkfifo', [path.join(place, callFileName(2))]);
  mkdirSync(path.join(place, callFileName(3)));
  mkdirSync(path.join(place, 'x.draft'));
  utimesSync(path.join(place, 'x.draft'), 1, 1);
  expect(await createSpool(place).readWaiting()).toEqual([]);
  expect(readdirSync(place)).toHaveLength(6);
});

test.skipIf(process.platform === 'win32')('ignores a link to a folder and keeps its files', async () => {
  const outside = createFolder({ 'notes.draft': 'mine', [callFileName(0)]: '{}' });
  utimesSync(path.join(outside, 'notes.draft'), 1, 1);
  const link = path.join(createFolder(), 'argus.db.spool');
  symlinkSync(outside, link);
  const spool = createSpool(link);
  expect(spool.isEmpty()).toBe(true);
  expect(await spool.readWaiting()).toEqual([]);
  expect(readdirSync(outside).sort()).toEqual([callFileName(0), 'notes.draft']);
});

const linkSyncStub = vi.hoisted(() => ({ refusedWith: '' }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const linkSync: typeof fs.linkSync = (from, to) => {
    if (linkSyncStub.refusedWith !== '')
      throw Object.assign(new Error('no links here'), { code: linkSyncStub.refusedWith });
    fs.linkSync(from, to);
  };
  return { ...fs, linkSync };
});

afterEach(() => {
  linkSyncStub.refusedWith = '';
});

const createHmacIn = (of: string) => new FileHmac(async () => of);

describe('the key', () => {
  test.each(['', 'EPERM', 'ENOTSUP'])('the key is created once when linking its file results in %j', async (code) => {
    linkSyncStub.refusedWith = code;
    const keys = createFolder();
    const seal = await createHmacIn(keys).compute('text');
    expect(await createHmacIn(keys).matches('text', seal)).toBe(true);
    expect(readdirSync(keys)).toEqual(['spool.key']);
  });

  test('reads the key again in the next call after an error', async () => {
    const keys = createFolder();
    const file = path.join(keys, 'spool.key');
    writeFileSync(file, 'short');
    const seal = createHmacIn(keys);
    await expect(seal.compute('text')).rejects.toThrow('delete it');
    rmSync(file);
    expect(await seal.compute('text')).toMatch(/^[0-9a-f]{64}$/u);
    expect(existsSync(file)).toBe(true);
  });
});
