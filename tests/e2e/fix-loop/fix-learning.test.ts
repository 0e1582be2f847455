/** What a loop leaves in the memory of failures: its attempts as runs, and each fix with the case that it was for. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../argus.ts';
import { fixProblem, repository, stateOf } from './fix-loop.ts';

const test_ = (name: string, check: string) =>
  `require('node:test').test('${name}', () => require('node:assert/strict').equal(${check}));\n`;
const PROJECT = {
  'package.json': '{ "name": "sums", "scripts": { "test": "node --test" } }\n',
  'sum.js': 'exports.add = (a, b) => a - b;\nexports.double = (a) => a * 3;\n',
  'add.test.js': test_('adds two', "require('./sum.js').add(2, 3), 5"),
};
const GOOD_ADD = 'exports.add = (a, b) => a + b;\nexports.double = (a) => a * 3;\n';
const GOOD = GOOD_ADD.replace('a * 3', 'a * 2');
const LOOP = ['--command', 'npm test', '--desired', 'green', '--backoff', '0'];

const answers = z.object({
  runs: z.array(z.object({ status: z.string(), passed: z.number(), failed: z.number() })),
  runId: z.string(),
  failures: z.array(z.object({ caseName: z.string() })),
  suggestedFix: z.string(),
  standing: z.string().nullable(),
});

async function ask<Key extends keyof z.infer<typeof answers>>(root: string, args: string[], ...keys: Key[]) {
  const { stdout, stderr } = await argus([...args, '--project', root, '--json'], { cwd: root });
  const { data } = z.object({ data: answers.partial() }).parse(JSON.parse(stdout || stderr));
  for (const key of keys) expect(data, `${args.join(' ')}: ${key}`).toHaveProperty(key);
  return data as Pick<z.infer<typeof answers>, Key>;
}

function write(root: string, file: string, text: string): void {
  writeFileSync(path.join(root, file), text);
}

async function diagnosed(root: string, caseName: string, command = 'npm test') {
  const { runId, failures } = await ask(root, ['run', command], 'runId', 'failures');
  const failure = failures.find((one) => one.caseName.includes(caseName));
  expect(failure, caseName).toBeDefined();
  return ask(root, ['diagnose', runId, failure?.caseName ?? ''], 'suggestedFix', 'standing');
}

test('its attempts are runs, and its fix is that of the case, proved', async () => {
  const root = repository(PROJECT);
  expect((await fixProblem(root, LOOP)).status).toBe(3);
  write(root, 'sum.js', GOOD_ADD);
  expect((await fixProblem(root, ['--resume', '--fix', 'Add instead of subtracting'])).status).toBe(0);
  const { runs } = await ask(root, ['history'], 'runs');
  expect(runs).toMatchObject([
    { status: 'passed', passed: 1, failed: 0 },
    { status: 'failed', passed: 0, failed: 1 },
  ]);

  write(root, 'sum.js', `\n\n\n${PROJECT['sum.js']}`);
  const { suggestedFix, standing } = await diagnosed(root, 'adds two');
  expect(suggestedFix).toContain('Add instead of subtracting');
  expect(standing).toContain('fixed 1 of 1 time');
});

test('of two causes each fix is kept with the one that it took away', async () => {
  const root = repository({
    ...PROJECT,
    'double.test.js': test_('doubles', "require('./sum.js').double(4), 8"),
  });
  expect((await fixProblem(root, LOOP)).status).toBe(3);
  write(root, 'sum.js', GOOD_ADD);
  expect((await fixProblem(root, ['--resume', '--fix', 'Add instead of subtracting'])).status).toBe(3);
  write(root, 'sum.js', GOOD);
  expect((await fixProblem(root, ['--resume', '--fix', 'Double is times two'])).status).toBe(0);

  write(root, 'sum.js', PROJECT['sum.js']);
  expect((await diagnosed(root, 'adds two')).suggestedFix).toContain('Add instead of subtracting');
  expect((await diagnosed(root, 'doubles')).suggestedFix).toContain('Double is times two');
});

test('a runner that others stand in for is the same runner in a loop', async () => {
  const sums = (sign: string) => `def add(a, b):\n    return a ${sign} b\n`;
  const root = repository({
    'sums.py': sums('-'),
    'test_sums.py':
      'import unittest\n\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(2, 3), 5)\n',
  });
  const command = 'python3 -m unittest';
  expect((await fixProblem(root, ['--command', command, '--desired', 'green', '--backoff', '0'])).status).toBe(3);
  write(root, 'sums.py', sums('+'));
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);

  write(root, 'sums.py', sums('-'));
  const { suggestedFix, standing } = await diagnosed(root, 'test_adds', command);
  expect(suggestedFix).toBe('Changed sums.py: modified (+1 -1)\n-    return a - b\n+    return a + b');
  expect(standing).toContain('fixed 1 of 1 time');
});

test('what only a person accepted is said with the fix, and is no more than claimed', async () => {
  const root = repository(PROJECT);
  await fixProblem(root, LOOP);
  write(root, 'add.test.js', PROJECT['add.test.js'].replace('.test(', '.test.skip('));
  expect((await fixProblem(root, ['--resume', '--fix', 'Left out'])).status).toBe(1);
  expect(stateOf(root).status).toBe('suspicious');
  expect((await fixProblem(root, ['--resume', '--accept', 'it was wrong'])).status).toBe(0);
  expect((await ask(root, ['history'], 'runs')).runs).toMatchObject([{ status: 'failed' }]);

  write(root, 'add.test.js', PROJECT['add.test.js']);
  const { suggestedFix } = await diagnosed(root, 'adds two');
  expect(suggestedFix).toContain('A person accepted it although the tests are weaker: add.test.js:1');
});

test('a command that refuses to be listened to runs as it was typed', async () => {
  const refuses = [
    'case "$NODE_OPTIONS" in',
    '  *--require*) echo "sealed: $NODE_OPTIONS is not allowed in NODE_OPTIONS"; exit 9 ;;',
    'esac',
    'echo all is well',
  ];
  const root = repository({ 'sealed.sh': `${refuses.join('\n')}\n` });
  const { status, stdout } = await fixProblem(root, ['--command', 'sh sealed.sh', '--desired', 'all is well']);
  expect(status).toBe(0);
  expect(stateOf(root).attempts).toMatchObject([{ exit_code: 0 }]);
  expect(stdout).toContain('did not take what Argus adds for a report');
});
