/** argus_history: runs, pages and the cases of one run. Errors: errors.test.ts. */

import { describe, expect, test } from 'vitest';
import { ERAS } from '../harness.ts';
import { CAUSE_ID, contract, INSTANT, NEW_CASE, NUMBER, SHA256 } from './contract.ts';

describe.each(ERAS)('%s', (era) => {
  const at = contract(era);
  const { open, importReport, failedRun } = at;

  test('argus_history', async () => {
    const { agent, root } = at;
    await open();
    expect(await agent.data('argus_history', { projectPath: root })).toEqual({ runs: [], total: 0, hasMore: false });
    const first = await importReport('mixed.xml');
    const second = await importReport('passed.xml');
    const record = {
      id: second.runId,
      timestamp: INSTANT,
      gitCommit: null,
      gitBranch: null,
      dirty: null,
      command: null,
      durationMs: NUMBER,
      passed: 2,
      failed: 0,
      skipped: 0,
      flaky: 0,
      status: 'passed',
    };
    const all = await agent.data('argus_history', { projectPath: root });
    expect(all).toEqual({ runs: [record, expect.objectContaining({ id: first.runId })], total: 2, hasMore: false });
    const page = await agent.data('argus_history', { projectPath: root, limit: 1 });
    expect(page).toEqual({ runs: [record], total: 2, hasMore: true });
    const rest = await agent.data('argus_history', { projectPath: root, limit: 1, offset: 1 });
    expect(rest).toMatchObject({ runs: [{ id: first.runId }], hasMore: false });
    const failed = await agent.data('argus_history', { projectPath: root, status: 'failed', days: 7 });
    expect(failed).toMatchObject({ runs: [{ id: first.runId, status: 'failed' }], total: 1 });
  });

  test('argus_history of one run', async () => {
    const { agent, root } = at;
    const { runId, refused } = await failedRun();
    const detail = await agent.data('argus_history', { projectPath: root, runId });
    expect(detail).toMatchObject({ run: { id: runId, passed: 1, failed: 2, skipped: 1 }, total: 4, hasMore: false });
    expect(detail.cases).toHaveLength(4);
    expect(detail.cases).toContainEqual({
      caseName: refused,
      status: 'failed',
      flaky: false,
      runnerStatus: null,
      durationMs: 100,
      attempts: 1,
      category: 'CONNECTION_REFUSED',
      headline: expect.stringContaining('ECONNREFUSED'),
      error: expect.stringContaining('ECONNREFUSED'),
      signature: SHA256,
      verdict: NEW_CASE,
      causeId: CAUSE_ID,
    });
    const page = await agent.data('argus_history', { projectPath: root, runId, limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 4, hasMore: true });
  });
});
