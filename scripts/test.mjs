// `npm test`: what a contributor runs before a commit. `npm test -- --all` runs also what passed on the same files, and
// `npm run test:full` (`--full`) what takes long or needs programs that few machines have. What they do: lib/suites.mjs.
import { FULL_TEST_PROGRAMS, TEST_PROGRAMS } from './lib/machine.mjs';
import { main } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const isFull = process.argv.includes('--full');

await main(async () => {
  await setUp({ programs: isFull ? FULL_TEST_PROGRAMS : TEST_PROGRAMS });
  // These import packages, which the set-up has installed.
  const [{ runSuite }, { fullSuite, testSuite }] = await Promise.all([
    import('./lib/run-suite.mjs'),
    import('./lib/suites.mjs'),
  ]);
  const steps = isFull ? fullSuite() : testSuite();
  return runSuite(isFull ? 'full' : 'test', steps, process.argv.includes('--all'));
});
