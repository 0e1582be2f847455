/**
 * Commands that do not end, fork away, print without end or are killed, and loops that meet: nothing is lost, nothing
 * is left running. Skipped where there is no /proc; there a loop names what it cannot find.
 */

import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  CHECK,
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

const at = (command: string, ...more: string[]) => ['--command', command, '--desired', 'it ends', ...more];

describe.skipIf(process.platform !== 'linux')('processes', () => {
  test('a command that never ends and ignores SIGTERM', async () => {
    const root = repository({ a: '' });
    const { status, stdout } = await fixProblem(
      root,
      at("trap '' TERM; echo begun; while :; do sleep 0.2; done", '--timeout', '1', '--max-attempts', '1'),
    );
    expect(status).toBe(1);
    expect(stdout).toContain('| 1 | 124 | timeout | - |');
    expect(stateOf(root)).toMatchObject({
      attempts: [{ exit_code: 124, timed_out: true, error_type: 'timeout', error_class: 'transient' }],
    });
    expect(fileOf(root, 'attempt_1.log')).toBe('begun\n');
    expect(processesWith("bash --norc -c trap '' TERM; echo begun")).toEqual([]);
  });

  test('a timeout is tried again after a delay, and opens the circuit in the end', async () => {
    const root = repository({ a: '' });
    const { status, stdout } = await fixProblem(root, at('sleep 60', '--timeout', '1', '--backoff', '0'));
    expect(status).toBe(1);
    expect(stdout).toContain('circuit_breaker_opened');
    expect(stateOf(root).attempts).toHaveLength(3);
  });

  test('a command that forks away', async () => {
    const root = repository({ a: '' });
    const { status, stdout, stderr } = await fixProblem(
      root,
      at('setsid sleep 4711 & setsid --fork sleep 4712; sleep 4713 & echo "TypeError: x"; exit 1'),
    );
    expect(status, stderr).toBe(3);
    expect(processesWith('sleep 471')).toEqual([]);
    expect(stdout).not.toBe('');
  });

  test('two gigabytes of output', async () => {
    const root = repository({ a: '' });
    const command =
      'yes "a line of output that comes again and again and again" | head -c 2000000000; echo; echo "TypeError: the end"; exit 1';
    // Nobody reads what it shows.
    const { child } = startFixProblem(root, at(command, '--timeout', '280'), 'ignore');
    const [status] = await once(child, 'exit');
    expect(status).toBe(3);
    expect(statSync(path.join(loopFolder(root), 'attempt_1.log')).size).toBeLessThan(65 * 1024 * 1024);
    const log = readFileSync(path.join(loopFolder(root), 'attempt_1.log'), 'utf8');
    expect(log).toMatch(/\[argus: \d+ characters are left out here\]/u);
    expect(log.endsWith('TypeError: the end\n')).toBe(true);
    expect(stateOf(root)).toMatchObject({ attempts: [{ error_type: 'TypeError' }] });
  }, 300_000);

  test('a command that needs a terminal', async () => {
    const root = repository({ a: '' });
    const { status } = await fixProblem(
      root,
      at('test -t 0 || { echo "TypeError: the input device is not a TTY"; exit 1; }'),
    );
    // Nobody is there to answer.
    expect(status).toBe(4);
    expect((await fixProblem(repository({ a: '' }), at('exec 3</dev/tty'))).status).not.toBe(0);
  });

  test('kill -9, and go on', async () => {
    const root = repository({ 'check.js': CHECK, 'answer.txt': 'good\n' });
    const command = 'echo x >> .git/count; test $(wc -l < .git/count) -ge 2 || setsid sleep 4721; node check.js';
    const { child } = startFixProblem(root, at(command));
    await until(() => existsSync(path.join(root, '.git/count')) && processesWith('sleep 4721').length > 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(stateOf(root)).toMatchObject({ status: 'running', attempts: [] });
    expect(processesWith('sleep 4721')).not.toEqual([]);

    const { status, stdout, stderr } = await fixProblem(root, ['--resume']);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('- **Attempts Used**: 1/5');
    expect(processesWith('sleep 4721')).toEqual([]);
  });

  test('SIGINT ends it politely, and it goes on', async () => {
    const root = repository({ a: '' });
    const { child, output } = startFixProblem(root, at('test -e .git/go || { touch .git/go; setsid sleep 4731; }'));
    await until(() => processesWith('sleep 4731').length > 0);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
    expect(output().stderr).toContain('CANCELLED');
    expect(processesWith('sleep 4731')).toEqual([]);
    expect(stateOf(root).status).toBe('cancelled');
    expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  });

  test('the wait can be cancelled', async () => {
    const root = repository({ a: '' });
    const { child, output } = startFixProblem(
      root,
      at('echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1', '--backoff', '60'),
    );
    await until(() => output().stderr.includes('waiting 60 s'));
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
  });

  test('two loops on one command', async () => {
    const root = repository({ a: '' });
    const command = `touch .git/begun; ${untilFile('.git/end')}`;
    const { child } = startFixProblem(root, at(command));
    await until(() => existsSync(path.join(root, '.git/begun')));
    const second = await fixProblem(root, at(command));
    expect(second).toMatchObject({ status: 2, stdout: '' });
    expect(second.stderr).toMatch(/^LOOP_BUSY: This fix loop is already being worked on by process \d+/mu);
    const other = await fixProblem(root, at('true'));
    expect(other.status, 'another command may').toBe(0);
    writeFileSync(path.join(root, '.git/end'), '');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

test('what the user has for an interactive bash is not read', async () => {
  const root = repository({ 'home/.bashrc': 'echo "from .bashrc"\n' });
  // The level of a bash that nothing but a network service can have started.
  expect(await fixProblem(root, at('echo run'), { env: { HOME: path.join(root, 'home'), SHLVL: '0' } })).toMatchObject({
    status: 0,
  });
  expect(fileOf(root, 'attempt_1.log')).toBe('run\n');
});

test('an unanswered question is noticed', async () => {
  const root = repository({
    'setup.sh': '#!/bin/bash\nread -r -p "Project name: " name\ntest -n "$name" && echo "made $name"\n',
  });
  chmodSync(path.join(root, 'setup.sh'), 0o755);
  const args = at('./setup.sh', '--timeout', '20', '--backoff', '0');
  const asked = await fixProblem(root, args);
  expect(asked.status, asked.stderr).toBe(4);
  expect(stateOf(root)).toMatchObject({ status: 'needs_inputs' });
  const inputs = path.join(root, '.claude/inputs/setup-inputs.yaml');
  expect((await fixProblem(root, [...args, '--resume'])).status).toBe(4);
  const generated = await fixProblem(repository({ 'setup.sh': readFileSync(path.join(root, 'setup.sh'), 'utf8') }), [
    ...at('bash setup.sh', '--auto'),
  ]);
  expect(generated.status, generated.stderr).toBe(0);
  expect(existsSync(inputs)).toBe(false);
});
