/**
 * Bad input of fix-problem: clear errors, nothing lost, nothing begun. Inputs files: fix-inputs.test.ts.
 */

import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { CHECK, fileOf, fixProblem, loopFolder, repository, stateOf } from './fix-loop.ts';

const RUN = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];
const failing = () => repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });

test.each([
  [['--command', '', '--desired', 'x'], /nothing to fix|empty/iu],
  [['--command', ' ', '--desired', 'x'], /nothing to fix|empty/iu],
  [['', '--desired', 'x'], /nothing to fix|empty/iu],
  [['--desired', 'x'], /nothing to fix|empty/iu],
  [['--command', 'true'], /--desired is required/u],
  [['--command', 'true', '--desired', ''], /--desired is required/u],
  [['an error', '--command', 'true', '--desired', 'x'], /not both/u],
  [['--command', 'true', '--test', 'true', '--desired', 'x'], /--test belongs to error mode/u],
  [['--command', 'true', '--desired', 'x', '--timeout', '0'], /timeout must be/u],
  [['--command', 'true', '--desired', 'x', '--timeout', '-1'], /whole number/u],
  [['--command', 'true', '--desired', 'x', '--timeout', '999999999'], /timeout must be/u],
  [['--command', 'true', '--desired', 'x', '--timeout', '1e3'], /whole number/u],
  [['--command', 'true', '--desired', 'x', '--max-attempts', '0'], /max_attempts/u],
  [['--command', 'true', '--desired', 'x', '--max-attempts', '1000'], /max_attempts/u],
  [['--command', 'true', '--desired', 'x', '--backoff', '61'], /backoff must be/u],
  [['--command', 'true', '--desired', 'x', '--backoff', 'soon'], /number/u],
  [['--command', 'true', '--desired', 'x', '--circuit-breaker', '0'], /circuit_breaker/u],
  [['--command', 'true', '--desired', 'x', '--retries', '3'], /unknown option/u],
  [['--command', 'true', '--desired', 'x', 'a', 'b'], /too many arguments/u],
  [['an error', '--desired', 'x', '--max-attempts', '4'], /max_attempts/u],
  [['--command', 'true', '--desired', 'x', '--agent', 'true', '--agent-timeout', '0'], /1 to 604800/u],
  [['--command', 'true', '--desired', 'x', '--agent', 'true', '--agent-timeout', '9999999'], /1 to 604800/u],
  [['--resume'], /LOOP_NOT_FOUND/u],
  [['--resume', '--command', 'true'], /LOOP_NOT_FOUND/u],
])('wrong usage: %j', async (args, message) => {
  const root = repository({ a: '' });
  const { status, stdout, stderr } = await fixProblem(root, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
});

test('a project that does not exist', async () => {
  const { status, stderr } = await argus([
    'fix-problem',
    '--command',
    'true',
    '--desired',
    'x',
    '--project',
    '/does/not/exist',
  ]);
  expect(status).toBe(2);
  expect(stderr).toContain('PROJECT_NOT_FOUND');
});

test.each([
  ['truncated', (file: string) => truncateSync(file, 100), 'STATE_UNREADABLE'],
  ['empty', (file: string) => truncateSync(file, 0), 'STATE_UNREADABLE'],
  ['something else', (file: string) => writeFileSync(file, '[1, 2]'), 'STATE_UNREADABLE'],
  ['newer', (file: string) => replaced(file, '"version": 1', '"version": 2'), 'STATE_NEWER'],
  ['of another command', (file: string) => replaced(file, 'node check.js', 'rm -rf /'), 'STATE_MISMATCH'],
  [
    'with more attempts than allowed',
    (file: string) => replaced(file, '"max_attempts": 5', '"max_attempts": 0'),
    'STATE_UNREADABLE',
  ],
])('a state that is %s', async (_name, spoil, code) => {
  const root = failing();
  await fixProblem(root, RUN);
  const file = path.join(loopFolder(root), 'state.json');
  spoil(file);
  const before = readFileSync(file, 'utf8');
  for (const args of [RUN, ['--resume']]) {
    const { status, stdout, stderr } = await fixProblem(root, args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(code);
    expect(stderr).toContain(file);
  }
  expect(readFileSync(file, 'utf8'), 'nothing is lost').toBe(before);
});

test('what else lies in the folder may be anything', async () => {
  const root = failing();
  await fixProblem(root, RUN);
  for (const name of ['insight.json', 'attempt_1.log', 'brief.md'])
    writeFileSync(path.join(loopFolder(root), name), '{"attempt": "x"');
  writeFileSync(path.join(root, 'answer.txt'), 'good\n');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
});

test('a folder that cannot be made', async () => {
  const root = failing();
  writeFileSync(path.join(root, '.claude'), 'a file');
  const { status, stderr } = await fixProblem(root, RUN);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^STATE_NOT_WRITTEN: .* cannot be written/mu);
});

test('a command that is not there, and one with secrets', async () => {
  const root = repository({ a: '' });
  expect((await fixProblem(root, ['--command', 'no-such-program --now', '--desired', 'x'])).status).not.toBe(0);
  expect(stateOf(root)).toMatchObject({ attempts: [{ exit_code: 127 }] });
  const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;
  const secret = repository({ a: '' });
  const { stdout } = await fixProblem(secret, [
    '--command',
    `echo "TypeError: bad token $(printf '%s' ghp_)${token.slice(4)}"; exit 1`,
    '--desired',
    'x',
  ]);
  expect(fileOf(secret, 'attempt_1.log')).not.toContain(token);
  expect(stdout).not.toContain(token);
  expect(fileOf(secret, 'insight.json')).not.toContain(token);
});

test('history that is switched off', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n', 'argus.yaml': 'history: { enabled: false }\n' });
  expect((await fixProblem(root, RUN)).status).toBe(3);
  writeFileSync(path.join(root, 'answer.txt'), 'good\n');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
});

test('--help documents exit codes and every flag of the contract', async () => {
  const { status, stdout } = await argus(['fix-problem', '--help']);
  expect(status).toBe(0);
  for (const flag of [
    'desired',
    'command',
    'test',
    'auto',
    'inputs',
    'timeout',
    'max-attempts',
    'backoff',
    'circuit-breaker',
    'namespace',
  ]) {
    expect(stdout).toContain(`--${flag}`);
  }
  expect(stdout).toMatch(/Exit codes: 0 fixed; 1 not fixed/u);
});

function replaced(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}
