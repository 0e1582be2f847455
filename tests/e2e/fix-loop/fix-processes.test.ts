/**
 * Commands that wait for an answer, loops that wait, and two loops on the same command. Killed loops:
 * tests/e2e/process. Processes of a single attempt: packages/mcp/test/fix/fix-attempt.test.ts.
 */

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { project } from '../harness.ts';
import { fileOf, fixProblem, loopOn, startFixProblem, stateOf, untilFile } from './fix-loop.ts';

// Concurrent, because some of the tests wait.
describe('a loop', { concurrent: true }, () => {
  // Takes 3 s, because a command counts as waiting only after such a silence.
  test.skipIf(process.platform !== 'linux')('needs inputs for a question that a shell does not print', async () => {
    const root = project({ 'setup.sh': 'read -r -p "Project name: " name\ntest -n "$name" && echo "made $name"\n' });
    const { status, stdout } = await fixProblem(root, loopOn('bash setup.sh'));
    expect(status).toBe(4);
    expect(stdout).toContain('The command waits for an answer to a question that it did not print.');
    expect(stdout).toContain('Ended at a question that it did not print: ');
    expect(stateOf(root)).toMatchObject({ status: 'needs_inputs' });
    expect((await fixProblem(root, ['--resume'])).status).toBe(4);
    expect(existsSync(path.join(root, '.claude/inputs/setup-inputs.yaml'))).toBe(false);
  });

  test('ends the wait between two attempts on SIGTERM', async () => {
    const command = 'echo "Error: connect ECONNREFUSED 127.0.0.1:1"; exit 1';
    const running = startFixProblem(project(), [...loopOn(command), '--backoff', '60']);
    await running.prints(/waiting 60 s/u, 'stderr');
    running.signal('SIGTERM');
    expect(await running.done).toMatchObject({ status: 130, stderr: expect.stringContaining('CANCELLED') });
  });

  test('is busy for another call on its command, but not for other commands', async () => {
    const root = project();
    const args = loopOn(`echo begun; ${untilFile('end')}`);
    const first = startFixProblem(root, args);
    await first.prints(/begun\n/u, 'stderr');
    const second = await fixProblem(root, args);
    expect(second).toMatchObject({ status: 2, stdout: '' });
    expect(second.stderr).toMatch(/^LOOP_BUSY: This fix loop is already being worked on by process \d+/mu);
    expect((await fixProblem(root, loopOn('true'))).status).toBe(0);
    writeFileSync(path.join(root, 'end'), '');
    expect((await first.done).status).toBe(0);
  });

  test('does not read the user’s file for interactive shells', async () => {
    const root = project({ 'home/.bashrc': 'echo "from .bashrc"\n' });
    // Bash as a remote shell reads .bashrc. It detects this by a socket as stdin and a SHLVL below 2.
    const env = { HOME: path.join(root, 'home'), SHLVL: '0' };
    expect(await fixProblem(root, loopOn('echo run'), { env })).toMatchObject({ status: 0 });
    expect(fileOf(root, 'attempt_1.log')).toBe('run\n');
  });
});
