/** Tests how the steps of a test command are scheduled. */

import { expect, test } from 'vitest';
import { runInLanes } from '../../scripts/lib/schedule.mjs';

/** Returns steps that end on request, and the order in which they began. */
function createControlledSteps() {
  const begun: string[] = [];
  const ends = new Map<string, (succeeded: boolean) => void>();
  const perform = ({ name }: { name: string }) =>
    new Promise<boolean>((resolve) => {
      begun.push(name);
      ends.set(name, resolve);
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string, succeeded = true) => {
    ends.get(name)?.(succeeded);
    await settled();
  };
  return { begun, perform, end, settled };
}

test('lanes run concurrently, and a lane runs one step at a time', async () => {
  const { begun, perform, end, settled } = createControlledSteps();
  const ended = runInLanes(
    [
      { name: 'a1', lane: 'a' },
      { name: 'a2', lane: 'a' },
      { name: 'b1', lane: 'b' },
    ],
    perform,
  );
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['b1', 'a2']) await end(name);
  expect(await ended).toEqual([]);
});

test('a step waits for the steps in other lanes that its `after` names', async () => {
  const { begun, perform, end, settled } = createControlledSteps();
  const ended = runInLanes(
    [
      { name: 'build', lane: 'a' },
      { name: 'test', lane: 'b', after: ['build'] },
    ],
    perform,
  );
  await settled();
  expect(begun).toEqual(['build']);
  for (const name of ['build', 'test']) await end(name);
  await ended;
  expect(begun).toEqual(['build', 'test']);
});

test('after a failed step, the steps that wait for it are skipped', async () => {
  const { begun, perform, end, settled } = createControlledSteps();
  const ended = runInLanes(
    [
      { name: 'build', lane: 'a' },
      { name: 'lint', lane: 'a' },
      { name: 'bundle', lane: 'b', after: ['build'] },
      { name: 'test', lane: 'b', after: ['bundle'] },
    ],
    perform,
  );
  await settled();
  await end('build', false);
  await end('lint');
  expect(await ended).toEqual(['bundle', 'test']);
  expect(begun).toEqual(['build', 'lint']);
});

test('a step that waits for a step outside of the list is refused', async () => {
  await expect(runInLanes([{ name: 'test', lane: 'a', after: ['build'] }], async () => true)).rejects.toThrow('build');
});
