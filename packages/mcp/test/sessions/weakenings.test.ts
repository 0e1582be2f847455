/** Names a commit that fixed a failure only if it does not weaken the test. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MendedBefore } from 'argus-engine';
import { expect, test } from 'vitest';
import { withHonestMend } from '../../src/sessions/weakenings.ts';
import { project } from '../project.ts';

const TEST = 'test/cart.test.js';
const CASE = `${TEST} > adds up`;
const FILES: Readonly<Record<string, string>> = {
  'src/cart.js': 'export const sum = (a, b) => a - b;\n',
  [TEST]: `import { expect, test } from 'vitest';
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
function committed(changes: Readonly<Record<string, (text: string) => string>>) {
  const root = project();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  const commit = () => {
    git('add', '-A');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', 'change');
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q');
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  const first = commit();
  for (const [name, change] of Object.entries(changes)) write(name, change(FILES[name] ?? ''));
  return { root, commit: Object.keys(changes).length === 0 ? first : commit() };
}

const mended = (text: string) => text.replace('a - b', 'a + b');

test.each<[string, Parameters<typeof committed>[0], boolean]>([
  ['mends the source', { 'src/cart.js': mended }, true],
  ['changes what the test expects', { [TEST]: (text) => text.replace('toBe(3)', 'toBe(-1)') }, false],
  [
    'mends the source and skips the test',
    { 'src/cart.js': mended, [TEST]: (text) => text.replace("test('adds", "test.skip('adds") },
    false,
  ],
  [
    'mends the source and adds a test',
    { 'src/cart.js': mended, [TEST]: (text) => `${text}test('more', () => {});\n` },
    true,
  ],
])('a commit that %s is named: %s', async (_, changes, isNamed) => {
  const { root, commit } = committed(changes);
  const mendedBefore: MendedBefore = {
    fixId: 'fix-1',
    commit,
    commits: 1,
    status: 'proved',
    passes: 1,
    caseNames: [CASE],
  };
  const answer = await withHonestMend({ root, config: {} }, { caseName: CASE, mendedBefore }, CASE);
  expect(answer).toEqual({ caseName: CASE, ...(isNamed ? { mendedBefore } : {}) });
});
