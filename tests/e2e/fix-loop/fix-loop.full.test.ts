/**
 * Loops under kill -9 in every phase, two gigabytes of output and full disks: the state stays valid, no attempt is
 * lost, and no process keeps running. fix-rules.test.ts and packages/mcp/test/fix/fix-attempt.test.ts have smaller
 * versions.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../argus.ts';
import { createProject } from '../harness.ts';
import {
  CHECK_LOOP,
  createRepository,
  FAILING_FILES,
  findLoopFolder,
  findProcesses,
  fixArgs,
  fixProblem,
  loopOn,
  readLoopFile,
  readState,
  writeAnswer,
  writeProjectFile,
} from './fix-loop.ts';

/** Each attempt fails with a different error, so that only the test ends the loop. */
const CHECK_SCRIPT = `
const { existsSync, readFileSync } = require('node:fs');
if (existsSync('.git/enough')) process.exit(0);
throw new RangeError('out of ' + 'abcdefghijklmnopqrstuvwxyz'[readFileSync('answer.txt', 'utf8').length] + 'pples');
`;
/** A sleep with a duration that is unique to this run of the tests, so that its processes can be found. */
const uniqueSleep = (id: number) => `sleep 476${id}.${process.pid}`;
const busyCommand = (id: number, work: string) =>
  `echo ${work} >> .git/journal; ${uniqueSleep(id)} & p=$!; sleep 0.2; ${work}; kill $p`;

const STORM_ARGS = [
  ...loopOn(
    `echo run >> .git/journal; test -e .git/enough || setsid ${uniqueSleep(1)} & sleep 0.2; node check.js`,
    ...['--max-attempts', '100', '--circuit-breaker', '100'],
  ),
  ...['--agent', `${busyCommand(2, 'printf x >> answer.txt')}; sleep 0.2; echo FIX: one more`],
  ...['--research', busyCommand(3, 'echo https://example.com/apples')],
  ...['--backoff', '0.2'],
];

/** Text that the loop prints at the start of each phase. */
const PHASE_STARTS = [
  /attempt \d+ of/u,
  /gathering context/u,
  /fixer:/u,
  /waiting/u,
  /exit code/u,
  /researching/u,
  /fixer:/u,
  /resuming/u,
];

/** Generates pseudorandom numbers from a fixed seed. */
function* pseudorandomNumbers(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed;
}

test.skipIf(process.platform !== 'linux')(
  'kill -9 in every phase loses no attempt, and a repeated attempt is reported',
  async () => {
    const root = createRepository({ 'check.js': CHECK_SCRIPT, 'answer.txt': '' });
    const random = pseudorandomNumbers();
    let known: ReturnType<typeof readState>['attempts'] = [];
    for (const phase of [...PHASE_STARTS, ...PHASE_STARTS]) {
      const { child, ended, prints, printed } = startProgram(fixArgs(root, STORM_ARGS), { cwd: root });
      await prints(phase, 'stderr');
      // Kill at a moment within the phase.
      await sleep(random.next().value % 400);
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode, printed().stderr).toBe('SIGKILL');
      if (!existsSync(path.join(root, '.claude/fixes')) || !existsSync(path.join(findLoopFolder(root), 'state.json')))
        continue;
      const { attempts } = readState(root);
      const same = ({ number, timestamp, exit_code, error_hash }: (typeof attempts)[number]) =>
        JSON.stringify({ number, timestamp, exit_code, error_hash });
      expect(attempts.slice(0, known.length).map(same), 'no attempt is lost').toEqual(known.map(same));
      known = attempts;
    }
    writeProjectFile(root, '.git/enough', '');
    const { status, stdout, stderr } = await fixProblem(root, STORM_ARGS);
    expect(status, stderr).toBe(0);
    for (const id of [1, 2, 3]) expect(findProcesses(uniqueSleep(id))).toEqual([]);

    const { attempts } = readState(root);
    const runs = readFileSync(path.join(root, '.git/journal'), 'utf8').match(/^run$/gmu)?.length;
    const cutOff = stdout.match(/Attempt \d+ was cut off and is repeated/gu) ?? [];
    expect(cutOff.length, stdout).toBeGreaterThan(0);
    expect(runs).toBeGreaterThanOrEqual(attempts.length);
    expect(runs, 'each run is an attempt, or said to be cut off').toBeLessThanOrEqual(attempts.length + cutOff.length);
    for (const { number, fix_applied } of attempts) {
      expect(existsSync(path.join(findLoopFolder(root), `attempt_${number}.log`))).toBe(true);
      if (fix_applied !== null)
        expect(readLoopFile(root, `attempt_${number}_fix.md`)).toContain(`# Fix of attempt ${number}`);
    }
  },
  600_000,
);

test('two gigabytes of output produce a log of at most 65 MiB that contains their end', async () => {
  const root = createProject();
  const line = 'a line of output that comes again and again and again';
  const command = `yes "${line}" | head -c 2000000000; echo; echo "TypeError: the end"; exit 1`;
  const { child, ended } = startProgram(fixArgs(root, loopOn(command, '--timeout', '580')), { cwd: root });
  await ended;
  expect(child.exitCode).toBe(3);
  expect(statSync(path.join(findLoopFolder(root), 'attempt_1.log')).size).toBeLessThan(65 * 1024 * 1024);
  const log = readLoopFile(root, 'attempt_1.log');
  expect(log).toMatch(/\[argus: \d+ characters are left out here\]/u);
  expect(log.endsWith('TypeError: the end\n')).toBe(true);
  expect(readState(root)).toMatchObject({ attempts: [{ error_type: 'TypeError' }] });
}, 600_000);

/** Copies the project to a small disk. Returns undefined if this user may not mount a disk. */
function copyToSmallDisk(source: string): string | undefined {
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

const FILL_DISK = 'cat /dev/zero > .git/full 2>/dev/null; cat /dev/zero > full 2>/dev/null';
const fillDisk = (root: string) => execFileSync('sh', ['-c', `mkdir -p .git; ${FILL_DISK} || true`], { cwd: root });
const clearDisk = (root: string) => {
  for (const name of ['.git/full', 'full']) rmSync(path.join(root, name), { force: true });
};

describe.each([
  ['with git', () => createRepository({ ...FAILING_FILES, '.gitignore': 'full\n' })],
  ['without git', () => createProject(FAILING_FILES)],
])('a full disk %s', (_name, make) => {
  test('a full disk prevents loops and attempts, and the loop continues once there is space', async ({ skip }) => {
    const root = copyToSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    fillDisk(root);
    const { status, stdout, stderr } = await fixProblem(root, CHECK_LOOP);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    clearDisk(root);
    expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);

    const before = readLoopFile(root, 'state.json');
    writeAnswer(root, 'good');
    fillDisk(root);
    const second = await fixProblem(root, ['--resume']);
    expect(second).toMatchObject({ status: 2, stderr: expect.stringMatching(/^STATE_NOT_WRITTEN: /mu) });
    expect(readLoopFile(root, 'state.json')).toBe(before);
    clearDisk(root);
    const resumed = await fixProblem(root, ['--resume']);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(readState(root).attempts).toHaveLength(2);
  });

  test('a disk that the command fills interrupts the attempt, which is then repeated', async ({ skip }) => {
    const root = copyToSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    const command = `echo begun; test -e answered || { ${FILL_DISK}; echo "TypeError: no room"; exit 1; }`;
    const { status, stderr } = await fixProblem(root, loopOn(command));
    expect(status, stderr).toBe(2);
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    expect(readState(root)).toMatchObject({ status: 'running', attempts: [] });
    clearDisk(root);
    writeFileSync(path.join(root, 'answered'), '');
    const resumed = await fixProblem(root, ['--resume']);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain('Attempt 1 was cut off and is repeated');
    expect(existsSync(path.join(root, 'check.js'))).toBe(true);
    expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  });
});
