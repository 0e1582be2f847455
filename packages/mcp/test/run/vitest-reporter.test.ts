/** The additions to the report of Vitest's JSON reporter. Real runs are in tests/e2e/runs. */

import { expect, test } from 'vitest';

const { tellingValues } = await import(String(new URL('../../src/run/reporters/vitest.mjs', import.meta.url)));

const STACK = 'TypeError: no key\n    at get (/srv/shop/src/cache.ts:30:33)';

test.each([
  [undefined, STACK],
  ['4.1.12', 'no key'],
])('adds stacks to the JSON only before Vitest 2, which has no version: %s', (version, told) => {
  const errors = [{ name: 'TypeError', message: 'no key', stack: STACK }];
  const written: string[] = [];
  // The format of the first version. Later versions write stacks.
  const json = {
    onFinished: (files: { result: { errors: { message: string }[] } }[]) => {
      const tests = files.map(({ result }) => ({ failureMessages: result.errors.map(({ message }) => message) }));
      json.writeReport(JSON.stringify({ testResults: tests.map((one) => ({ assertionResults: [one] })) }));
    },
    writeReport: (text: string) => void written.push(text),
  };
  tellingValues(json, { version, config: {} });
  json.onFinished([{ result: { errors } }]);
  const report: { testResults: unknown } = JSON.parse(written[0] ?? '');
  expect(report.testResults).toEqual([{ assertionResults: [{ failureMessages: [told] }] }]);
  expect(errors).toEqual([{ name: 'TypeError', message: 'no key', stack: STACK }]);
});

test.each([
  ['as they ran', ['b', 'a', 'c'], 'known', ['b', 'a']],
  ['as in the source, where not all are known', ['b', 'c'], undefined, ['a', 'b']],
])('lists the tests of a file %s', (_, begun, known, titles) => {
  const tasks = ['a', 'b', 'skipped'].map((id) => ({
    id,
    result: { state: id === 'skipped' ? 'skip' : 'pass' },
    errors: [],
  }));
  const written: string[] = [];
  const json = {
    onTestRunEnd: () => {
      const assertionResults = tasks.map(({ id }) => ({ title: id }));
      json.writeReport(JSON.stringify({ testResults: [{ assertionResults }] }));
    },
    writeReport: (text: string) => void written.push(text),
    onTaskUpdate: (_packs: [string][]) => {},
  };
  tellingValues(json, { version: '4.1.12', config: {} });
  json.onTaskUpdate(begun.map((id) => [id]));
  Reflect.apply(json.onTestRunEnd, json, [[{ task: { tasks } }]]);
  const report: Report = JSON.parse(written[0] ?? '');
  expect(report.executionOrder).toBe(known);
  expect(report.testResults[0]?.assertionResults.map(({ title }) => title)).toEqual([...titles, 'skipped']);
});

interface Report {
  executionOrder?: string;
  testResults: { assertionResults: { title: string }[] }[];
}
