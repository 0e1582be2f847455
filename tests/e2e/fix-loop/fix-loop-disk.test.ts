/**
 * A disk that takes nothing more: a clear error, what was there stays, and the loop goes on when there is room. Skipped
 * where no small disk can be mounted.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { project } from '../harness.ts';
import { CHECK, fileOf, fixProblem, repository, stateOf } from './fix-loop.ts';

const RUN = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];
const FILES = { 'check.js': CHECK, 'answer.txt': 'bad\n' };

/** The project on a disk of its own; undefined where this user may not mount one. */
function onSmallDisk(source: string): string | undefined {
  const disk = mkdtempSync(path.join(tmpdir(), 'argus-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', disk]);
  });
  cpSync(source, disk, { recursive: true });
  return disk;
}

const FILL = 'cat /dev/zero > .git/full 2>/dev/null; cat /dev/zero > full 2>/dev/null';
const fill = (root: string) => execFileSync('sh', ['-c', `mkdir -p .git; ${FILL} || true`], { cwd: root });
const clear = (root: string) => {
  for (const name of ['.git/full', 'full']) rmSync(path.join(root, name), { force: true });
};

describe.each([
  ['with git', () => repository({ ...FILES, '.gitignore': 'full\n' })],
  ['without git', () => project(FILES)],
])('%s', (_name, make) => {
  test('nothing is begun on a full disk', async ({ skip }) => {
    const root = onSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    fill(root);
    const { status, stdout, stderr } = await fixProblem(root, RUN);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    clear(root);
    expect((await fixProblem(root, RUN)).status).toBe(3);
  });

  test('a disk that is full between two attempts', async ({ skip }) => {
    const root = onSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    expect((await fixProblem(root, RUN)).status).toBe(3);
    const before = fileOf(root, 'state.json');
    writeFileSync(path.join(root, 'answer.txt'), 'good\n');
    fill(root);
    const { status, stderr } = await fixProblem(root, ['--resume']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    expect(fileOf(root, 'state.json')).toBe(before);
    clear(root);
    const resumed = await fixProblem(root, ['--resume']);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(stateOf(root).attempts).toHaveLength(2);
  });

  test('a command that fills it', async ({ skip }) => {
    const root = onSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    const command = `echo begun; test -e answered || { ${FILL}; echo "TypeError: no room"; exit 1; }`;
    const { status, stderr } = await fixProblem(root, ['--command', command, '--desired', 'room', '--backoff', '0']);
    expect(status, stderr).toBe(2);
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    expect(stateOf(root)).toMatchObject({ status: 'running', attempts: [] });
    clear(root);
    writeFileSync(path.join(root, 'answered'), '');
    const resumed = await fixProblem(root, ['--resume']);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain('Attempt 1 was cut off, and is made again');
    expect(existsSync(path.join(root, 'check.js'))).toBe(true);
    expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  });
});
