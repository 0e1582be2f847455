/** The kinds of locks, level by level, between two handles on one file. */
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LockLevel } from '../src/host.ts';
import { DirectoryLock } from '../src/node/lock-directory.ts';
import { loadNative } from '../src/node/lock-native.ts';
import { ByteRangeLock } from '../src/node/lock-range.ts';
import { WholeFileLock } from '../src/node/lock-whole.ts';
import type { FileLock } from '../src/node/locks.ts';

const { none, shared, reserved, exclusive } = LockLevel;
const addon = createRequire(import.meta.url).resolve('fs-native-extensions') === '' ? undefined : loadNative().addon;

let folder = '';
let files: number[] = [];
let locks: FileLock[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'argus-locks-'));
});

afterEach(() => {
  for (const lock of locks) lock.release();
  for (const file of files) closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  files = [];
  locks = [];
});

function pair(kind: 'byte-range' | 'whole-file' | 'directory'): [FileLock, FileLock] {
  const path = join(folder, 'file');
  const make = (): FileLock => {
    if (kind === 'directory') return new DirectoryLock(path);
    if (addon === undefined) throw new Error('fs-native-extensions is not installed');
    const fd = openSync(path, 'a+');
    files.push(fd);
    return kind === 'whole-file' ? new WholeFileLock(fd, addon) : new ByteRangeLock(path, fd, addon);
  };
  const made: [FileLock, FileLock] = [make(), make()];
  locks = made;
  return made;
}

describe.each(['byte-range', 'whole-file', 'directory'] as const)('%s', (kind) => {
  test('one writer at a time, and the next one after it', () => {
    const [first, second] = pair(kind);
    expect([first.raise(shared), first.raise(reserved), first.raise(exclusive)]).toEqual([true, true, true]);
    expect(second.raise(shared)).toBe(false);
    first.lower(none);
    expect([second.raise(shared), second.raise(reserved)]).toEqual([true, true]);
    expect(first.raise(shared) && first.raise(reserved)).toBe(false);
  });

  test('what was waited for is there when it is asked for again', () => {
    const [first, second] = pair(kind);
    expect(first.raise(shared) && first.raise(reserved)).toBe(true);
    expect(second.raise(shared) && second.raise(reserved)).toBe(false);
    second.lower(none);
    expect(second.anticipate(reserved)).toBe(false);
    first.lower(none);
    expect(second.anticipate(reserved)).toBe(true);
    // Nobody else has it, so a journal that lies there is to be rolled back.
    expect([second.raise(shared), second.reserved()]).toEqual([true, false]);
    expect(first.raise(shared) && first.raise(reserved)).toBe(false);
    first.lower(none);
    expect([second.raise(reserved), second.reserved(), second.raise(exclusive)]).toEqual([true, true, true]);
  });

  test('an exclusive lock is never taken ahead from nothing', () => {
    const [first] = pair(kind);
    first.anticipate(exclusive);
    expect(first.reserved()).toBe(false);
    expect(first.raise(shared)).toBe(true);
  });
});

describe('byte-range', () => {
  test('readers read while a writer prepares, and keep it from finishing', () => {
    const [reader, writer] = pair('byte-range');
    expect(reader.raise(shared)).toBe(true);
    expect([writer.raise(shared), writer.raise(reserved)]).toEqual([true, true]);
    expect(reader.reserved()).toBe(true);
    expect(writer.raise(exclusive)).toBe(false);
    reader.lower(none);
    // PENDING keeps new readers out until the writer is done.
    expect(reader.raise(shared)).toBe(false);
    expect(writer.raise(exclusive)).toBe(true);
    writer.lower(shared);
    expect([reader.raise(shared), writer.reserved()]).toEqual([true, false]);
  });
});
