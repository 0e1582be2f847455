import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { clearUp, findMarked, markEntry, newMark } from '../../src/run/processes.ts';

/** A process with a mark, which ends when its input ends. */
async function marked(mark: string): Promise<ChildProcess> {
  const child = spawn('cat', { env: { ...process.env, ...markEntry(mark) }, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.write('ready');
  await once(child.stdout, 'data');
  return child;
}

test.runIf(process.platform === 'linux')('a process is found by its whole mark', async () => {
  const mark = newMark();
  const { pid } = await marked(mark);
  expect(await findMarked(mark)).toEqual([{ pid, command: 'cat' }]);
  expect(await findMarked(mark.slice(0, -1))).toEqual([]);
  expect(await findMarked(mark.slice(1))).toEqual([]);
});

test.runIf(process.platform === 'linux')('a process of a run inside a run is found by both marks', async () => {
  const [outer, inner] = [newMark(), newMark()];
  const { pid } = await marked(`${outer}:${inner}`);
  for (const mark of [outer, inner]) expect(await findMarked(mark)).toEqual([{ pid, command: 'cat' }]);
});

test.skipIf(process.platform === 'win32')('a process that ends soon after its command is not named', async () => {
  const mark = newMark();
  const child = await marked(mark);
  const cleared = clearUp(mark, true);
  child.stdin?.end();
  expect(await cleared).toEqual({ left: [], notes: [] });
});

test.runIf(process.platform === 'linux')('a process that stays after a command that passed is named', async () => {
  const mark = newMark();
  const { pid } = await marked(mark);
  expect(await clearUp(mark, true)).toMatchObject({ notes: [`Still running: ${pid} (cat).`] });
});
