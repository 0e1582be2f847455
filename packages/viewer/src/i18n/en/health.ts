/** English texts of the page about the health of tests and fixes. */

import { plural } from './plural.ts';

export const health = {
  tests: 'Tests that need attention',
  caption: 'Tests that are not healthy: broken ones first, then flaky, order-bound and environment-bound ones',
  none: 'No test needs attention',
  noneText: 'A test that fails appears here with what the runs say of it; so far none is broken or flaky.',
  columns: {
    test: 'Test',
    state: 'State',
    flakeRate: 'Fails by chance',
    failures: 'Failures',
    evidence: 'Evidence',
    lastFailure: 'Last failure',
  },
  interval: (low: string, high: string) => `${low} to ${high}`,
  intervalExplain: 'How often it fails by chance, with its 90 % interval',
  failures: (failures: string, runs: string) => `${failures} of ${runs}`,
  after: 'after',
  where: 'where',
  overTime: 'Over time',
  unit: 'One point for each',
  units: { day: 'Day', run: 'Run' },
  flaky: 'Flaky outcomes per run',
  tooFew: 'Curves need two runs: record another.',
  slowest: 'Slowest tests',
  slowestNone: (least: string) => `No test has taken ${least} or more in 3 runs.`,
  slower: 'Slower than before',
  slowerNone: (least: string) =>
    `No test is slower by a quarter and by ${least} than in its runs before; 10 runs of a test are needed to say so.`,
  median: 'Median',
  before: 'Before',
  change: 'Change',
  medianOf: (count: number, shown: string) => `median of ${shown} ${plural(count, 'run', 'runs')}`,
  times: (factor: string) => `${factor} times`,
  durationRuns: (count: number, shown: string) =>
    `From passes at the first attempt in the newest ${plural(count, 'run', `${shown} runs`)}.`,
  fixes: 'Fixes and their proof',
  fixesNone: 'No fix is known yet',
  fixesNoneText:
    'A change after which a failure was gone appears here, and a fix that somebody reported, with how sure it is.',
  edited: 'edited, not committed',
  also: 'the same mend:',
  reported: 'reported:',
  shared: { own: 'made here, shared by the repository', foreign: 'foreign, shared by the repository' },
  fixesMore: (shown: string) => `and ${shown} more: argus fixes`,
  passes: (count: number, shown: string) => `${shown} ${plural(count, 'pass', 'passes')} since`,
  failedIn: 'last failed run',
  passedIn: 'first passed run',
  more: (count: string) => `and ${count} more`,
};
