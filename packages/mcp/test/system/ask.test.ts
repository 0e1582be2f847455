import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask } from '../../src/system/ask.ts';

test.skipIf(process.platform === 'win32')('nothing is lost of an answer where this process was held up', async () => {
  // What comes after the end of the program comes in the time that is left for it, and is there when the hold-up ends.
  const asked = ask('sh', ['-c', '(sleep 0.25; echo late) & exit 0'], { cwd: '/' });
  await sleep(150);
  // Timers come before what can be read, only after the answer to a read.
  await readFile(import.meta.filename);
  const until = performance.now() + 600;
  while (performance.now() < until);
  expect(await asked).toMatchObject({ stdout: 'late\n', problem: null });
});
