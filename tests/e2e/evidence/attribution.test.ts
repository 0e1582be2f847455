// Tests the suspects of a failure in a real repository: edits and untracked files that git reports, and runs at other
// commits.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DiagnosticResult, RunResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { argus, startArgus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';

const ADD_TEST = `
  import assert from 'node:assert';
  import { test } from 'node:test';
  import { add } from '../src/add.js';
  test('adds', () => assert.equal(add(1, 2), 3));
`;

function createShop() {
  const root = createRepository({
    'package.json': '{"name":"shop","type":"module"}',
    'argus.yaml': 'test: { command: node --test }\n',
    'src/add.js': 'export const add = (a, b) => a + b;\n',
    'test/add.test.js': ADD_TEST,
    'README.md': '# Shop\n',
  });
  const file = (name: string) => path.join(root, name);
  const data = async (...args: string[]) => JSON.parse((await argus([...args, '--json'], { cwd: root })).stdout).data;
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text);
  };
  return {
    root,
    write,
    breakIt: () => write('src/add.js', readFileSync(file('src/add.js'), 'utf8').replace('a + b', 'a - b')),
    commit(message: string): string {
      runGit(root, 'commit', '-qam', message);
      return runGit(root, 'rev-parse', 'HEAD');
    },
    run: (...args: string[]): Promise<RunResult> => data('run', ...args),
    diagnose: ({ runId }: RunResult): Promise<DiagnosticResult> => data('diagnose', runId, 'adds'),
  };
}

test('an edit is named, and no commit, although each run changes untracked files', async () => {
  const { write, breakIt, commit, run, diagnose } = createShop();
  const untracked = ['notes.tmp', 'out.log', '.venv/lib/site.py', 'node_modules/one/index.js'];
  let round = 0;
  const next = () => {
    round += 1;
    for (const name of untracked) write(name, String(round));
    return run();
  };
  expect((await next()).status).toBe('passed');
  for (const title of ['one', 'two']) {
    write('README.md', `# Shop ${title}\n`);
    commit(`docs: ${title}`);
  }
  await next();
  breakIt();
  const red = await next();
  expect(red.sinceGreen).toMatchObject({ commits: 0, edited: expect.arrayContaining(['src/add.js']) });
  expect(red.failures[0]?.sourceLine).toBe("test('adds', () => assert.equal(add(1, 2), 3));");
  const { verdict, suspects } = await diagnose(red);
  expect(verdict?.kind).toBe('regression');
  expect(verdict?.because[0]).toMatch(/^src\/add\.js was edited/u);
  expect(suspects).toBeUndefined();
  expect(verdict?.settle).not.toMatch(/checkout|--at/u);
});

test('the first run has no suspects, and lists edits since the commit as a fact', async () => {
  const { breakIt, run, diagnose } = createShop();
  breakIt();
  const { verdict, suspects } = await diagnose(await run());
  expect(verdict?.kind).toBe('new');
  expect(verdict?.because[0]).toMatch(/src\/add\.js differs from the commit/u);
  expect(suspects).toBeUndefined();
});

test('requested runs find the commit in a work tree that is removed again', async () => {
  const { root, write, breakIt, commit, run, diagnose } = createShop();
  await run();
  let culprit = '';
  for (let number = 1; number <= 8; number += 1) {
    write('src/add.js', `${readFileSync(path.join(root, 'src/add.js'), 'utf8')}// ${number}\n`);
    if (number === 5) breakIt();
    const hash = commit(`change ${number}`);
    if (number === 5) culprit = hash;
  }
  write('README.md', 'not committed\n');
  const red = await run();
  let asked = 0;
  for (;;) {
    const { settle } = (await diagnose(red)).verdict ?? {};
    const at = /argus run --at ([0-9a-f]{40}) --filter 'adds'$/u.exec(settle ?? '')?.[1];
    if (at === undefined) break;
    asked += 1;
    await run('--at', at, '--filter', 'adds');
  }
  const { verdict, suspects } = await diagnose(red);
  expect(asked).toBeLessThanOrEqual(3);
  expect(verdict?.kind).toBe('regression');
  expect(suspects?.[0]).toMatchObject({ commit: culprit, probability: expect.closeTo(1, 0) });
  expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toBe('not committed\n');
  expect(runGit(root, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(existsSync(path.join(root, '.git/worktrees'))).toBe(false);
});

test('a canceled run removes its work tree, and an unknown commit is refused', async () => {
  const { root, write, commit } = createShop();
  write('test/add.test.js', "setInterval(() => console.log('waits'), 50);\n");
  const hash = commit('waits');
  const before = listArgusWorkTrees();
  const running = startArgus(['run', '--at', hash, 'node test/add.test.js'], { cwd: root });
  await running.prints(/waits/u);
  running.signal('SIGINT');
  expect((await running.done).status).not.toBe(0);
  expect(listArgusWorkTrees()).toEqual(before);
  const { status, stderr } = await argus(['run', '--at', 'no-such'], { cwd: root });
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('The commit "no-such" does not exist in this repository.'),
  ]);
});

function listArgusWorkTrees(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`argus-at-${process.pid}-`));
}

test('a run of an older commit is not reported as the newest, and confirms no fix', async () => {
  const { root, breakIt, commit, run } = createShop();
  await run();
  breakIt();
  commit('Subtract');
  const red = await run();
  expect((await run('--at', 'HEAD~1')).status).toBe('passed');
  const data = async (...args: string[]) => JSON.parse((await argus([...args, '--json'], { cwd: root })).stdout).data;
  expect((await data('report')).run.id).toBe(red.runId);
  expect((await data('report-fix', red.runId, 'adds', 'Emptied the cache')).state).toBe('claimed');
});
