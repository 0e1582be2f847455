// `npm run check`, for use after an edit: formats the sources, then runs lint, type checks and the unit tests that the
// edit can affect.
import { run, runTool } from './lib/exec.mjs';
import { requireSuccess, runMain, runStep } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

await runMain(async () => {
  await setUp();
  await runStep('formatting', async (onLine) => {
    requireSuccess('cargo fmt', await run('cargo', ['fmt'], { onLine }));
    requireSuccess('biome', await runTool('@biomejs/biome', 'bin/biome', ['check', '--write'], { onLine }));
  });
  // These modules are imported late, because they import packages that the setup installs.
  const [{ runSuite }, { createCheckSuite }] = await Promise.all([
    import('./lib/run-suite.mjs'),
    import('./lib/suites.mjs'),
  ]);
  return runSuite('check', createCheckSuite());
});
