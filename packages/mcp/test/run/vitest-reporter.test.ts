/** Tests what the reporter adds to the report of Vitest's JSON reporter. Tests with real runs are in tests/e2e/runs. */

import { expect, test } from 'vitest';

const { extendJsonReporter } = await import(String(new URL('../../src/run/reporters/vitest.mjs', import.meta.url)));

const STACK = 'TypeError: no key\n    at get (/srv/shop/src/cache.ts:30:33)';

test.each([
  [undefined, STACK],
  ['4.1.12', 'no key'],
])('adds stacks to the JSON only for Vitest before 2, which has no version: %s', (version, expected) => {
  const errors = [{ name: 'TypeError', message: 'no key', stack: STACK }];
  const written: string[] = [];
  // The format of Vitest before 2. Later versions write stacks.
  const json = {
    onFinished: (files: { result: { errors: { message: string }[] } }[]) => {
      const tests = files.map(({ result }) => ({ failureMessages: result.errors.map(({ message }) => message) }));
      json.writeReport(JSON.stringify({ testResults: tests.map((assertion) => ({ assertionResults: [assertion] })) }));
    },
    writeReport: (text: string) => void written.push(text),
  };
  extendJsonReporter(json, { version, config: {} });
  json.onFinished([{ result: { errors } }]);
  const report: { testResults: unknown } = JSON.parse(written[0] ?? '');
  expect(report.testResults).toEqual([{ assertionResults: [{ failureMessages: [expected] }] }]);
  expect(errors).toEqual([{ name: 'TypeError', message: 'no key', stack: STACK }]);
});

test.each([
  ['in the order of execution', ['b', 'a', 'c'], 'known', ['b', 'a']],
  ['in the order of the source if a start is unknown', ['b', 'c'], undefined, ['a', 'b']],
])('lists the tests of a file %s', (_, startedIds, expectedOrder, titles) => {
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
  extendJsonReporter(json, { version: '4.1.12', config: {} });
  json.onTaskUpdate(startedIds.map((id) => [id]));
  Reflect.apply(json.onTestRunEnd, json, [[{ task: { tasks } }]]);
  const report: Report = JSON.parse(written[0] ?? '');
  expect(report.executionOrder).toBe(expectedOrder);
  expect(report.testResults[0]?.assertionResults.map(({ title }) => title)).toEqual([...titles, 'skipped']);
});

interface Report {
  executionOrder?: string;
  testResults: { assertionResults: { title: string }[] }[];
}
