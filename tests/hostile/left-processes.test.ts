/** Processes that a command leaves running, for each way in which the command can end. Signals: tests/e2e/process. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { connect, project } from '../e2e/harness.ts';
import { LEAVES, SLEEP, scene } from '../e2e/process/leaving.ts';

async function run(root: string, command: string, ...options: string[]) {
  const { status, stdout } = await argus(['run', '--project', root, '--json', ...options, '--', 'sh', '-c', command]);
  return { status, notes: JSON.parse(stdout).data.notes.join('\n') };
}

describe.runIf(process.platform === 'linux')('a process that left the group of its command is ended by', () => {
  test('a timeout, with a note that an undetectable process may still run', async () => {
    const { root, allEnded } = scene();
    const { status, notes } = await run(root, `${LEAVES} ${SLEEP}`, '--timeout', '1');
    expect(status).toBe(1);
    expect(notes).toMatch(/Left running by the command and ended: \d+ \(sleep 5817\)/u);
    expect(notes).toMatch(/a process that cleared its environment, too, may still run/u);
    await allEnded;
  });

  test('a failure of the command', async () => {
    const { root, allEnded } = scene();
    const { status, notes } = await run(root, `${LEAVES} exit 1`);
    expect(status).toBe(1);
    expect(notes).toMatch(/Left running by the command and ended: \d+ \(sleep 5817\), \d+ \(sleep 5817\)/u);
    await allEnded;
  });

  test('an agent that cancels its call', async () => {
    const { root, begun, allEnded } = scene();
    const agent = await connect('2026-07-28');
    onTestFinished(() => agent.close());
    await agent.data('argus_init', { projectPath: root });
    const cancel = new AbortController();
    const command = `${LEAVES} ${SLEEP}`;
    const call = agent.call('argus_run', { projectPath: root, command }, { signal: cancel.signal });
    await begun;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await allEnded;
  });
});

test.runIf(process.platform === 'linux')('a process left by a passed command stays and is named', async () => {
  const { status, notes } = await run(project(), 'setsid sleep 5821 & exit 0');
  expect(status).toBe(0);
  const [, pid] = /Still running: (\d+) \(sleep 5821\)/u.exec(notes) ?? [];
  expect(process.kill(Number(pid)), notes).toBe(true);
});
