/** argus_init and argus_import: every field. Errors: errors.test.ts. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../harness.ts';
import { ALL_PASSED, junit } from '../runs/reports.ts';
import { CAUSE_ID, contract, NEW_CASE, NUMBER, REFUSED_FIX_ZH, RUN_ID } from './contract.ts';

test('argus_init describes the project and creates nothing', async () => {
  const { root, open, importReport } = contract();
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
  const { root, data } = contract({ 'other.yaml': config });
  expect(await data('argus_init', { configFile: 'other.yaml' })).toMatchObject({
    configPath: path.join(root, 'other.yaml'),
    locale: 'en',
    testCommand: 'npx vitest run',
    runner: 'vitest',
    databasePath: path.join(root, 'db', 'a.db'),
  });
});

test('argus_import answers failures with known fixes and their causes', async () => {
  const { open, importReport } = contract();
  await open();
  const cause = { causeId: CAUSE_ID, headline: expect.any(String), count: 1, verdict: NEW_CASE };
  expect(await importReport('mixed.xml')).toEqual({
    runId: RUN_ID,
    status: 'failed',
    durationMs: NUMBER,
    totals: { passed: 1, failed: 2, skipped: 1, flaky: 0 },
    failures: [
      {
        caseName: expect.stringContaining('health-check'),
        category: 'CONNECTION_REFUSED',
        failureKind: 'connection-refused',
        causeId: CAUSE_ID,
        verdict: NEW_CASE,
        headline: expect.stringContaining('ECONNREFUSED'),
        known: {
          patternId: 'builtin-conn-refused',
          confidence: 0.5,
          suggestedFix: REFUSED_FIX_ZH,
          standing: 'a built-in tip, not yet tried here',
        },
      },
      {
        caseName: expect.stringContaining('parses'),
        category: 'UNKNOWN',
        failureKind: 'null-dereference',
        causeId: CAUSE_ID,
        verdict: NEW_CASE,
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

test('argus_import makes a single run of the files that match a glob, and accepts absolute paths', async () => {
  const reports = {
    'reports/a/one.xml': junit([{ name: 'one' }], 'one'),
    'reports/two.xml': junit([{ name: 'two' }], 'two'),
  };
  const { open, data, importReport } = contract(reports);
  await open();
  expect(await importReport('reports/**/*.xml')).toMatchObject({ totals: { passed: 2, failed: 0 } });
  expect(await data('argus_history')).toMatchObject({ total: 1 });
  const outside = project({ 'report.xml': ALL_PASSED });
  expect(await importReport(path.join(outside, 'report.xml'))).toMatchObject({ status: 'passed' });
});
