/** argus_run: every field, progress and cancelling. Test runners: runners.test.ts. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../harness.ts';
import { CAUSE_ID, contract, INSTANT, NEW_CASE, NUMBER, REFUSED_FIX_ZH, RUN_ID } from './contract.ts';

describe.each(ERAS)('%s', (era) => {
  const at = contract(era);
  const { open } = at;

  test('argus_run', async () => {
    const { agent, root } = at;
    await open();
    const command = 'echo connect ECONNREFUSED 127.0.0.1:5432; exit 3';
    const run = await agent.data('argus_run', { projectPath: root, command, timeoutSeconds: 60 });
    expect(run).toEqual({
      runId: RUN_ID,
      status: 'failed',
      durationMs: NUMBER,
      totals: { passed: 0, failed: 1, skipped: 0, flaky: 0 },
      failures: [
        {
          caseName: command,
          category: 'CONNECTION_REFUSED',
          failureKind: 'connection-refused',
          headline: 'connect ECONNREFUSED 127.0.0.1:5432',
          exitCode: 3,
          causeId: CAUSE_ID,
          known: {
            patternId: 'builtin-conn-refused',
            confidence: 0.5,
            suggestedFix: REFUSED_FIX_ZH,
            standing: 'a built-in tip, not yet tried here',
          },
        },
      ],
      more: 0,
      causes: [
        {
          causeId: CAUSE_ID,
          headline: 'connect ECONNREFUSED 127.0.0.1:5432',
          count: 1,
          cases: [command],
          verdict: NEW_CASE,
        },
      ],
      notes: [],
    });
    const { runs } = await agent.data('argus_history', { projectPath: root });
    expect(runs).toMatchObject([{ id: run.runId, timestamp: INSTANT, command, durationMs: run.durationMs }]);
    expect(await agent.data('argus_run', { projectPath: root, command: 'exit 0' })).toMatchObject({
      status: 'passed',
      totals: { passed: 1, failed: 0 },
      failures: [],
    });
  });

  test('progress and cancelling', async () => {
    const { agent, root } = at;
    await open();
    const heard: string[] = [];
    const abort = new AbortController();
    const call = agent.call(
      'argus_run',
      { projectPath: root, command: 'touch beats; echo started; while :; do echo beat >> beats; sleep 0.1; done' },
      {
        signal: abort.signal,
        onprogress: ({ message = '' }) => {
          heard.push(message);
          // A busy machine may not have begun within the first second.
          if (message.includes('started')) abort.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(heard.at(-1)).toMatch(/^\d+ s {2}started$/u);
    await atRest(path.join(root, 'beats'));
    const history = await agent.data('argus_history', { projectPath: root });
    expect(history, 'nothing was recorded').toMatchObject({ total: 0 });
  });
});

/** Once whatever writes to the file has been ended; a test has its own limit. */
async function atRest(file: string): Promise<void> {
  for (let size = -1; size !== statSync(file).size; await sleep(1_000)) size = statSync(file).size;
}
