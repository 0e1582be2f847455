/** Tests how the hook reads its input, because an agent may never close the pipe. */
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readInput } from '../../src/hook/hook.ts';

const HOOK_EVENT = JSON.stringify({ tool: { command: 'npm test', output: 'é } {"a":{}}' } });

/** Creates an input with the given chunks that is never closed. */
function createOpenInput(...pieces: Buffer[]): PassThrough {
  const input = new PassThrough();
  for (const piece of pieces) input.write(piece);
  return input;
}

function splitIntoChunks(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

test.each([1, 7, 4_096])('reads an object before the end of the input, in chunks of %i bytes', async (size) => {
  const input = createOpenInput(...splitIntoChunks(`${HOOK_EVENT}\n`, size));
  expect((await readInput(input, 60_000)).trim()).toBe(HOOK_EVENT);
  expect(input.destroyed).toBe(true);
});

test('omits a byte order mark before the object', async () => {
  expect(await readInput(createOpenInput(Buffer.from(`\uFEFF${HOOK_EVENT}`)), 60_000)).toBe(HOOK_EVENT);
});

test.each(['', '{"tool":', '[]'])('returns nothing for %j, which does not continue', async (text) => {
  expect(await readInput(createOpenInput(Buffer.from(text)), 20)).toBe('');
});

test('reads an input that ends', async () => {
  const input = createOpenInput(Buffer.from('no object'));
  input.end();
  expect(await readInput(input, 60_000)).toBe('no object');
});

test('stops waiting for an open pipe after 200 ms of silence, but not while parts of the event arrive', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const input = createOpenInput(Buffer.from('{'));
  const reading = readInput(input);
  await vi.advanceTimersByTimeAsync(150);
  input.write('"tool":');
  await vi.advanceTimersByTimeAsync(150);
  expect(input.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(60);
  expect(await reading).toBe('');
});
