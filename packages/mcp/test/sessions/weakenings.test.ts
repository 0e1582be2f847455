/** A commit is named as the fix of a failure only if it does not weaken the test. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PreviousFix } from 'argus-engine';
import { expect, test } from 'vitest';
import { checkPreviousFix } from '../../src/sessions/weakenings.ts';
import { createProject } from '../project.ts';

const TEST_PATH = 'test/cart.test.js';
const CASE_NAME = `${TEST_PATH} > adds up`;
const ORIGINAL_FILES: Readonly<Record<string, string>> = {
  'src/cart.js': 'export const sum = (a, b) => a - b;\n',
  [TEST_PATH]: `import { expect, test } from 'vitest';
import { sum } from '../src/cart.js';
test('adds up', () => {
  expect(sum(1, 2)).toBe(3);
});
test('is there', () => {
  expect(sum).toBeDefined();
});
`,
};

/** Commits these changes. Returns the commit and its repository. */
function commitChanges(changes: Readonly<Record<string, (text: string) => string>>) {
  const root = createProject();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const writeTestFile = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  const commit = () => {
    git('add', '-A');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'change');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  for (const [name, text] of Object.entries(ORIGINAL_FILES)) writeTestFile(name, text);
  const first = commit();
  for (const [name, change] of Object.entries(changes)) writeTestFile(name, change(ORIGINAL_FILES[name] ?? ''));
  return { root, commit: Object.keys(changes).length === 0 ? first : commit() };
}

const repairSum = (text: string) => text.replace('a - b', 'a + b');

test.each<[string, Parameters<typeof commitChanges>[0], boolean]>([
  ['repairs the source', { 'src/cart.js': repairSum }, true],
  ['changes the expectation', { [TEST_PATH]: (text) => text.replace('toBe(3)', 'toBe(-1)') }, false],
  [
    'repairs the source and skips the test',
    { 'src/cart.js': repairSum, [TEST_PATH]: (text) => text.replace("test('adds", "test.skip('adds") },
    false,
  ],
  [
    'repairs the source and adds a test',
    { 'src/cart.js': repairSum, [TEST_PATH]: (text) => `${text}test('more', () => {});\n` },
    true,
  ],
])('a commit that %s is named: %s', async (_, changes, isNamed) => {
  const { root, commit } = commitChanges(changes);
  const mendedBefore: PreviousFix = {
    fixId: 'fix-1',
    commit,
    commits: 1,
    status: 'proved',
    passes: 1,
    caseNames: [CASE_NAME],
  };
  const answer = await checkPreviousFix(
    { root, project: { top: root }, config: {} },
    { caseName: CASE_NAME, mendedBefore },
    CASE_NAME,
  );
  expect(answer).toEqual({
    caseName: CASE_NAME,
    ...(isNamed ? { mendedBefore: { ...mendedBefore, presence: { state: 'present' } } } : {}),
  });
});
