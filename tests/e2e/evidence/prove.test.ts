// Tests whether a fix is the reason why its test passes, in repositories whose runs showed the fix. Takes over 5 s, because
// each run starts a process for each test file.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus, startArgus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';

/** The test fails if `calc` is wrong or if the file `down` exists, and it writes into the folder of packages. */
const ADD_TEST = `
  import assert from 'node:assert';
  import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
  import { test } from 'node:test';
  import { add } from 'calc';
  mkdirSync('node_modules/.cache', { recursive: true });
  writeFileSync('node_modules/.cache/result', 'x');
  test('adds', () => assert.equal(existsSync('down') ? 0 : add(1, 2), 3));
`;
const WRONG = 'export const add = (a, b) => a - b;\n';
const RIGHT = WRONG.replace('-', '+');

/** A repository whose package \`calc\` is installed as a link, as in a workspace. */
function createShop() {
  const root = createRepository({
    'package.json': '{"name":"shop","type":"module"}',
    'argus.yaml': 'test: { command: node --test }\n',
    '.gitignore': 'node_modules\n.argus\ndown\n',
    'calc/package.json': '{"name":"calc","type":"module","exports":"./index.js"}',
    'calc/index.js': WRONG,
    'notes.txt': '1\n',
  });
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  mkdirSync(path.join(root, 'node_modules'));
  symlinkSync('../calc', path.join(root, 'node_modules/calc'), 'dir');
  return {
    root,
    write,
    read: (name: string) => readFileSync(path.join(root, name), 'utf8'),
    run: () => argus(['run'], { cwd: root }),
    commit(title: string): string {
      runGit(root, 'add', '-A');
      runGit(root, 'commit', '-qm', title);
      return runGit(root, 'rev-parse', 'HEAD');
    },
    async prove(...args: string[]) {
      const { status, stdout } = await argus(['prove', 'latest', '--yes', '--json', ...args], { cwd: root });
      const { data, error } = JSON.parse(stdout);
      return { status, ...data, error };
    },
  };
}

/** The fix and its test are one commit, and both runs were recorded. */
async function createFixedShop() {
  const shop = createShop();
  shop.write('test/add.test.js', ADD_TEST);
  await shop.run();
  shop.write('calc/index.js', RIGHT);
  const fix = shop.commit('Add');
  await shop.run();
  return { ...shop, fix };
}

function listWorkTrees(root: string): unknown[] {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(`argus-at-${process.pid}-`));
  return [names, existsSync(path.join(root, '.git/worktrees'))];
}

test('a change without which the test fails is the cause, and the files of the user stay as they are', async () => {
  const { root, fix, write, read, prove } = await createFixedShop();
  rmSync(path.join(root, 'node_modules/.cache'), { recursive: true });
  write('calc/index.js', '// edited\n');
  const before = listWorkTrees(root);
  const { status, ...proof } = await prove();
  expect(proof).toMatchObject({
    result: 'cause',
    reason: null,
    commit: fix,
    testedAt: fix,
    files: ['calc/index.js'],
    without: { passed: 0, failed: 1 },
    with: { passed: 1, failed: 0 },
  });
  expect(status).toBe(0);
  expect(read('calc/index.js')).toBe('// edited\n');
  expect(existsSync(path.join(root, 'node_modules/.cache')), 'the cache is in the work tree').toBe(false);
  expect(listWorkTrees(root)).toEqual(before);
  expect(JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.total, 'no run is recorded').toBe(
    2,
  );
});

test('a change without which the test passes guards nothing', async () => {
  const { root, write, run, commit, prove } = createShop();
  write('calc/index.js', RIGHT);
  write('test/add.test.js', ADD_TEST);
  write('down', '');
  commit('start');
  await run();
  rmSync(path.join(root, 'down'));
  write('notes.txt', '2\n');
  commit('Note');
  await run();
  const { status, result, without, with: withFix } = await prove();
  expect([status, result, without.passed, withFix.passed]).toEqual([1, 'guardsNothing', without.passed, 0]);
  expect(without.passed).toBeGreaterThan(0);
  const { stdout } = await argus(['prove', 'latest', '--yes'], { cwd: root });
  expect(stdout).toMatch(/^guards nothing: the test passes without the change\nwithout the change {2}passed/u);
});

test('a change that was changed since is inconclusive, and a change that was lost is tried again', async () => {
  const { fix, root, write, commit, prove } = await createFixedShop();
  runGit(root, 'revert', '--no-edit', fix);
  expect(await prove()).toMatchObject({ status: 0, result: 'cause', files: ['calc/index.js'] });
  write('calc/index.js', 'export const add = (...all) => all.reduce((a, b) => a + b);\n');
  commit('Reduce');
  expect(await prove()).toMatchObject({
    status: 1,
    result: 'inconclusive',
    reason: 'The change no longer applies to the last commit, because the code was changed since.',
  });
});

test('a test that fails with another error is inconclusive', async () => {
  const { write, commit, prove } = await createFixedShop();
  write('test/add.test.js', ADD_TEST.replace("test('adds'", "if (add(1, 2) < 0) throw new Error('odd');\ntest('adds'"));
  commit('Check first');
  const { result, reason } = await prove();
  expect([result, reason]).toEqual(['inconclusive', expect.stringMatching(/^Without the change/u)]);
});

test('nothing runs without consent, without a commit, or after a wrong name', async () => {
  const { root, write, run } = createShop();
  write('test/add.test.js', ADD_TEST);
  await run();
  write('calc/index.js', RIGHT);
  await run();
  const prove = async (...args: string[]) => {
    const { status, stderr } = await argus(['prove', ...args], { cwd: root });
    return [status, stderr];
  };
  expect(await prove('latest', '--yes')).toEqual([
    2,
    expect.stringContaining('is an edit without a known commit. Commit'),
  ]);
  expect(await prove('fix-1', '--yes')).toEqual([2, expect.stringContaining("The fix 'fix-1' does not exist")]);
  const fixed = await createFixedShop();
  const refused = await argus(['prove', 'latest'], { cwd: fixed.root });
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('Pass --yes to agree to it.')]);
});

test('a canceled proof removes its work tree', async () => {
  const { root } = await createFixedShop();
  const before = listWorkTrees(root);
  const running = startArgus(['prove', 'latest', 'node -e "setInterval(() => {}, 50)"', '--yes'], { cwd: root });
  await running.prints(/without the change, run 1/u, 'stderr');
  running.signal('SIGINT');
  const { status, stderr } = await running.done;
  expect([status, stderr]).toEqual([2, expect.stringContaining('CANCELLED')]);
  expect(listWorkTrees(root)).toEqual(before);
});

test('clean removes the notes about a work tree of a killed process, but not those of the user', async () => {
  const { root } = createShop();
  const temporary = mkdtempSync(path.join(tmpdir(), 'argus-at-'));
  const [own, other] = ['tree', 'other'].map((name) => path.join(temporary, name)) as [string, string];
  for (const tree of [own, other]) runGit(root, 'worktree', 'add', '--detach', tree);
  rmSync(temporary, { recursive: true });
  await argus(['clean'], { cwd: root });
  const listed = runGit(root, 'worktree', 'list');
  expect([listed.includes(own), listed.includes(other)]).toEqual([false, true]);
});
