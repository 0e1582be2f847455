/** Tests argus_run: every field, progress and cancellation. tests/runners tests the test runners. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  ANY_NUMBER,
  agent,
  CAUSE_ID,
  CONNECTION_REFUSED_FIX_ZH,
  createContractProject,
  INSTANT,
  NEW_CASE_VERDICT,
  RUN_ID,
} from './contract.ts';

test('argus_run returns the failures of a failed command and records the run', async () => {
  const { open, data } = createContractProject();
  await open();
  const command = 'echo connect ECONNREFUSED 127.0.0.1:5432; exit 3';
  const headline = 'connect ECONNREFUSED 127.0.0.1:5432';
  const run = await data('argus_run', { command, timeoutSeconds: 60 });
  expect(run).toEqual({
    runId: RUN_ID,
    status: 'failed',
    durationMs: ANY_NUMBER,
    totals: { passed: 0, failed: 1, skipped: 0, flaky: 0 },
    failures: [
      {
        caseName: command,
        category: 'CONNECTION_REFUSED',
        failureKind: 'connection-refused',
        headline,
        exitCode: 3,
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        known: {
          patternId: 'builtin-conn-refused',
          confidence: 0.5,
          suggestedFix: CONNECTION_REFUSED_FIX_ZH,
          standing: 'a built-in tip, not yet tried here',
        },
      },
    ],
    more: 0,
    causes: [{ causeId: CAUSE_ID, headline, count: 1, cases: [command], verdict: NEW_CASE_VERDICT }],
    notes: ['Nothing accepts connections at 127.0.0.1:5432: start the service, then run again.'],
  });
  const { runs } = await data('argus_history');
  expect(runs).toMatchObject([{ id: run.runId, timestamp: INSTANT, command, durationMs: run.durationMs }]);
  const totals = { passed: 1, failed: 0 };
  expect(await data('argus_run', { command: 'exit 0' })).toMatchObject({ status: 'passed', totals, failures: [] });
});

test.skipIf(process.platform === 'win32')(
  'argus_run reports progress; cancelling it ends the command and records no pass',
  async () => {
    const { root, open, data } = createContractProject();
    await open();
    // The command keeps the pipe open, so the end of the pipe shows that the command has ended.
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    const alive = createReadStream(path.join(root, 'pipe')).resume();
    const gone = once(alive, 'end');
    const heard: string[] = [];
    const abort = new AbortController();
    const call = agent.call(
      'argus_run',
      { projectPath: root, command: 'exec 9> pipe; echo started; sleep 600; true' },
      {
        signal: abort.signal,
        onprogress: ({ message = '' }) => {
          heard.push(message);
          if (message.includes('started')) abort.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(heard.at(-1)).toMatch(/^\d+ s {2}started$/u);
    await gone;
    await expect.poll(() => data('argus_history')).toMatchObject({ total: 1, runs: [{ status: 'failed' }] });
  },
);
