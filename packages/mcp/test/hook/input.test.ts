/** How the hook reads its input, which an agent may never close. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readInput } from '../../src/hook/hook.ts';

const EVENT = JSON.stringify({ tool: { command: 'npm test', output: 'é } {"a":{}}' } });

/** Chunks of an input that is not closed. */
function open(...pieces: Buffer[]): PassThrough {
  const input = new PassThrough();
  for (const piece of pieces) input.write(piece);
  return input;
}

function inPieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

test.each([1, 7, 4_096])('reads an object before the end of the input, in chunks of %i bytes', async (size) => {
  const input = open(...inPieces(`${EVENT}\n`, size));
  expect((await readInput(input, 60_000)).trim()).toBe(EVENT);
  expect(input.destroyed).toBe(true);
});

test('omits a byte order mark before the object', async () => {
  expect(await readInput(open(Buffer.from(`\uFEFF${EVENT}`)), 60_000)).toBe(EVENT);
});

test.each(['', '{"tool":', '[]'])('returns nothing for %j, which does not continue', async (text) => {
  expect(await readInput(open(Buffer.from(text)), 20)).toBe('');
});

test('reads an input that ends', async () => {
  const input = open(Buffer.from('no object'));
  input.end();
  expect(await readInput(input, 60_000)).toBe('no object');
});
