/** What Vitest's JSON reporter is told in place of what it would write; real runs: tests/e2e/runs. */

import { expect, test } from 'vitest';

const { tellingValues } = await import(String(new URL('../../src/run/reporters/vitest.mjs', import.meta.url)));

const STACK = 'TypeError: no key\n    at get (/srv/shop/src/cache.ts:30:33)';

test.each([
  ['1.6.1', STACK],
  ['4.1.12', 'no key'],
])('the message in Vitest %s', (version, told) => {
  const error = { name: 'TypeError', message: 'no key', stack: STACK };
  const seen: string[] = [];
  // As far as the versions differ: the first wrote messages, later ones write stacks.
  const json = {
    onFinished: (files: { result: { errors: { message: string }[] } }[]) =>
      void seen.push(...files.flatMap(({ result }) => result.errors.map(({ message }) => message))),
    writeReport: () => {},
  };
  tellingValues(json, { version, config: {} });
  json.onFinished([{ result: { errors: [error] } }]);
  expect(seen).toEqual([told]);
  expect(error).toEqual({ name: 'TypeError', message: 'no key', stack: STACK });
});
