// `npm run check`, for use after an edit: formats, then runs lint, type checks and unit tests that the edit can affect.
import { run, runTool } from './lib/exec.mjs';
import { main, mustPass, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  await setUp();
  await step('formatting', async (onLine) => {
    mustPass('cargo fmt', await run('cargo', ['fmt'], { onLine }));
    mustPass('biome', await runTool('@biomejs/biome', 'bin/biome', ['check', '--write'], { onLine }));
  });
  // Imported late, because these modules import packages that the setup installs.
  const [{ runSuite }, { checkSuite }] = await Promise.all([import('./lib/run-suite.mjs'), import('./lib/suites.mjs')]);
  return runSuite('check', checkSuite());
});
