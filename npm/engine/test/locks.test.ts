/** All kinds of locks at all levels, between two handles on one file. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { hostname, tmpdir } from 'node:os';
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
  test('admits one writer at a time', () => {
    const [first, second] = pair(kind);
    expect([first.raise(shared), first.raise(reserved), first.raise(exclusive)]).toEqual([true, true, true]);
    expect(second.raise(shared)).toBe(false);
    first.lower(none);
    expect([second.raise(shared), second.raise(reserved)]).toEqual([true, true]);
    expect(first.raise(shared) && first.raise(reserved)).toBe(false);
  });

  test('keeps a lock that was taken while waiting', () => {
    const [first, second] = pair(kind);
    expect(first.raise(shared) && first.raise(reserved)).toBe(true);
    expect(second.raise(shared) && second.raise(reserved)).toBe(false);
    second.lower(none);
    expect(second.anticipate(reserved)).toBe(false);
    first.lower(none);
    expect(second.anticipate(reserved)).toBe(true);
    // No other handle has the lock, so an existing journal must be rolled back.
    expect([second.raise(shared), second.reserved()]).toEqual([true, false]);
    expect(first.raise(shared) && first.raise(reserved)).toBe(false);
    first.lower(none);
    expect([second.raise(reserved), second.reserved(), second.raise(exclusive)]).toEqual([true, true, true]);
  });

  test('never takes an exclusive lock from none while waiting', () => {
    const [first] = pair(kind);
    first.anticipate(exclusive);
    expect(first.reserved()).toBe(false);
    expect(first.raise(shared)).toBe(true);
  });
});

describe('byte-range', () => {
  test('lets readers delay a writer', () => {
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

describe('directory', () => {
  /** No process has this number. */
  const UNUSED_PID = 2 ** 22 + 1;
  const ANOTHER_BOOT = '00000000-0000-4000-8000-000000000000';

  /** The file that an owner writes about itself. */
  function own() {
    const lock = new DirectoryLock(join(folder, 'probe'));
    lock.raise(shared);
    const [file = ''] = readdirSync(join(folder, 'probe.lock'));
    const owner = JSON.parse(readFileSync(join(folder, 'probe.lock', file), 'utf8'));
    lock.release();
    return { ...owner, old: [owner.host, owner.space, owner.boot].join(' ') };
  }

  /** A lock left by another process, with the given content of the owner's file and its age in seconds. */
  function left(content: string | object, age = 0): DirectoryLock {
    const lock = join(folder, 'file.lock');
    mkdirSync(lock);
    const file = join(lock, 'owner-1-2-3.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    const time = Date.now() / 1000 - age;
    utimesSync(file, time, time);
    const own = new DirectoryLock(join(folder, 'file'));
    locks = [own];
    return own;
  }

  test.each([
    ['an empty file', ''],
    ['half a file', '{"pid":4711,"sta'],
    ['something else', '[1, 2]'],
    ['an owner without a number', '{"pid":"x","started":"1","space":"y"}'],
  ])('breaks a lock with %s once it is old', (_, content) => {
    expect(left(content).raise(shared)).toBe(false);
    expect(locks[0]?.holder()).toContain(join(folder, 'file.lock'));
    rmSync(join(folder, 'file.lock'), { recursive: true });
    expect(left(content, 10).raise(shared)).toBe(true);
  });

  test('treats a file from the future as old', () => {
    expect(left('', -86_400).raise(shared)).toBe(true);
  });

  test.each(['now', 'before'])('breaks the lock of a dead process, format %s', (form) => {
    const { pid: _, old, ...me } = own();
    const owner = form === 'now' ? { ...me, pid: UNUSED_PID } : { started: me.started, space: old, pid: UNUSED_PID };
    expect(left(owner).raise(shared)).toBe(true);
  });

  test.runIf(process.platform === 'linux').each(['now', 'before'])(
    'breaks locks from before a restart of the host, format %s',
    (form) => {
      const { old, ...me } = own();
      const boot = ANOTHER_BOOT;
      const owner =
        form === 'now' ? { ...me, boot } : { pid: me.pid, started: me.started, space: old.replace(me.boot, boot) };
      expect(left(owner).raise(shared)).toBe(true);
    },
  );

  test.each([
    ['another host', { host: 'elsewhere', boot: ANOTHER_BOOT }],
    ['another space of processes', { space: 'pid:[1]' }],
    ['a host that does not tell when it started', { boot: '' }],
  ])('respects the lock of a process of %s and names the folder to delete', (_, other) => {
    if (process.platform !== 'linux' && 'boot' in other && other.boot === '') return;
    const { old: _old, ...me } = own();
    const lock = left({ ...me, pid: UNUSED_PID, ...other }, 86_400);
    expect(lock.raise(shared)).toBe(false);
    expect(lock.holder()).toContain(`Process ${UNUSED_PID} of '`);
    expect(lock.holder()).toContain(`delete the folder ${join(folder, 'file.lock')}.`);
  });

  test('respects an old lock of this process', () => {
    const { old: _, ...me } = own();
    expect(left(me, 86_400).raise(shared)).toBe(false);
    expect(locks[0]?.holder()).toContain(hostname());
  });

  test('removes only the folders of killed processes', () => {
    const [empty, garbage, fresh] = ['file.lock-1', 'file.lock-2', 'file.lock-3'].map((name) => join(folder, name));
    for (const path of [empty, garbage, fresh]) mkdirSync(String(path));
    writeFileSync(join(String(garbage), 'owner-2.json'), '');
    writeFileSync(join(String(garbage), 'letter.txt'), 'dear');
    utimesSync(join(String(garbage), 'owner-2.json'), 1, 1);
    utimesSync(String(empty), 1, 1);
    const [first] = pair('directory');
    expect(first.raise(shared)).toBe(true);
    expect([existsSync(String(empty)), existsSync(String(fresh))]).toEqual([false, true]);
    expect(readdirSync(String(garbage))).toEqual(['letter.txt']);
  });
});
