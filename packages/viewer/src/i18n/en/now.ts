/** English texts of the start page. */

import { plural } from './plural.ts';

export const now = {
  failed: (what: string) => `The newest run failed: ${what}`,
  failedWhole: 'The newest run failed, and no test says why',
  passed: 'The newest run passed',
  openRun: 'Open the run',
  calm: 'Nothing else is open',
  calmText: 'No test is known to be broken or flaky, and no fix waits for its proof.',
  nothing: 'Nothing is recorded yet',
  nothingText:
    'Run the tests through Argus once: what fails, why, and what mended it before then stands here. In the project’s folder:',
  foreign: 'No run of this copy is recorded',
  foreignText:
    'The recorded ones are of forks or other copies, which say nothing of this one. In the project’s folder:',
  elsewhere: 'Other tests that need attention',
  toHealth: 'All of them, and how runs went over time',
  claims: 'Claimed fixes that no run has proved',
  passes: (passes: string, needed: string) =>
    `${passes} of ${needed} needed ${plural(Number(needed), 'pass', 'passes')}`,
  fixes: 'Changes that may have been a fix',
};
