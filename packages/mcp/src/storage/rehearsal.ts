/**
 * Records a made-up failure into a memory that is thrown away. V8 compiles a function of the engine when it is first
 * called, which takes several times as long as the recording itself: while the tests run, nobody waits for that. Nor for
 * what Node loads when it is first asked for the time or to remove a folder.
 */

import { openEngine, type RecordRunParams, type ReportCase } from 'argus-engine';
import { temporaryFolder } from '../system/files/temporary.ts';
import { fitToLeave } from '../text/outgoing.ts';

const TOLD = { timedOut: false, reports: [], containers: [], notes: [] };
/** With frames below it, and alone: they are read in different ways. */
const ERRORS = [
  'AssertionError: expected 1 to be 2\n    at rehearsed (src/rehearsal.js:1:1)',
  'Error: it was rehearsed',
];
const CASE: Omit<ReportCase, 'error'> = { suite: [], name: 'rehearsed', status: 'failed', flaky: false, attempts: 1 };

/** What is read of a command that wrote no report, and of one that did. */
const REHEARSED: readonly RecordRunParams[] = ERRORS.flatMap((error) => [
  { ...TOLD, command: 'rehearsal', exitCode: 1, outputTail: error },
  { ...TOLD, command: 'rehearsal', exitCode: 1, cases: [{ ...CASE, error }] },
]);

let rehearsal: Promise<void> | undefined;

/** Once a process. */
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
