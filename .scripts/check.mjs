// `npm run check`: after an edit. Formats, then lint, types and unit tests, as far as the edit can affect them.
import { run, runTool } from './lib/exec.mjs';
import { runSuite } from './lib/run-suite.mjs';
import { main, mustPass, step } from './lib/steps.mjs';
import { checkSuite } from './lib/suites.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  await setUp();
  await step('formatting', async (onLine) => {
    mustPass('cargo fmt', await run('cargo', ['fmt'], { onLine }));
    mustPass('biome', await runTool('@biomejs/biome', 'bin/biome', ['check', '--write'], { onLine }));
  });
  return runSuite('check', checkSuite());
});
