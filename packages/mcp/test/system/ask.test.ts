import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask } from '../../src/system/ask.ts';

test.skipIf(process.platform === 'win32')('reads the whole answer even if this process was blocked', async () => {
  // The output arrives after the program has ended but within the time for draining, while this process is blocked.
  const asked = ask('sh', ['-c', '(sleep 0.25; echo late) & exit 0'], { cwd: '/' });
  await sleep(150);
  // The event loop runs timers before it reads pipes only after a read has completed.
  await readFile(import.meta.filename);
  const until = performance.now() + 600;
  while (performance.now() < until);
  expect(await asked).toMatchObject({ stdout: 'late\n', problem: null });
});
