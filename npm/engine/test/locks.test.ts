/** Tests all kinds of locks at all levels, between two handles on the same file. */
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
import { loadLockAddon } from '../src/node/lock-native.ts';
import { ByteRangeLock } from '../src/node/lock-range.ts';
import { type FileLock, WholeFileLock } from '../src/node/locks.ts';

const { none, shared, reserved, exclusive } = LockLevel;
const nativeLocks =
  createRequire(import.meta.url).resolve('fs-native-extensions') === '' ? undefined : loadLockAddon().addon;

let folder = '';
let openFiles: number[] = [];
let openLocks: FileLock[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'argus-locks-'));
});

afterEach(() => {
  for (const lock of openLocks) lock.release();
  for (const file of openFiles) closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  openFiles = [];
  openLocks = [];
});

function createLockPair(kind: 'byte-range' | 'whole-file' | 'directory'): [FileLock, FileLock] {
  const path = join(folder, 'file');
  const make = (): FileLock => {
    if (kind === 'directory') return new DirectoryLock(path);
    if (nativeLocks === undefined) throw new Error('fs-native-extensions is not installed');
    const fd = openSync(path, 'a+');
    openFiles.push(fd);
    return kind === 'whole-file' ? new WholeFileLock(fd, nativeLocks) : new ByteRangeLock(path, fd, nativeLocks);
  };
  const made: [FileLock, FileLock] = [make(), make()];
  openLocks = made;
  return made;
}

describe.each(['byte-range', 'whole-file', 'directory'] as const)('%s', (kind) => {
  test('admits one writer at a time', () => {
    const [first, second] = createLockPair(kind);
    expect([first.raise(shared), first.raise(reserved), first.raise(exclusive)]).toEqual([true, true, true]);
    expect(second.raise(shared)).toBe(false);
    first.lower(none);
    expect([second.raise(shared), second.raise(reserved)]).toEqual([true, true]);
    expect(first.raise(shared) && first.raise(reserved)).toBe(false);
  });

  test('keeps a lock that it took while waiting', () => {
    const [first, second] = createLockPair(kind);
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

  test('does not raise a lock from none to exclusive while waiting', () => {
    const [first] = createLockPair(kind);
    first.anticipate(exclusive);
    expect(first.reserved()).toBe(false);
    expect(first.raise(shared)).toBe(true);
  });
});

describe('byte-range lock', () => {
  test('writes only after the readers have finished', () => {
    const [reader, writer] = createLockPair('byte-range');
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

describe('directory lock', () => {
  /** Larger than any process id on Linux. */
  const UNUSED_PID = 2 ** 22 + 1;
  const ANOTHER_BOOT = '00000000-0000-4000-8000-000000000000';

  /** Returns the content of the file that an owner writes about itself. */
  function readOwnOwnerFile() {
    const lock = new DirectoryLock(join(folder, 'probe'));
    lock.raise(shared);
    const [file = ''] = readdirSync(join(folder, 'probe.lock'));
    const owner = JSON.parse(readFileSync(join(folder, 'probe.lock', file), 'utf8'));
    lock.release();
    return { ...owner, old: [owner.host, owner.space, owner.boot].join(' ') };
  }

  /** Creates a lock of another process with the given content and age (in seconds) of the owner's file. */
  function createForeignLock(content: string | object, age = 0): DirectoryLock {
    const lock = join(folder, 'file.lock');
    mkdirSync(lock);
    const file = join(lock, 'owner-1-2-3.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    const time = Date.now() / 1000 - age;
    utimesSync(file, time, time);
    const own = new DirectoryLock(join(folder, 'file'));
    openLocks = [own];
    return own;
  }

  test.each([
    ['an empty file', ''],
    ['half a file', '{"pid":4711,"sta'],
    ['something else', '[1, 2]'],
    ['an owner without a number', '{"pid":"x","started":"1","space":"y"}'],
  ])('breaks a lock with %s once it is old', (_, content) => {
    expect(createForeignLock(content).raise(shared)).toBe(false);
    expect(openLocks[0]?.describeHolder()).toContain(join(folder, 'file.lock'));
    rmSync(join(folder, 'file.lock'), { recursive: true });
    expect(createForeignLock(content, 10).raise(shared)).toBe(true);
  });

  test('treats a lock file from the far future as old', () => {
    expect(createForeignLock('', -86_400).raise(shared)).toBe(true);
  });

  test.each(['now', 'before'])('breaks the lock of a dead process, format %s', (form) => {
    const { pid: _, old, ...me } = readOwnOwnerFile();
    const owner = form === 'now' ? { ...me, pid: UNUSED_PID } : { started: me.started, space: old, pid: UNUSED_PID };
    expect(createForeignLock(owner).raise(shared)).toBe(true);
  });

  test.runIf(process.platform === 'linux').each(['now', 'before'])(
    'breaks locks from before a restart of the host, format %s',
    (form) => {
      const { old, ...me } = readOwnOwnerFile();
      const boot = ANOTHER_BOOT;
      const owner =
        form === 'now' ? { ...me, boot } : { pid: me.pid, started: me.started, space: old.replace(me.boot, boot) };
      expect(createForeignLock(owner).raise(shared)).toBe(true);
    },
  );

  test.each([
    ['another host', { host: 'elsewhere', boot: ANOTHER_BOOT }],
    ['another PID namespace', { space: 'pid:[1]' }],
    ['a host without a start time', { boot: '' }],
  ])('respects the lock of a process of %s and names the folder to delete', (_, other) => {
    if (process.platform !== 'linux' && 'boot' in other && other.boot === '') return;
    const { old: _old, ...me } = readOwnOwnerFile();
    const lock = createForeignLock({ ...me, pid: UNUSED_PID, ...other }, 86_400);
    expect(lock.raise(shared)).toBe(false);
    expect(lock.describeHolder()).toContain(`Process ${UNUSED_PID} of '`);
    expect(lock.describeHolder()).toContain(`delete the folder ${join(folder, 'file.lock')}.`);
  });

  test('respects an old lock of this process', () => {
    const { old: _, ...me } = readOwnOwnerFile();
    expect(createForeignLock(me, 86_400).raise(shared)).toBe(false);
    expect(openLocks[0]?.describeHolder()).toContain(hostname());
  });

  test('removes only the lock folders of killed processes', () => {
    const [empty, garbage, fresh] = ['file.lock-1', 'file.lock-2', 'file.lock-3'].map((name) => join(folder, name));
    for (const path of [empty, garbage, fresh]) mkdirSync(String(path));
    writeFileSync(join(String(garbage), 'owner-2.json'), '');
    writeFileSync(join(String(garbage), 'letter.txt'), 'dear');
    utimesSync(join(String(garbage), 'owner-2.json'), 1, 1);
    utimesSync(String(empty), 1, 1);
    const [first] = createLockPair('directory');
    expect(first.raise(shared)).toBe(true);
    expect([existsSync(String(empty)), existsSync(String(fresh))]).toEqual([false, true]);
    expect(readdirSync(String(garbage))).toEqual(['letter.txt']);
  });
});
