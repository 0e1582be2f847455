import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { clearUp, findMarked, markEntry, newMark } from '../../src/run/processes.ts';

/** Starts a process with a mark. It ends when its input ends. */
async function marked(mark: string): Promise<ChildProcess> {
  const child = spawn('cat', { env: { ...process.env, ...markEntry(mark) }, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.write('ready');
  await once(child.stdout, 'data');
  return child;
}

test.runIf(process.platform === 'linux')('finds a process only by its complete mark', async () => {
  const mark = newMark();
  const { pid } = await marked(mark);
  expect(await findMarked(mark)).toEqual([{ pid, command: 'cat' }]);
  expect(await findMarked(mark.slice(0, -1))).toEqual([]);
  expect(await findMarked(mark.slice(1))).toEqual([]);
});

test.runIf(process.platform === 'linux')('finds a process of a nested run by both marks', async () => {
  const [outer, inner] = [newMark(), newMark()];
  const { pid } = await marked(`${outer}:${inner}`);
  for (const mark of [outer, inner]) expect(await findMarked(mark)).toEqual([{ pid, command: 'cat' }]);
});

test.skipIf(process.platform === 'win32')('does not report a process that ends soon after its command', async () => {
  const mark = newMark();
  const child = await marked(mark);
  const cleared = clearUp(mark, true);
  child.stdin?.end();
  expect(await cleared).toEqual({ left: [], notes: [] });
});

test.runIf(process.platform === 'linux')('reports a process that outlives a passed command', async () => {
  const mark = newMark();
  const { pid } = await marked(mark);
  expect(await clearUp(mark, true)).toMatchObject({ notes: [`Still running: ${pid} (cat).`] });
});
