/** Signals and closed readers end the built program and every process that it started. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../argus.ts';
import { connectProcess } from '../clients.ts';
import { fixArgs, fixProblem, loopOn, processesWith, stateOf } from '../fix-loop/fix-loop.ts';
import { project } from '../harness.ts';
import { viewerAt } from '../viewer/view.ts';
import { LEAVES, SLEEP, scene } from './leaving.ts';

test('Ctrl-C ends a viewer with code 0', async () => {
  const { child, ended, printed, prints } = startProgram(['view', '--project', project(), '--json']);
  await prints(/\n/u);
  expect((await viewerAt(printed().stdout).ask('GET', '/api/about')).status).toBe(200);
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

describe.runIf(process.platform === 'linux')('processes that left the group of their command are ended by', () => {
  test('the signal that ends the command line', async () => {
    const { root, begun, allEnded } = scene();
    const { child, ended } = startProgram(['run', '--project', root, '--', 'sh', '-c', `${LEAVES} ${SLEEP}`]);
    await begun;
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
    await allEnded;
  });

  test('Ctrl-C, which records the failures so far', async () => {
    const { root, begun, allEnded } = scene();
    const tests = `
      import { writeFileSync } from 'node:fs';
      import { test } from 'node:test';
      test('fails', () => { throw new Error('no till'); });
      test('waits', () => { writeFileSync('pipe', 'begun'); return new Promise(() => setInterval(() => {}, 1000)); });
    `;
    writeFileSync(path.join(root, 'till.test.mjs'), tests);
    const { child, ended, printed } = startProgram(['run', '--project', root, '--', 'node', '--test', 'till.test.mjs']);
    await begun;
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
    await allEnded;
    expect(printed().stdout).toMatch(/interrupted {2}0 passed, 1 failed/u);
    expect(printed().stdout).toContain('Error: no till');
  });

  test('the signal that ends the server', async () => {
    const { root, begun, allEnded } = scene();
    const agent = await connectProcess('2026-07-28');
    await agent.data('argus_init', { projectPath: root });
    const call = agent.call('argus_run', { projectPath: root, command: `${LEAVES} ${SLEEP}` });
    await begun;
    process.kill(agent.pid, 'SIGTERM');
    await expect(call).rejects.toThrow();
    await allEnded;
  });

  test('a reader that closes its pipe', async () => {
    const { root, allEnded } = scene();
    const { child, ended, printed } = startProgram(['run', '--project', root, '--', 'sh', '-c', `${LEAVES} yes`]);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toEqual([2, null]);
    expect(printed().stderr).toBe('');
    await allEnded;
  });

  test('SIGINT to a fix loop, which can be resumed', async () => {
    const root = project();
    const command = 'test -e go || { touch go; echo begun; setsid sleep 4731; }';
    const { child, ended, prints, printed } = startProgram(fixArgs(root, loopOn(command)), { cwd: root });
    await prints(/begun\n/u, 'stderr');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(printed().stderr).toContain('CANCELLED');
    expect(processesWith('sleep 4731')).toEqual([]);
    expect(stateOf(root).status).toBe('cancelled');
    expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  });
});
