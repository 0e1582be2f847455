// `npm run check`: after an edit. Formats, then lint, types and unit tests, as far as the edit can affect them.
import { run, runTool } from './lib/exec.mjs';
import { main, mustPass, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  await setUp();
  await step('formatting', async (onLine) => {
    mustPass('cargo fmt', await run('cargo', ['fmt'], { onLine }));
    mustPass('biome', await runTool('@biomejs/biome', 'bin/biome', ['check', '--write'], { onLine }));
  });
  // These import packages, which the set-up has installed.
  const [{ runSuite }, { checkSuite }] = await Promise.all([import('./lib/run-suite.mjs'), import('./lib/suites.mjs')]);
  return runSuite('check', checkSuite());
});
