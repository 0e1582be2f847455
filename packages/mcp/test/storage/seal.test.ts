import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Seal } from '../../src/storage/seal.ts';
import { folder } from '../project.ts';

const links = vi.hoisted(() => ({ refusedWith: '' }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const linkSync: typeof fs.linkSync = (from, to) => {
    if (links.refusedWith !== '') throw Object.assign(new Error('no links here'), { code: links.refusedWith });
    fs.linkSync(from, to);
  };
  return { ...fs, linkSync };
});

afterEach(() => {
  links.refusedWith = '';
});

const sealIn = (of: string) => new Seal(async () => of);

describe('the key', () => {
  test.each(['', 'EPERM', 'ENOTSUP'])('is created once when links answer %j', async (code) => {
    links.refusedWith = code;
    const keys = folder();
    const seal = await sealIn(keys).of('text');
    expect(await sealIn(keys).isOf('text', seal)).toBe(true);
    expect(readdirSync(keys)).toEqual(['spool.key']);
  });

  test('is read again by the next call after an error', async () => {
    const keys = folder();
    const file = path.join(keys, 'spool.key');
    writeFileSync(file, 'short');
    const seal = sealIn(keys);
    await expect(seal.of('text')).rejects.toThrow('delete it');
    rmSync(file);
    expect(await seal.of('text')).toMatch(/^[0-9a-f]{64}$/u);
    expect(existsSync(file)).toBe(true);
  });
});
