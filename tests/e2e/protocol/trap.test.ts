/**
 * A trap of the wasm engine in a running server: the call returns INTERNAL_ERROR, the next call on the same server
 * works, and no stored data is lost. tests/faults/trap.test.ts tests a trap at every write.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { _trapAtWrite } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { connect, createProject } from '../harness.ts';
import { MIXED_REPORT } from '../runs/reports.ts';

// Takes over 5 s, because the engine is compiled again after a trap.
test('a trapped call is undone, and the next call on the same server works', async () => {
  const logs = createProject();
  const agent = await connect('2026-07-28', { ARGUS_LOG_DIR: logs });
  onTestFinished(() => agent.close());
  const root = createProject({ 'mixed.xml': MIXED_REPORT });
  await agent.data('argus_init', { projectPath: root });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
  const failure = { projectPath: root, runId, caseName: 'parses' };
  await agent.data('argus_report_fix', { ...failure, fixDescription: 'Loaded the user first' });

  _trapAtWrite(2);
  const { code, message } = await agent.error('argus_import', { projectPath: root, path: 'mixed.xml' });
  expect(code).toBe('INTERNAL_ERROR');
  const reference = /reference (err-\w+).*you can repeat the call/u.exec(message)?.[1] ?? 'a reference';
  expect(readFileSync(path.join(logs, 'argus.log'), 'utf8')).toContain(reference);
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 1, runs: [{ id: runId }] });
  expect(await agent.data('argus_diagnose', failure)).toMatchObject({ suggestedFix: 'Loaded the user first' });
  expect(await agent.data('argus_run', { projectPath: root, command: 'echo hello' })).toMatchObject({ notes: [] });
});
