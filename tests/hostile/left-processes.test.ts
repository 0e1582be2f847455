/** What a command starts and leaves behind, however it ends. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { type Agent, BUNDLE, connectProcess, environment, project } from '../e2e/harness.ts';

const linuxOnly = test.skipIf(process.platform !== 'linux');

const processes = () => execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
const sleeping = (seconds: number) => new RegExp(`^ *\\d+ sleep ${seconds}\\d$`, 'mu');

const agents: Agent[] = [];
afterAll(() => Promise.all(agents.map((agent) => agent.close())));

linuxOnly('a timeout ends what has left the group, and says what cannot be found', async () => {
  const root = project();
  const command = 'setsid sleep 5811 & setsid --fork sleep 5812; sleep 5813';
  const { status, stdout } = await argus([
    'run',
    '--project',
    root,
    '--json',
    '--timeout',
    '1',
    '--',
    'sh',
    '-c',
    command,
  ]);
  expect(status).toBe(1);
  expect(processes()).not.toMatch(sleeping(581));
  const notes = JSON.parse(stdout).data.notes.join('\n');
  expect(notes).toMatch(/Left running by the command and ended: \d+ \(sleep 581\d\)/u);
  expect(notes).toMatch(/a process that cleared its environment, too, may still run/u);
});

linuxOnly('so does the signal that cancels the command line', async () => {
  const root = project();
  const command = 'setsid sleep 5821 & echo begun; sleep 5822';
  const args = [BUNDLE, 'run', '--project', root, '--', 'sh', '-c', command];
  const child = spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child.stdout, 'data');
  await expect.poll(processes).toMatch(/sleep 5821/u);
  child.kill('SIGINT');
  expect((await once(child, 'exit'))[0]).toBe(2);
  expect(processes()).not.toMatch(sleeping(582));
});

linuxOnly('so does an agent that gives up', async () => {
  const agent = await connectProcess('2026-07-28');
  agents.push(agent);
  const root = project();
  await agent.data('argus_init', { projectPath: root });
  const cancel = new AbortController();
  const command = 'setsid sleep 5831 & sleep 5832';
  const call = agent
    .call('argus_run', { projectPath: root, command }, { signal: cancel.signal })
    .catch(() => undefined);
  await expect.poll(processes).toMatch(/sleep 5831/u);
  cancel.abort();
  await call;
  await expect.poll(processes).not.toMatch(sleeping(583));
});

linuxOnly('so does the end of the server', async () => {
  const agent = await connectProcess('2026-07-28');
  const root = project();
  await agent.data('argus_init', { projectPath: root });
  const command = 'setsid sleep 5841 & sleep 5842';
  const call = agent.call('argus_run', { projectPath: root, command }).catch(() => undefined);
  await expect.poll(processes).toMatch(/sleep 5841/u);
  process.kill(agent.pid, 'SIGTERM');
  await call;
  await expect.poll(processes).not.toMatch(sleeping(584));
  await agent.close().catch(() => undefined);
});

linuxOnly('so does a failure, and says so', async () => {
  const root = project();
  const command = 'setsid sleep 5851 & exit 1';
  const { status, stdout } = await argus(['run', '--project', root, '--json', '--', 'sh', '-c', command]);
  expect(status).toBe(1);
  expect(processes()).not.toMatch(sleeping(585));
  expect(JSON.parse(stdout).data.notes.join()).toMatch(/Left running by the command and ended: \d+ \(sleep 5851\)/u);
});

linuxOnly('what a command that succeeded leaves stays, and is named', async () => {
  const root = project();
  const command = 'setsid sleep 5 & exit 0';
  const { status, stdout } = await argus(['run', '--project', root, '--json', '--', 'sh', '-c', command]);
  expect(status).toBe(0);
  expect(processes()).toMatch(/^ *\d+ sleep 5$/mu);
  expect(JSON.parse(stdout).data.notes.join()).toMatch(/Still running: \d+ \(sleep 5\)/u);
});
