/** Tests the lock and the folder of a fix loop. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readEndOfLog } from '../../src/fix/state/loop-files.ts';
import { lockLoop, StateFolder } from '../../src/fix/state/state-folder.ts';
import { createFolder as temp } from '../project.ts';

const BUSY_ERROR = expect.objectContaining({ code: 'LOOP_BUSY' });

describe('the lock of a loop', () => {
  test('the lock has a single owner', () => {
    const file = path.join(temp(), 'lock');
    const lock = lockLoop(file);
    expect(() => lockLoop(file)).toThrow(BUSY_ERROR);
    lock.release();
    lockLoop(file).release();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test('a lock is taken over if its process no longer exists', async () => {
    const file = path.join(temp(), 'lock');
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(file, JSON.stringify({ pid: child.pid, host: hostname(), began: null }));
    lockLoop(file).release();
    writeFileSync(file, '{"pid": 12');
    lockLoop(file).release();
  });

  test.skipIf(process.platform !== 'linux')('a lock is taken over if its process is a zombie', async () => {
    const file = path.join(temp(), 'lock');
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [bytes] = await once(parent.stdout, 'data');
    const pid = Number(bytes);
    while (!/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(20);
    writeFileSync(file, JSON.stringify({ pid, host: hostname(), began: null }));
    lockLoop(file).release();
    parent.kill();
  });

  test.skipIf(process.platform !== 'linux')('a lock is taken over if another process has the same process id', () => {
    const file = path.join(temp(), 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.ppid, host: hostname(), began: '1' }));
    lockLoop(file).release();
  });

  test('a lock of another machine is kept', () => {
    const file = path.join(temp(), 'lock');
    writeFileSync(file, JSON.stringify({ pid: 1, host: 'elsewhere', began: null }));
    expect(() => lockLoop(file)).toThrow(/on elsewhere/u);
  });
});

describe('the folder of a loop', () => {
  test('the folder is created, ignored by git, and contains a complete state', () => {
    const root = temp();
    const folder = new StateFolder(root, 'a1b2c3d4');
    expect(StateFolder.findNewest(root)).toBeUndefined();
    expect(folder.readState()).toBeUndefined();
    const lock = folder.createAndLock();
    folder.writeState({ version: 1 });
    folder.writeState({ version: 1, more: true });
    lock.release();
    expect(folder.readState()).toBe('{\n  "version": 1,\n  "more": true\n}\n');
    expect(readdirSync(folder.path)).toEqual(['state.json']);
    expect(readFileSync(path.join(root, '.claude/fixes/.gitignore'), 'utf8')).toBe('*\n');
    expect(StateFolder.findNewest(root)?.projectRelativePath).toBe('.claude/fixes/a1b2c3d4');
  });

  test('a finished loop is moved to another folder', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    const lock = folder.createAndLock();
    for (const name of ['state.json', 'attempt_1.log']) folder.write(name, name);
    folder.archive('2026-01-15T10:30:00Z');
    folder.write('state.json', 'second');
    folder.archive('2026-01-15T10:30:00Z');
    expect(readdirSync(folder.path).sort()).toEqual(['earlier', 'lock']);
    expect(readdirSync(folder.getPath('earlier')).sort()).toEqual(['2026-01-15T10-30-00Z', '2026-01-15T10-30-00Z-2']);
    expect(readFileSync(folder.getPath('earlier/2026-01-15T10-30-00Z/state.json'), 'utf8')).toBe('state.json');
    lock.release();
  });

  test('the log of an interrupted attempt is kept', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    folder.createAndLock().release();
    expect(folder.renameInterruptedFile('attempt_1.log')).toBe(null);
    for (const text of ['first', 'second']) {
      folder.write('attempt_1.log', text);
      folder.renameInterruptedFile('attempt_1.log');
    }
    expect(folder.read('attempt_1_cut_off_1.log')).toBe('first');
    expect(folder.read('attempt_1_cut_off_2.log')).toBe('second');
    expect(folder.read('attempt_1.log')).toBeUndefined();
  });

  test('the end of a log of any length is read', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    folder.createAndLock().release();
    expect(readEndOfLog(folder, 1)).toBe('');
    folder.write('attempt_1.log', 'short\n');
    expect(readEndOfLog(folder, 1)).toBe('short\n');
    folder.write('attempt_1.log', `x${'ü'.repeat(40_000)}\nend\n`);
    expect(readEndOfLog(folder, 1)).toMatch(/^ü+\nend\n$/u);
  });

  test('a failed write is reported, and the old content is kept', () => {
    const folder = new StateFolder(temp(), 'a1b2c3d4');
    const lock = folder.createAndLock();
    folder.write('state.json', 'first');
    mkdirSync(folder.getPath('state.json.draft'));
    expect(() => folder.write('state.json', 'second')).toThrow(expect.objectContaining({ code: 'STATE_NOT_WRITTEN' }));
    expect(folder.readState()).toBe('first');
    lock.release();
    const file = path.join(temp(), 'file');
    writeFileSync(file, '');
    expect(() => new StateFolder(file, 'a1b2c3d4').createAndLock()).toThrow(
      expect.objectContaining({ code: 'STATE_NOT_WRITTEN' }),
    );
    expect(existsSync(file)).toBe(true);
  });
});
