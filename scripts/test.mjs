// `npm test`, for use before a commit. `npm test -- --all` also runs checks that passed on the same files.
// `npm run test:full` (`--full`) runs tests that take long or need programs that few machines have. lib/suites.mjs
// lists the steps.
import { FULL_TEST_PROGRAMS, TEST_PROGRAMS } from './lib/required-programs.mjs';
import { runMain } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const isFull = process.argv.includes('--full');

await runMain(async () => {
  await setUp({ programs: isFull ? FULL_TEST_PROGRAMS : TEST_PROGRAMS });
  // These modules are imported late, because they import packages that the setup installs.
  const [{ runSuite }, { createFullSuite, createTestSuite }] = await Promise.all([
    import('./lib/run-suite.mjs'),
    import('./lib/suites.mjs'),
  ]);
  const steps = isFull ? createFullSuite() : createTestSuite();
  return runSuite(isFull ? 'full' : 'test', steps, process.argv.includes('--all'));
});
