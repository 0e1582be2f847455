/**
 * Records a made-up failure into a memory that is thrown away. V8 compiles a function of the engine when it is first
 * called, which takes several times as long as the recording itself: while the tests run, nobody waits for that.
 */

import { openEngine, type RecordRunParams, type ReportCase } from 'argus-engine';

const TOLD = { timedOut: false, reports: [], containers: [], notes: [] };
const ERROR = 'AssertionError: expected 1 to be 2\n    at rehearsed (src/rehearsal.js:1:1)';
const CASE: ReportCase = { suite: [], name: 'rehearsed', status: 'failed', flaky: false, attempts: 1, error: ERROR };

/** What is read of a command that wrote no report, and of one that did. */
const REHEARSED: readonly RecordRunParams[] = [
  { ...TOLD, command: 'rehearsal', exitCode: 1, outputTail: ERROR },
  { ...TOLD, command: 'rehearsal', exitCode: 1, cases: [CASE] },
];

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
  } finally {
    await engine.close();
  }
}
