/**
 * Records a made-up failure in a temporary in-memory engine while the tests run. V8 compiles each function of the
 * engine on its first call, which takes several times as long as the recording itself, so the real recording is faster
 * afterwards. It also loads the parts of Node that read the clock and remove folders.
 */

import { openEngine, type RecordRunParams, type ReportCase } from 'argus-engine';
import { temporaryFolder } from '../system/files/temporary.ts';
import { fitToLeave } from '../text/outgoing.ts';

const TOLD = { timedOut: false, reports: [], containers: [], notes: [] };
/** An error with stack frames and an error without, because different code parses them. */
const ERRORS = [
  'AssertionError: expected 1 to be 2\n    at rehearsed (src/rehearsal.js:1:1)',
  'Error: it was rehearsed',
];
const CASE: Omit<ReportCase, 'error'> = { suite: [], name: 'rehearsed', status: 'failed', flaky: false, attempts: 1 };

/** For each error, a run without a report and a run with a report. */
const REHEARSED: readonly RecordRunParams[] = ERRORS.flatMap((error) => [
  { ...TOLD, command: 'rehearsal', exitCode: 1, outputTail: error },
  { ...TOLD, command: 'rehearsal', exitCode: 1, cases: [{ ...CASE, error }] },
]);

let rehearsal: Promise<void> | undefined;

/** Runs once per process. */
export function rehearseRecording(): Promise<void> {
  rehearsal ??= rehearse();
  return rehearsal;
}

async function rehearse(): Promise<void> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/' });
  try {
    for (const run of REHEARSED) await engine.recordRun(run);
    for (const error of ERRORS) fitToLeave(error);
    temporaryFolder('rehearsal').remove();
    performance.now();
  } finally {
    await engine.close();
  }
}
