/** Signals and closed pipes end the built program and every process that it started. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../argus.ts';
import { connectProcess } from '../clients.ts';
import { findProcesses, fixArgs, fixProblem, loopOn, readState } from '../fix-loop/fix-loop.ts';
import { createProject } from '../harness.ts';
import { connectToViewer } from '../viewer/view.ts';
import { createProjectWithPipe, LEAVE_PROCESS_GROUP, SLEEP } from './leaving.ts';

test('Ctrl-C ends a viewer with exit code 0', async () => {
  const { child, ended, printed, prints } = startProgram(['view', '--project', createProject(), '--json']);
  await prints(/\n/u);
  expect((await connectToViewer(printed().stdout).ask('GET', '/api/about')).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

describe.runIf(process.platform === 'linux')('processes that left the group of their command', () => {
  test('SIGINT to the command line ends processes that left the group of their command', async () => {
    const { root, begun, allEnded } = createProjectWithPipe();
    const { child, ended } = startProgram([
      'run',
      '--project',
      root,
      '--',
      'sh',
      '-c',
      `${LEAVE_PROCESS_GROUP} ${SLEEP}`,
    ]);
    await begun;
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
    await allEnded;
  });

  test('Ctrl-C ends processes that left their group, and records the failures so far', async () => {
    const { root, begun, allEnded } = createProjectWithPipe();
    const tests = `
      import { writeFileSync } from 'node:fs';
      import { test } from 'node:test';
      test('fails', () => { throw new Error('no till'); });
      test('waits', () => { writeFileSync('pipe', 'begun'); return new Promise(() => setInterval(() => {}, 1000)); });
    `;
    writeFileSync(path.join(root, 'till.test.mjs'), tests);
    const { child, ended, printed, prints } = startProgram([
      'run',
      '--project',
      root,
      '--',
      'node',
      '--test',
      'till.test.mjs',
    ]);
    // The test file writes to the pipe, but another process, `node --test`, reports the failure.
    await Promise.all([begun, prints(/^not ok 1/mu)]);
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
    await allEnded;
    expect(printed().stdout).toMatch(/1 failure, 1 cause, 0 passed, interrupted/u);
    expect(printed().stdout).toContain('Error: no till');
  });

  test('SIGTERM to the server ends processes that left the group of their command', async () => {
    const { root, begun, allEnded } = createProjectWithPipe();
    const agent = await connectProcess('2026-07-28');
    await agent.data('argus_init', { projectPath: root });
    const call = agent.call('argus_run', { projectPath: root, command: `${LEAVE_PROCESS_GROUP} ${SLEEP}` });
    await begun;
    process.kill(agent.pid, 'SIGTERM');
    await expect(call).rejects.toThrow();
    await allEnded;
  });

  test('a reader that closes its pipe ends processes that left the group of their command', async () => {
    const { root, allEnded } = createProjectWithPipe();
    const { child, ended, printed } = startProgram([
      'run',
      '--project',
      root,
      '--',
      'sh',
      '-c',
      `${LEAVE_PROCESS_GROUP} yes`,
    ]);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toEqual([2, null]);
    expect(printed().stderr).toBe('');
    await allEnded;
  });

  test('SIGINT to a fix loop ends its processes, and the loop can be resumed', async () => {
    const root = createProject();
    const command = 'test -e go || { touch go; echo begun; setsid sleep 4731; }';
    const { child, ended, prints, printed } = startProgram(fixArgs(root, loopOn(command)), { cwd: root });
    await prints(/begun\n/u, 'stderr');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(printed().stderr).toContain('CANCELLED');
    expect(findProcesses('sleep 4731')).toEqual([]);
    expect(readState(root).status).toBe('cancelled');
    expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  });
});
