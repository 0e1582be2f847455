/**
 * Tests keys of `argus.yaml` that change stored data and answers, and a disabled history.
 * packages/mcp/test/config/config.test.ts tests valid configurations, and commands.test.ts tests the configured test
 * command.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect, createProject } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit, MIXED_REPORT, PASSED_REPORT } from '../runs/reports.ts';

const createConfiguredProject = (config: string, files: Record<string, string>) =>
  openProject({ ...files, 'argus.yaml': config });

const importReport = (root: string, file: string) => agent.data('argus_import', { projectPath: root, path: file });

test('rules of classify.rules come before the built-in rules, and redact.patterns hide their matches', async () => {
  const root = await createConfiguredProject(
    `classify: { rules: [{ name: quota, category: HTTP_ERROR, pattern: 'quota exceeded' }] }
redact: { patterns: [{ name: badge, pattern: 'BADGE-(\\d+)' }] }
`,
    { 'a.xml': formatJunit([{ name: 'fails', failure: { message: 'TypeError: quota exceeded for BADGE-471199' } }]) },
  );
  const run = await importReport(root, 'a.xml');
  expect(run.failures).toMatchObject([{ category: 'HTTP_ERROR' }]);
  const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId: run.runId, caseName: 'fails' });
  expect(diagnosis.rule).toContain('quota');
  expect(JSON.stringify([run, diagnosis])).not.toContain('471199');
});

test('history.retention keeps the newest runs and every pattern', async () => {
  const files = { 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT };
  const root = await createConfiguredProject('history: { retention: { maxRuns: 2 } }\n', files);
  const first = await importReport(root, 'mixed.xml');
  const args = { projectPath: root, runId: first.runId, caseName: 'parses' };
  await agent.data('argus_report_fix', { ...args, fixDescription: 'Loaded the user first' });
  for (let run = 0; run < 3; run += 1) await importReport(root, 'passed.xml');
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 2 });
  expect((await agent.error('argus_diagnose', args)).code).toBe('RUN_NOT_FOUND');
  const { patterns } = await agent.data('argus_patterns', { projectPath: root, source: 'learned' });
  expect(patterns).toMatchObject([{ suggestedFix: 'Loaded the user first' }]);
});

test('with history.enabled false, no run is found and no id is completed', async () => {
  const own = await connect('2026-07-28');
  onTestFinished(() => own.close());
  const root = createProject({ 'mixed.xml': MIXED_REPORT });
  await own.data('argus_init', { projectPath: root });
  const { runId } = await own.data('argus_import', { projectPath: root, path: 'mixed.xml' });
  expect(await own.complete('argus://run/{id}', 'run-')).toEqual([runId]);
  writeFileSync(path.join(root, 'argus.yaml'), 'history: { enabled: false }\n');
  await own.data('argus_init', { projectPath: root });
  expect(await own.complete('argus://run/{id}', 'run-')).toEqual([]);
  await expect(own.read(`argus://run/${runId}`)).rejects.toThrow(/Not found in any open project/u);
});
