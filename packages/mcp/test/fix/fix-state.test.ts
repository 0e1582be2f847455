/** The lock and the folder of a loop. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Lock } from '../../src/fix/state/lock.ts';
import { readLog } from '../../src/fix/state/loop-files.ts';
import { StateFolder } from '../../src/fix/state/state-folder.ts';
import { folder as temp } from '../project.ts';

const busy = expect.objectContaining({ code: 'LOOP_BUSY' });

describe('the lock', () => {
  test('is held by a single owner', () => {
    const file = path.join(temp(), 'lock');
    const lock = Lock.take(file);
    expect(() => Lock.take(file)).toThrow(busy);
    lock.release();
    Lock.take(file).release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test('is taken over if its process no longer exists', async () => {
    const file = path.join(temp(), 'lock');
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(file, JSON.stringify({ pid: child.pid, host: hostname(), began: null }));
    Lock.take(file).release();
    writeFileSync(file, '{"pid": 12');
    Lock.take(file).release();
  });

  test.skipIf(process.platform !== 'linux')('is taken over if its process is a zombie', async () => {
    const file = path.join(temp(), 'lock');
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [bytes] = await once(parent.stdout, 'data');
    const pid = Number(bytes);
    while (!/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(20);
    writeFileSync(file, JSON.stringify({ pid, host: hostname(), began: null }));
    Lock.take(file).release();
    parent.kill();
  });

  test.skipIf(process.platform !== 'linux')('is taken over if another process has the same id', () => {
    const file = path.join(temp(), 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.ppid, host: hostname(), began: '1' }));
    Lock.take(file).release();
  });

  test('is kept if it belongs to another machine', () => {
    const file = path.join(temp(), 'lock');
    writeFileSync(file, JSON.stringify({ pid: 1, host: 'elsewhere', began: null }));
    expect(() => Lock.take(file)).toThrow(/on elsewhere/u);
  });
});

describe('the folder', () => {
  test('is created, ignored by git, and holds a whole state', () => {
    const root = temp();
    const folder = new StateFolder(root, 'a1b2c3d4');
    expect(StateFolder.newest(root)).toBeUndefined();
    expect(folder.readState()).toBeUndefined();
    const lock = folder.lock();
    folder.writeState({ version: 1 });
    folder.writeState({ version: 1, more: true });
    lock.release();
    expect(folder.readState()).toBe('{\n  "version": 1,\n  "more": true\n}\n');
    expect(readdirSync(folder.path)).toEqual(['state.json']);
    expect(readFileSync(path.join(root, '.claude/fixes/.gitignore'), 'utf8')).toBe('*\n');
    expect(StateFolder.newest(root)?.shown).toBe('.claude/fixes/a1b2c3d4');
  });

  test('moves a finished loop aside', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    const lock = folder.lock();
    for (const name of ['state.json', 'attempt_1.log']) folder.write(name, name);
    folder.archive('2026-01-15T10:30:00Z');
    folder.write('state.json', 'second');
    folder.archive('2026-01-15T10:30:00Z');
    expect(readdirSync(folder.path).sort()).toEqual(['earlier', 'lock']);
    expect(readdirSync(folder.file('earlier')).sort()).toEqual(['2026-01-15T10-30-00Z', '2026-01-15T10-30-00Z-2']);
    expect(readFileSync(folder.file('earlier/2026-01-15T10-30-00Z/state.json'), 'utf8')).toBe('state.json');
    lock.release();
  });

  test('keeps the log of an interrupted run', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    folder.lock().release();
    expect(folder.putAside('attempt_1.log')).toBe(null);
    for (const text of ['first', 'second']) {
      folder.write('attempt_1.log', text);
      folder.putAside('attempt_1.log');
    }
    expect(folder.read('attempt_1_cut_off_1.log')).toBe('first');
    expect(folder.read('attempt_1_cut_off_2.log')).toBe('second');
    expect(folder.read('attempt_1.log')).toBeUndefined();
  });

  test('reads the end of a log of any length', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    folder.lock().release();
    expect(readLog(folder, 1)).toBe('');
    folder.write('attempt_1.log', 'short\n');
    expect(readLog(folder, 1)).toBe('short\n');
    folder.write('attempt_1.log', `x${'ü'.repeat(40_000)}\nend\n`);
    expect(readLog(folder, 1)).toMatch(/^ü+\nend\n$/u);
  });

  test('reports a failed write, and keeps the old content', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    const lock = folder.lock();
    folder.write('state.json', 'first');
    mkdirSync(folder.file('state.json.draft'));
    expect(() => folder.write('state.json', 'second')).toThrow(expect.objectContaining({ code: 'STATE_NOT_WRITTEN' }));
    expect(folder.readState()).toBe('first');
    lock.release();
    const file = path.join(temp(), 'file');
    writeFileSync(file, '');
    expect(() => new StateFolder(file, 'a1b2c3d4').lock()).toThrow(
      expect.objectContaining({ code: 'STATE_NOT_WRITTEN' }),
    );
    expect(existsSync(file)).toBe(true);
  });
});
