/**
 * kill -9 in every phase of a loop: the state stays whole, no attempt is lost, none is made twice without saying so,
 * and nothing is left running. Skipped where there is no /proc.
 */

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  fileOf,
  fixProblem,
  loopFolder,
  processesWith,
  repository,
  startFixProblem,
  stateOf,
  until,
  untilFile,
} from './fix-loop.ts';

/** Each attempt fails in another way, so that only the test ends the loop. */
const CHECK = `
const { existsSync, readFileSync } = require('node:fs');
if (existsSync('.git/enough')) process.exit(0);
throw new RangeError('out of ' + 'abcdefghijklmnopqrstuvwxyz'[readFileSync('answer.txt', 'utf8').length] + 'pples');
`;
/** Of this run of the tests alone. */
const endless = (id: number) => `sleep 476${id}.${process.pid}`;
const busy = (id: number, work: string) =>
  `echo ${work} >> .git/journal; ${endless(id)} & p=$!; sleep 0.2; ${work}; kill $p`;

const ARGS = [
  ...[
    '--command',
    `echo run >> .git/journal; test -e .git/enough || setsid ${endless(1)} & sleep 0.2; node check.js`,
    '--desired',
    'it ends',
  ],
  ...['--backoff', '0.2', '--max-attempts', '100', '--circuit-breaker', '100'],
  ...['--agent', `${busy(2, 'printf x >> answer.txt')}; sleep 0.2; echo FIX: one more`],
  ...['--research', busy(3, 'echo https://example.com/apples')],
];

/** What it says when a phase begins. */
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

/** The same numbers each time. */
function* numbers(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed;
}

test.skipIf(process.platform !== 'linux')(
  'kill -9 in every phase',
  async () => {
    const root = repository({ 'check.js': CHECK, 'answer.txt': '' });
    const random = numbers();
    let known: ReturnType<typeof stateOf>['attempts'] = [];
    for (const phase of [...PHASES, ...PHASES]) {
      const { child, output } = startFixProblem(root, ARGS);
      const exit = once(child, 'exit');
      await Promise.race([until(() => phase.test(output().stderr)), exit]);
      await sleep(random.next().value % 400);
      child.kill('SIGKILL');
      await exit;
      expect(child.signalCode, output().stderr).toBe('SIGKILL');
      if (!existsSync(path.join(root, '.claude/fixes')) || !existsSync(path.join(loopFolder(root), 'state.json')))
        continue;
      const { attempts } = stateOf(root);
      const same = ({ number, timestamp, exit_code, error_hash }: (typeof attempts)[number]) =>
        JSON.stringify({ number, timestamp, exit_code, error_hash });
      expect(attempts.slice(0, known.length).map(same), 'no attempt is lost').toEqual(known.map(same));
      known = attempts;
    }
    writeFileSync(path.join(root, '.git/enough'), '');
    const { status, stdout, stderr } = await fixProblem(root, ARGS);
    expect(status, stderr).toBe(0);
    for (const id of [1, 2, 3]) expect(processesWith(endless(id))).toEqual([]);

    const { attempts } = stateOf(root);
    const journal = readFileSync(path.join(root, '.git/journal'), 'utf8').split('\n');
    const runs = journal.filter((line) => line === 'run').length;
    const cutOff = stdout.match(/Attempt \d+ was cut off, and is made again; see attempt_\d+_cut_off_\d+\.log/gu) ?? [];
    expect(cutOff.length, stdout).toBeGreaterThan(0);
    expect(runs).toBeGreaterThanOrEqual(attempts.length);
    expect(runs, 'each run is an attempt, or said to be cut off').toBeLessThanOrEqual(attempts.length + cutOff.length);
    for (const { number, fix_applied } of attempts) {
      expect(existsSync(path.join(loopFolder(root), `attempt_${number}.log`))).toBe(true);
      if (fix_applied !== null)
        expect(fileOf(root, `attempt_${number}_fix.md`)).toContain(`# Fix of attempt ${number}`);
    }
  },
  300_000,
);

test.skipIf(process.platform !== 'linux')('of many loops on one command one runs', async () => {
  const root = repository({ a: '' });
  const command = `echo run >> .git/journal; ${untilFile('.git/end')}`;
  const loops = Array.from({ length: 4 }, () => startFixProblem(root, ['--command', command, '--desired', 'it ends']));
  const codes = () => loops.map(({ child }) => child.exitCode).filter((code) => code !== null);
  await until(() => codes().length === 3);
  writeFileSync(path.join(root, '.git/end'), '');
  await until(() => codes().length === 4);
  expect(codes().sort()).toEqual([0, 2, 2, 2]);
  const refusals = loops.filter(({ output }) => output().stderr.startsWith('LOOP_BUSY: '));
  expect(refusals).toHaveLength(3);
  expect(readFileSync(path.join(root, '.git/journal'), 'utf8')).toBe('run\n');
});
