import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  cleanUpProcesses,
  createRunMark,
  createRunMarkVariable,
  findMarkedProcesses,
} from '../../src/run/processes.ts';

/** Starts a process with a mark. The process ends when its stdin closes. */
async function startMarkedProcess(mark: string): Promise<ChildProcess> {
  const child = spawn('cat', {
    env: { ...process.env, ...createRunMarkVariable(mark) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.write('ready');
  await once(child.stdout, 'data');
  return child;
}

test.runIf(process.platform === 'linux')('finds a process only by its complete mark', async () => {
  const mark = createRunMark();
  const { pid } = await startMarkedProcess(mark);
  expect(await findMarkedProcesses(mark)).toEqual([{ pid, command: 'cat' }]);
  expect(await findMarkedProcesses(mark.slice(0, -1))).toEqual([]);
  expect(await findMarkedProcesses(mark.slice(1))).toEqual([]);
});

test.runIf(process.platform === 'linux')('finds a process of a nested run by both marks', async () => {
  const [outer, inner] = [createRunMark(), createRunMark()];
  const { pid } = await startMarkedProcess(`${outer}:${inner}`);
  for (const mark of [outer, inner]) expect(await findMarkedProcesses(mark)).toEqual([{ pid, command: 'cat' }]);
});

test.skipIf(process.platform === 'win32')('does not report a process that ends soon after its command', async () => {
  const mark = createRunMark();
  const child = await startMarkedProcess(mark);
  const cleanUp = cleanUpProcesses(mark, true);
  child.stdin?.end();
  expect(await cleanUp).toEqual({ left: [], notes: [] });
});

test.runIf(process.platform === 'linux')('reports a process that outlives a passed command', async () => {
  const mark = createRunMark();
  const { pid } = await startMarkedProcess(mark);
  expect(await cleanUpProcesses(mark, true)).toMatchObject({ notes: [`Still running: ${pid} (cat).`] });
});
