// `npm run ready`: formats what can be formatted, then everything `npm test` does, nothing from memory.
import { run, runTool } from './lib/exec.mjs';
import { main, mustPass, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';
import { test } from './test.mjs';

await main(async () => {
  await setUp({ forTests: true });
  await step('formatting', async (onLine) => {
    mustPass('cargo fmt', await run('cargo', ['fmt'], { onLine }));
    mustPass('biome', await runTool('@biomejs/biome', 'bin/biome', ['check', '--write'], { onLine }));
  });
  return test({ all: true });
});
