/**
 * Tests how people refer to a failure, a run and a fix on the command line: by number, by part of a name, and by the
 * beginning of an id.
 */

import type { DiagnosticResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

const failedCase = (name: string, message: string) => ({ name, failure: { message } });
const createReport = (...cases: Parameters<typeof formatJunit>[0]) => formatJunit(cases, 'cart.test.js');

const STOCK_FAILURE = failedCase('stock knows the apples', 'connect ECONNREFUSED 127.0.0.1:5999');
const CART_FAILURES = ['cart is empty', 'cart has a guest'].map((name) =>
  failedCase(name, 'TypeError: no total of undefined'),
);
const PASSED_REPORT = createReport({ name: 'stock knows the apples' });

async function recordReports(...reports: string[]) {
  const files = Object.fromEntries(reports.map((text, at) => [`${at}.xml`, text]));
  const cwd = createProject(files);
  for (const file of Object.keys(files)) await argus(['import', file], { cwd });
  const answer = async (...args: string[]) => {
    const { stdout } = await argus([...args, '--json'], { cwd });
    return JSON.parse(stdout);
  };
  const { data } = await answer('history');
  const ids: string[] = data.runs.map(({ id }: { id: string }) => id);
  return { cwd, answer, ids };
}

/** Returns the last part of the name of the first case of a diagnosis, or the code of the error. */
const diagnosedCaseOrCode = ({ data, error }: { data?: DiagnosticResult; error?: { code: string } }) =>
  data?.cause.cases[0]?.split(' > ').at(-1) ?? error?.code;

test('a failure is selected by its number, by part of its name, or by default', async () => {
  const { answer, ids, cwd } = await recordReports(createReport(STOCK_FAILURE, ...CART_FAILURES), PASSED_REPORT);
  const [newest = '', failedRun = ''] = ids;
  const rows: [words: string[], named: string][] = [
    [[], 'cart is empty'],
    [['1'], 'cart is empty'],
    [['2'], 'stock knows the apples'],
    [['3'], 'CASE_NOT_FOUND'],
    [['GUEST'], 'cart has a guest'],
    [['@2'], 'cart is empty'],
    [['@2', '2'], 'stock knows the apples'],
    [[failedRun.slice(0, 17), 'apples'], 'stock knows the apples'],
    [['latest', '1'], 'CASE_NOT_FOUND'],
    [['no such test'], 'CASE_NOT_FOUND'],
    [[newest, 'apples'], 'CASE_NOT_FOUND'],
  ];
  for (const [words, named] of rows) {
    const answered = diagnosedCaseOrCode(await answer('diagnose', ...words));
    expect(answered, words.join(' ')).toBe(named);
  }
  // `argus import` and `argus run` print the same numbers.
  const { stdout } = await argus(['import', '0.xml'], { cwd });
  const numbered =
    /1x {2}connect ECONNREFUSED[\s\S]*argus diagnose 1\n[\s\S]*2x {2}TypeError[\s\S]*argus diagnose 2\n/u;
  expect(stdout).toMatch(numbered);
  expect(diagnosedCaseOrCode(await answer('diagnose', '1'))).toBe('stock knows the apples');
});

test('a repeated diagnosis by a person adds no occurrence, and each diagnosis by an agent adds one', async () => {
  const { answer, ids, cwd } = await recordReports(createReport(STOCK_FAILURE));
  const occurrences = async (...words: string[]) => (await answer('diagnose', ...words)).data.pattern.occurrences;
  expect(await occurrences()).toBe(1);
  expect(await occurrences('1')).toBe(1);
  await argus(['import', '0.xml'], { cwd });
  expect(await occurrences(), 'another run').toBe(2);
  expect(await occurrences(ids[0] ?? '', '1'), 'the first run again').toBe(2);
  const root = await openProject({ '0.xml': createReport(STOCK_FAILURE) });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: '0.xml' });
  const params = { projectPath: root, runId, caseName: 'stock knows the apples' };
  await agent.data('argus_diagnose', params);
  expect(await agent.data('argus_diagnose', params)).toMatchObject({ pattern: { occurrences: 2 } });
});

test('an agent selects a run by `latest` or the beginning of its id, and an ambiguous beginning lists the runs', async () => {
  const root = await openProject({ '0.xml': createReport(STOCK_FAILURE), '1.xml': createReport(...CART_FAILURES) });
  for (const path of ['0.xml', '1.xml']) await agent.data('argus_import', { projectPath: root, path });
  const of = (runId: string) => agent.data('argus_history', { projectPath: root, runId, limit: 1 });
  const { runs } = await agent.data('argus_history', { projectPath: root });
  const [newest = '', older = ''] = (runs as { id: string }[]).map(({ id }) => id);
  expect(await of('latest')).toMatchObject({ run: { id: newest } });
  expect(await of(older.slice(0, 30))).toMatchObject({ run: { id: older } });
  const ambiguous = await agent.error('argus_history', { projectPath: root, runId: 'run-0' });
  expect(ambiguous).toMatchObject({ code: 'RUN_NOT_FOUND', message: expect.stringContaining(older) });
  const part = await agent.error('argus_diagnose', { projectPath: root, runId: 'latest', caseName: 'guest' });
  expect(part.code, 'case names stay exact').toBe('CASE_NOT_FOUND');
});

test('a fix is reported and shown without ids', async () => {
  const { answer, cwd } = await recordReports(createReport(STOCK_FAILURE, ...CART_FAILURES));
  const { data } = await answer('report-fix', '2', 'Started the stock');
  expect(data.category).toBe('CONNECTION_REFUSED');
  const beginning = data.fixRecordId.slice(0, 17);
  expect((await argus(['fixes', beginning], { cwd })).stdout).toContain('| Started the stock');
  expect((await argus(['fixes', 'fix-none'], { cwd })).stderr).toContain("The fix 'fix-none' does not exist");
  expect((await argus(['tests', 'apples'], { cwd })).stdout).toContain('stock knows the apples');
  expect((await argus(['tests', 'cart'], { cwd })).stderr).toContain("'cart' is part of several names");
});
