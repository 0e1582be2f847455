/**
 * Processes that a command leaves running, for each way in which the command can end. tests/e2e/process tests signals.
 */

import { describe, expect, onTestFinished, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { connect, createProject } from '../e2e/harness.ts';
import { createProjectWithPipe, LEAVE_PROCESS_GROUP, SLEEP } from '../e2e/process/leaving.ts';

async function runCommand(root: string, command: string, ...options: string[]) {
  const { status, stdout } = await argus(['run', '--project', root, '--json', ...options, '--', 'sh', '-c', command]);
  return { status, notes: JSON.parse(stdout).data.notes.join('\n') };
}

describe.runIf(process.platform === 'linux')('processes that left the group of their command', () => {
  test('a timeout ends processes that left their group, and a note says that an undetectable process may still run', async () => {
    const { root, allEnded } = createProjectWithPipe();
    const { status, notes } = await runCommand(root, `${LEAVE_PROCESS_GROUP} ${SLEEP}`, '--timeout', '1');
    expect(status).toBe(1);
    expect(notes).toMatch(/left processes running, which were stopped: \d+ \(sleep 5817\)/u);
    expect(notes).toMatch(/A process that also cleared its environment may still run/u);
    await allEnded;
  });

  test('a failure of the command ends processes that left their group', async () => {
    const { root, allEnded } = createProjectWithPipe();
    const { status, notes } = await runCommand(root, `${LEAVE_PROCESS_GROUP} exit 1`);
    expect(status).toBe(1);
    expect(notes).toMatch(/left processes running, which were stopped: \d+ \(sleep 5817\), \d+ \(sleep 5817\)/u);
    await allEnded;
  });

  test('an agent that cancels its call ends processes that left their group', async () => {
    const { root, begun, allEnded } = createProjectWithPipe();
    const agent = await connect('2026-07-28');
    onTestFinished(() => agent.close());
    await agent.data('argus_init', { projectPath: root });
    const cancel = new AbortController();
    const command = `${LEAVE_PROCESS_GROUP} ${SLEEP}`;
    const call = agent.call('argus_run', { projectPath: root, command }, { signal: cancel.signal });
    await begun;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await allEnded;
  });
});

test.runIf(process.platform === 'linux')(
  'a process that a passed command leaves behind keeps running and is named',
  async () => {
    const { status, notes } = await runCommand(createProject(), 'setsid sleep 5821 & exit 0');
    expect(status).toBe(0);
    const [, pid] = /Still running: (\d+) \(sleep 5821\)/u.exec(notes) ?? [];
    expect(process.kill(Number(pid)), notes).toBe(true);
  },
);
