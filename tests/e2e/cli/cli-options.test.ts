/** Options of the command line. Whole sessions: cli.test.ts. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../harness.ts';
import { ALL_PASSED, MIXED } from '../runs/reports.ts';

function argus(args: string[], input = '') {
  const options = { env: environment(), cwd: '/', encoding: 'utf8', input } as const;
  const { status, stdout } = spawnSync(process.execPath, [BUNDLE, ...args], options);
  return { status, stdout };
}

const data = (args: string[]) => JSON.parse(args.length === 0 ? '{}' : argus([...args, '--json']).stdout).data;

test('lists take limit, offset, days, status, category, source and order', () => {
  const root = project({ 'mixed.xml': MIXED, 'passed.xml': ALL_PASSED });
  const at = ['--project', root];
  for (const file of ['mixed.xml', 'passed.xml', 'mixed.xml']) argus(['import', file, '--format', 'junit', ...at]);
  expect(data(['history', '--limit', '1', '--offset', '1', ...at])).toMatchObject({
    runs: [{ status: 'passed' }],
    total: 3,
    hasMore: true,
  });
  expect(data(['history', '--status', 'failed', '--days', '1', ...at]).total).toBe(2);
  const [run] = data(['history', '--limit', '1', ...at]).runs;
  expect(data(['history', run.id, '--limit', '2', ...at])).toMatchObject({ total: 4, hasMore: true });
  data(['diagnose', run.id, 'health-check', ...at]);
  const sorted = data(['patterns', '--sort', 'occurrences', '--limit', '1', ...at]);
  expect(sorted).toMatchObject({ patterns: [{ id: 'builtin-conn-refused', occurrences: 1 }], hasMore: true });
  expect(data(['patterns', '--category', 'TIMEOUT', '--source', 'built-in', '--offset', '1', ...at])).toMatchObject({
    patterns: [],
    total: 1,
  });
});

test('another configuration, and a time limit', () => {
  const root = project({ 'mixed.xml': MIXED, 'off.yaml': 'history: { enabled: false }\n' });
  const off = argus(['import', 'mixed.xml', '--project', root, '--config', 'off.yaml', '--json']);
  expect(off.status).toBe(2);
  expect(JSON.parse(off.stdout)).toMatchObject({ error: { code: 'HISTORY_DISABLED' } });
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
  const late = argus(['run', '--project', root, '--timeout', '1', '--json', 'sleep 20']);
  expect(late.status).toBe(1);
  expect(JSON.parse(late.stdout).data).toMatchObject({ failures: [{ category: 'TIMEOUT' }] });
});

const TESTS = `import test from 'node:test';
test('adds', () => {});
test('is wrong', () => { throw new Error('1 + 1 is not 3'); });
`;

test('run --filter runs the tests of that name alone', () => {
  const root = project({
    'package.json': '{ "scripts": { "test": "node --test" } }',
    'sum.test.mjs': TESTS,
  });
  const at = ['--project', root];
  expect(data(['run', ...at])).toMatchObject({ status: 'failed', totals: { passed: 1, failed: 1 } });
  const adds = argus(['run', '--filter', 'adds', '--json', ...at]);
  expect(adds.status).toBe(0);
  expect(JSON.parse(adds.stdout).data).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 } });
  const wrong = argus(['run', '--filter', 'is wrong', ...at]);
  expect(wrong.status).toBe(1);
  expect(wrong.stdout).toMatch(/^run-\S+ {2}failed {2}0 passed, 1 failed/mu);
  const none = argus(['run', '--filter', 'x', '--json', ...at, 'make', 'check']);
  expect(none.status).toBe(2);
  expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

test('version', () => {
  expect(argus(['--version'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test('inspect --jsonl reads every fact and answers the fields in their order', () => {
  const lines = [
    { text: 'worker ended', exitCode: 137, oomKilled: true },
    { text: 'it failed', httpStatus: 503 },
    { text: 'it failed', containerStatus: 'CrashLoopBackOff' },
  ];
  const { stdout } = argus(['inspect', '--jsonl'], lines.map((line) => JSON.stringify(line)).join('\n'));
  const answers = stdout
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(answers.map(({ category }) => category)).toEqual(['CONTAINER_OOM', 'HTTP_ERROR', 'CONTAINER_CRASH']);
  const order = ['category', 'rule', 'evidence', 'redacted', 'normalized', 'signature', 'familySignature'];
  expect(Object.keys(answers[1] ?? {}).filter((key) => order.includes(key))).toEqual(order);
});
