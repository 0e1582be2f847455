/** What Vitest's JSON reporter is told in place of what it would write; real runs: tests/e2e/runs. */

import { expect, test } from 'vitest';

const { tellingValues } = await import(String(new URL('../../src/run/reporters/vitest.mjs', import.meta.url)));

const STACK = 'TypeError: no key\n    at get (/srv/shop/src/cache.ts:30:33)';

test.each([
  [undefined, STACK],
  ['4.1.12', 'no key'],
])('what the JSON of Vitest %s says of an error, which before 2 names no version', (version, told) => {
  const errors = [{ name: 'TypeError', message: 'no key', stack: STACK }];
  const written: string[] = [];
  // As the first version writes it; later ones write stacks.
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
