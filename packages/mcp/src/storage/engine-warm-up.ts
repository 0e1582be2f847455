/**
 * Records a made-up failure in a temporary in-memory engine while the tests run. V8 compiles each function of the
 * engine when it is called first, which takes several times as long as recording a run, so the real recording is faster
 * afterwards. This also loads the parts of Node that read the clock and remove folders.
 */

import { openEngine, type RecordRunParams, type ReportCase } from 'argus-engine';
import { createTemporaryFolder } from '../system/files/temporary.ts';
import { sanitize } from '../text/sanitize.ts';

const BASE_RUN = { timedOut: false, reports: [], containers: [], notes: [] };
/** An error with stack frames and an error without, because different code parses them. */
const SAMPLE_ERRORS = [
  'AssertionError: expected 1 to be 2\n    at rehearsed (src/rehearsal.js:1:1)',
  'Error: it was rehearsed',
];
const SAMPLE_CASE: Omit<ReportCase, 'error'> = {
  suite: [],
  name: 'rehearsed',
  status: 'failed',
  flaky: false,
  attempts: 1,
};

/** A run without a report and a run with a report for each error. */
const SAMPLE_RUNS: readonly RecordRunParams[] = SAMPLE_ERRORS.flatMap((error) => [
  { ...BASE_RUN, command: 'rehearsal', exitCode: 1, outputTail: error },
  { ...BASE_RUN, command: 'rehearsal', exitCode: 1, cases: [{ ...SAMPLE_CASE, error }] },
]);

let rehearsal: Promise<void> | undefined;

/** Runs only once per process. */
export function warmUpEngine(): Promise<void> {
  rehearsal ??= recordSampleRuns();
  return rehearsal;
}

async function recordSampleRuns(): Promise<void> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/' });
  try {
    for (const run of SAMPLE_RUNS) await engine.recordRun(run);
    for (const error of SAMPLE_ERRORS) sanitize(error);
    createTemporaryFolder('rehearsal').remove();
    performance.now();
  } finally {
    await engine.close();
  }
}
