import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/system/programs.ts';

test.skipIf(process.platform === 'win32')('reads the whole answer even if this process was blocked', async () => {
  // The output arrives after the program has ended but within the time for draining, while this process is blocked.
  const running = runProgram('sh', ['-c', '(sleep 0.25; echo late) & exit 0'], { cwd: '/' });
  await sleep(150);
  // The event loop runs timers before it reads pipes, but only after an earlier read has completed.
  await readFile(import.meta.filename);
  const until = performance.now() + 600;
  while (performance.now() < until);
  expect(await running).toMatchObject({ stdout: 'late\n', problem: null });
});
