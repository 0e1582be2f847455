/**
 * Loops under kill -9 in every phase, two gigabytes of output and full disks: the state stays valid, no attempt is
 * lost, and no process is left. Small versions: fix-processes.test.ts, packages/mcp/test/fix/fix-attempt.test.ts.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../argus.ts';
import { project } from '../harness.ts';
import {
  answer,
  FAILING,
  fileOf,
  fixArgs,
  fixProblem,
  loopFolder,
  loopOn,
  processesWith,
  RUN,
  repository,
  stateOf,
  write,
} from './fix-loop.ts';

/** Each attempt fails with a different error, so that only the test ends the loop. */
const CHECK = `
const { existsSync, readFileSync } = require('node:fs');
if (existsSync('.git/enough')) process.exit(0);
throw new RangeError('out of ' + 'abcdefghijklmnopqrstuvwxyz'[readFileSync('answer.txt', 'utf8').length] + 'pples');
`;
/** A sleep that is unique to this run of the tests, so that its processes can be found. */
const endless = (id: number) => `sleep 476${id}.${process.pid}`;
const busy = (id: number, work: string) =>
  `echo ${work} >> .git/journal; ${endless(id)} & p=$!; sleep 0.2; ${work}; kill $p`;

const STORM = [
  ...loopOn(
    `echo run >> .git/journal; test -e .git/enough || setsid ${endless(1)} & sleep 0.2; node check.js`,
    ...['--max-attempts', '100', '--circuit-breaker', '100'],
  ),
  ...['--agent', `${busy(2, 'printf x >> answer.txt')}; sleep 0.2; echo FIX: one more`],
  ...['--research', busy(3, 'echo https://example.com/apples')],
  ...['--backoff', '0.2'],
];

/** The loop's output at the start of each phase. */
const PHASES = [
  /attempt \d+ of/u,
  /gathering context/u,
  /fixer:/u,
  /waiting/u,
  /exit code/u,
  /researching/u,
  /fixer:/u,
  /going on with/u,
];

/** Pseudorandom numbers with a fixed seed. */
function* numbers(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed;
}

test.skipIf(process.platform !== 'linux')(
  'kill -9 in every phase loses no attempt, and a repeated attempt is reported',
  async () => {
    const root = repository({ 'check.js': CHECK, 'answer.txt': '' });
    const random = numbers();
    let known: ReturnType<typeof stateOf>['attempts'] = [];
    for (const phase of [...PHASES, ...PHASES]) {
      const { child, ended, prints, printed } = startProgram(fixArgs(root, STORM), { cwd: root });
      await prints(phase, 'stderr');
      // A moment within the phase.
      await sleep(random.next().value % 400);
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode, printed().stderr).toBe('SIGKILL');
      if (!existsSync(path.join(root, '.claude/fixes')) || !existsSync(path.join(loopFolder(root), 'state.json')))
        continue;
      const { attempts } = stateOf(root);
      const same = ({ number, timestamp, exit_code, error_hash }: (typeof attempts)[number]) =>
        JSON.stringify({ number, timestamp, exit_code, error_hash });
      expect(attempts.slice(0, known.length).map(same), 'no attempt is lost').toEqual(known.map(same));
      known = attempts;
    }
    write(root, '.git/enough', '');
    const { status, stdout, stderr } = await fixProblem(root, STORM);
    expect(status, stderr).toBe(0);
    for (const id of [1, 2, 3]) expect(processesWith(endless(id))).toEqual([]);

    const { attempts } = stateOf(root);
    const runs = readFileSync(path.join(root, '.git/journal'), 'utf8').match(/^run$/gmu)?.length;
    const cutOff = stdout.match(/Attempt \d+ was cut off, and is made again/gu) ?? [];
    expect(cutOff.length, stdout).toBeGreaterThan(0);
    expect(runs).toBeGreaterThanOrEqual(attempts.length);
    expect(runs, 'each run is an attempt, or said to be cut off').toBeLessThanOrEqual(attempts.length + cutOff.length);
    for (const { number, fix_applied } of attempts) {
      expect(existsSync(path.join(loopFolder(root), `attempt_${number}.log`))).toBe(true);
      if (fix_applied !== null)
        expect(fileOf(root, `attempt_${number}_fix.md`)).toContain(`# Fix of attempt ${number}`);
    }
  },
  600_000,
);

test('two gigabytes of output leave a log of at most 65 MiB with their end', async () => {
  const root = project();
  const line = 'a line of output that comes again and again and again';
  const command = `yes "${line}" | head -c 2000000000; echo; echo "TypeError: the end"; exit 1`;
  const { child, ended } = startProgram(fixArgs(root, loopOn(command, '--timeout', '580')), { cwd: root });
  await ended;
  expect(child.exitCode).toBe(3);
  expect(statSync(path.join(loopFolder(root), 'attempt_1.log')).size).toBeLessThan(65 * 1024 * 1024);
  const log = fileOf(root, 'attempt_1.log');
  expect(log).toMatch(/\[argus: \d+ characters are left out here\]/u);
  expect(log.endsWith('TypeError: the end\n')).toBe(true);
  expect(stateOf(root)).toMatchObject({ attempts: [{ error_type: 'TypeError' }] });
}, 600_000);

/** Copies the project to a small disk. Returns undefined when this user may not mount a disk. */
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
  ['with git', () => repository({ ...FAILING, '.gitignore': 'full\n' })],
  ['without git', () => project(FAILING)],
])('a full disk %s', (_name, make) => {
  test('prevents loops and attempts, and the loop continues once there is space', async ({ skip }) => {
    const root = onSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    fill(root);
    const { status, stdout, stderr } = await fixProblem(root, RUN);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^STATE_NOT_WRITTEN: /mu);
    clear(root);
    expect((await fixProblem(root, RUN)).status).toBe(3);

    const before = fileOf(root, 'state.json');
    answer(root, 'good');
    fill(root);
    const second = await fixProblem(root, ['--resume']);
    expect(second).toMatchObject({ status: 2, stderr: expect.stringMatching(/^STATE_NOT_WRITTEN: /mu) });
    expect(fileOf(root, 'state.json')).toBe(before);
    clear(root);
    const resumed = await fixProblem(root, ['--resume']);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(stateOf(root).attempts).toHaveLength(2);
  });

  test('that the command fills interrupts the attempt, which is then repeated', async ({ skip }) => {
    const root = onSmallDisk(make());
    if (root === undefined) return skip('a small disk cannot be mounted here');
    const command = `echo begun; test -e answered || { ${FILL}; echo "TypeError: no room"; exit 1; }`;
    const { status, stderr } = await fixProblem(root, loopOn(command));
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
