/** Finds the source of an error, for which the contract has five words. */

import { createFixLoop } from 'argus-engine';
import { expect, test } from 'vitest';
import { detectErrorSource } from '../../src/fix/attempt/analyze-run.ts';

const fixLoop = createFixLoop({ rules: [], secrets: [] });

test.each([
  ['test', 'npx vitest run', 'FAIL src/a.test.ts > adds\nAssertionError: expected 1 to be 2'],
  ['test', 'pytest', 'E   KeyError: "tax"'],
  ['test', './check.sh', 'AssertionError: expected 1 to be 2'],
  ['build', 'npm run build', 'Error: Cannot find module "x"'],
  ['build', 'npx vitest run', 'src/a.ts(3,7): error TS2322: Type "string" is not assignable to type "number".'],
  ['build', './ci.sh', 'error[E0308]: mismatched types\n --> src/lib.rs:4:5'],
  ['build', './ci.sh', 'main.c:12:5: error: unknown type name "foo"'],
  ['k8s', 'kubectl apply -f deploy.yaml', 'error: unable to recognize "deploy.yaml"'],
  ['k8s', './deploy.sh', 'shop-6f9 0/1 CrashLoopBackOff 4 2m'],
  ['runtime', 'node server.js', 'TypeError: x is not a function\n    at main (server.js:3:1)'],
  ['runtime', null, 'TypeError: x is not a function'],
  ['logs', null, '2026-01-15 10:30:00,123 ERROR shop: no such user\n2026-01-15 10:30:01,001 WARNING retry'],
])('%s: %s', (source, command, text) => {
  const mode = command === null ? 'error' : 'command';
  const start = { mode, command, error: command === null ? text : null, desired: 'x', started: '-' } as const;
  const state = fixLoop.begin(start);
  const error = fixLoop.understand({ text, exit_code: command === null ? null : 1 });
  expect(detectErrorSource(error, state, '/nowhere')).toBe(source);
});
