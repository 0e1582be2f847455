/** Tests argus_history: runs, pages and the cases of a run. errors.test.ts tests errors. */

import { expect, test } from 'vitest';
import { ANY_NUMBER, CAUSE_ID, createContractProject, INSTANT, NEW_CASE_VERDICT, SHA256 } from './contract.ts';

test('argus_history lists runs, newest first, in pages and by status', async () => {
  const { open, data, importReport } = createContractProject();
  await open();
  expect(await data('argus_history')).toEqual({ runs: [], total: 0, hasMore: false });
  const first = await importReport('mixed.xml');
  const second = await importReport('passed.xml');
  const record = {
    id: second.runId,
    timestamp: INSTANT,
    gitCommit: null,
    gitBranch: null,
    dirty: null,
    command: null,
    durationMs: ANY_NUMBER,
    passed: 2,
    failed: 0,
    skipped: 0,
    flaky: 0,
    status: 'passed',
  };
  const older = expect.objectContaining({ id: first.runId, status: 'failed' });
  expect(await data('argus_history')).toEqual({ runs: [record, older], total: 2, hasMore: false });
  expect(await data('argus_history', { limit: 1 })).toEqual({ runs: [record], total: 2, hasMore: true });
  expect(await data('argus_history', { limit: 1, offset: 1 })).toEqual({ runs: [older], total: 2, hasMore: false });
  const failed = await data('argus_history', { status: 'failed', days: 7 });
  expect(failed).toEqual({ runs: [older], total: 1, hasMore: false });
});

test('argus_history of a run lists its cases in pages', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, refused } = await failedRun();
  const detail = await data('argus_history', { runId });
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
    verdict: NEW_CASE_VERDICT,
    causeId: CAUSE_ID,
  });
  expect(await data('argus_history', { runId, limit: 1, offset: 1 })).toMatchObject({ total: 4, hasMore: true });
});
