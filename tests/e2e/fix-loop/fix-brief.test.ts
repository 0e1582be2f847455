/**
 * The brief for a fixer: the failure, the project's own frames and what is not committed first, all of the contract's
 * questions, and no more than five kilobytes of it. What the questions find: fix-context.test.ts.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fixProblem, git, repository, stateOf } from './fix-loop.ts';

const SUM = 'export const sum = (a, b) => a + b;\nexport const total = (items) => items.map((item) => item.price);\n';
const noise = Array.from({ length: 300 }, (_, index) => `console.log('loading module ${index} of the shop');`).join(
  '\n',
);
const FILES = {
  'src/sum.mjs': SUM,
  'src/other.mjs': `${'// a long file\n'.repeat(80)}export const other = (list) => list.map(String);\n`,
  'test/sum.test.mjs': `import test from 'node:test';
import assert from 'node:assert';
import { sum, total } from '../src/sum.mjs';
${noise}
test('adds', () => { assert.equal(sum(1, 2), 3); });
test('totals', () => { assert.equal(total(undefined), 3); });
`,
};
const RUN = ['--command', 'node --test', '--desired', 'the tests pass', '--backoff', '0'];

test('begins with the failure, own frames and what is not committed; what is not known stands at its end', async () => {
  const root = repository(FILES);
  writeFileSync(path.join(root, 'src/sum.mjs'), SUM.replace('a + b', 'a - b'));
  writeFileSync(path.join(root, 'src/other.mjs'), 'x\n'.repeat(2_000));
  writeFileSync(path.join(root, '.env'), 'PLAIN=words\n');
  git(root, 'add', '-N', '.env');
  const { status, stdout } = await fixProblem(root, RUN);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^# Fix for attempt 2 of 5: Direct Fix\n\n## Failure\n\n- \*\*Headline\*\*: `AssertionError/u);
  expect(stdout).toContain('- **Source**: test\n');
  expect(stdout).toMatch(/- \*\*Own Frames\*\*: .*`src\/sum\.mjs:2 total`/u);
  const headings = [...stdout.matchAll(/^## (.*)$/gmu)].map(([, heading]) => heading);
  expect(headings).toEqual([...['Failure', 'Not Committed', 'Task', 'Context', 'Research', 'Rules', 'Not Known']]);
  expect(stdout).toContain('-export const sum = (a, b) => a + b;\n+export const sum = (a, b) => a - b;');
  expect(stdout, 'the message with its values').toMatch(/expected: 3\n\s*actual: -1/u);
  expect(stdout, 'a file that may hold secrets').not.toContain('PLAIN');

  const numbers = [...stdout.matchAll(/^(?:\*\*|- [\w ]+ Context: )(\d+)\. /gmu)].map(([, number]) => Number(number));
  expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  for (const layer of ['Error', 'Code', 'Environment', 'Historical']) expect(stdout).toContain(`${layer} Context`);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(5 * 1024);
  expect(stateOf(root)).toMatchObject({ host: { error_source: 'test' } });
});

test('the source is kept with the state, and shown, for an error that is given too', async () => {
  const root = repository(FILES);
  const log = '2026-01-15T10:30:00Z INFO started\n2026-01-15T10:30:01Z ERROR worker: KeyError: tax_class\n';
  const { stdout } = await fixProblem(root, [log, '--desired', 'no errors in the log']);
  expect(stdout).toContain('- **Source**: logs\n');
  expect(JSON.parse((await fixProblem(root, ['--resume', '--json'])).stdout)).toMatchObject({
    failure: { source: 'logs' },
  });
});

test('a command that fails without a word is told by its exit code', async () => {
  const { stdout } = await fixProblem(repository(FILES), ['--command', 'exit 4', '--desired', 'it ends well']);
  expect(stdout).toContain('- **Headline**: exit code 4, without an error text\n');
});

test('a program that is missing, with what would install it', async () => {
  const root = repository({
    'package.json': '{"scripts":{"test":"orchard-test"},"devDependencies":{"orchard-test":"^4"}}',
  });
  const { stdout } = await fixProblem(root, ['--command', 'npm test', '--desired', 'the tests pass']);
  expect(stdout).toContain("- **Missing**: orchard-test is not installed: run 'npm install'.\n");
});

test('a question that a shell does not print', async () => {
  const root = repository({ 'ask.sh': 'read -p "Your name: " name\n[ -n "$name" ]\n' });
  const { status, stdout } = await fixProblem(root, ['--command', 'bash ask.sh', '--desired', 'it goes on']);
  expect(status).toBe(4);
  expect(stdout).toContain('The command waits for an answer to a question that it did not print.');
  expect(stdout).toContain('Ended at a question that it did not print: ');
});
