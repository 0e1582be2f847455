/** Tests argus_init and argus_import: every field. errors.test.ts tests errors. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject } from '../harness.ts';
import { formatJunit, PASSED_REPORT } from '../runs/reports.ts';
import {
  ANY_NUMBER,
  CAUSE_ID,
  CONNECTION_REFUSED_FIX_ZH,
  createContractProject,
  NEW_CASE_VERDICT,
  RUN_ID,
} from './contract.ts';

test('argus_init describes the project and creates no file', async () => {
  const { root, open, importReport } = createContractProject();
  expect(await open()).toEqual({
    projectName: path.basename(root),
    configPath: null,
    historyEnabled: true,
    databasePath: path.join(root, '.argus', 'argus.db'),
    memory: 'new',
    memoryRoot: root,
    locale: 'zh',
    testCommand: null,
    runner: null,
    knownPatterns: 6,
    latestRunId: null,
  });
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
  const { runId } = await importReport('mixed.xml');
  expect(await open(), 'again is no error').toMatchObject({ memory: 'own', knownPatterns: 6, latestRunId: runId });
  expect(readFileSync(path.join(root, '.argus', '.gitignore'), 'utf8')).toBe('*\n');
});

test('argus_init reads the given configuration file', async () => {
  const config = 'locale: en\ntest: { command: npx vitest run }\nhistory: { database: db/a.db }\n';
  const { root, data } = createContractProject({ 'other.yaml': config });
  expect(await data('argus_init', { configFile: 'other.yaml' })).toMatchObject({
    configPath: path.join(root, 'other.yaml'),
    locale: 'en',
    testCommand: 'npx vitest run',
    runner: 'vitest',
    databasePath: path.join(root, 'db', 'a.db'),
  });
});

test('argus_import returns failures with known fixes and their causes', async () => {
  const { open, importReport } = createContractProject();
  await open();
  const cause = { causeId: CAUSE_ID, headline: expect.any(String), count: 1, verdict: NEW_CASE_VERDICT };
  expect(await importReport('mixed.xml')).toEqual({
    runId: RUN_ID,
    status: 'failed',
    durationMs: ANY_NUMBER,
    totals: { passed: 1, failed: 2, skipped: 1, flaky: 0 },
    failures: [
      {
        caseName: expect.stringContaining('health-check'),
        category: 'CONNECTION_REFUSED',
        failureKind: 'connection-refused',
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        headline: expect.stringContaining('ECONNREFUSED'),
        known: {
          patternId: 'builtin-conn-refused',
          confidence: 0.5,
          suggestedFix: CONNECTION_REFUSED_FIX_ZH,
          standing: 'a built-in tip, not yet tried here',
        },
      },
      {
        caseName: expect.stringContaining('parses'),
        category: 'UNKNOWN',
        failureKind: 'null-dereference',
        causeId: CAUSE_ID,
        verdict: NEW_CASE_VERDICT,
        headline: expect.stringContaining('Cannot read properties of undefined'),
        known: null,
      },
    ],
    more: 0,
    causes: [
      { ...cause, cases: [expect.stringContaining('health-check')] },
      { ...cause, cases: [expect.stringContaining('parses')] },
    ],
    notes: expect.any(Array),
    skipped: [],
  });
  expect(await importReport('passed.xml')).toMatchObject({ status: 'passed', failures: [] });
});

test('argus_import creates a single run from the files that match a glob, and accepts absolute paths', async () => {
  const reports = {
    'reports/a/one.xml': formatJunit([{ name: 'one' }], 'one'),
    'reports/two.xml': formatJunit([{ name: 'two' }], 'two'),
  };
  const { open, data, importReport } = createContractProject(reports);
  await open();
  expect(await importReport('reports/**/*.xml')).toMatchObject({ totals: { passed: 2, failed: 0 } });
  expect(await data('argus_history')).toMatchObject({ total: 1 });
  const outside = createProject({ 'report.xml': PASSED_REPORT });
  expect(await importReport(path.join(outside, 'report.xml'))).toMatchObject({ status: 'passed' });
});
