/**
 * Real runs in a real repository: an edit that repairs a failure is found before it is committed or reported, and a run
 * of a fork proves nothing. `crates/core/src/evidence/stored_rows` has the rules.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import { createProject, type Data } from '../harness.ts';

const TOTAL_TEST = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { total } from './total.mjs';
  test('adds', () => assert.equal(total([2, 3]), 5));
`;
const RIGHT_TOTAL = 'export const total = (all) => all.reduce((sum, one) => sum + one, 0);\n';
const WRONG_TOTAL = 'export const total = (all) => all.reduce((sum, one) => sum + one, 1);\n';

/** Creates a committed failing test, with functions that run `node --test` and read the known fixes. */
function createFailingRepository() {
  const root = createRepository({
    'all.test.mjs': TOTAL_TEST,
    'total.mjs': WRONG_TOTAL,
    'package.json': '{"type":"module"}',
  });
  const data = async (args: string[], env: Record<string, string> = {}): Promise<Data> =>
    JSON.parse((await argus(args, { cwd: root, env })).stdout).data;
  return {
    root,
    commit(): string {
      runGit(root, 'add', '-A');
      runGit(root, 'commit', '-qm', 'change');
      return runGit(root, 'rev-parse', 'HEAD');
    },
    data,
    run: (env: Record<string, string> = {}) => data(['run', '--json', '--', 'node', '--test', 'all.test.mjs'], env),
    fixes: async () => (await data(['fixes', '--json'])).fixes as Data[],
  };
}

test('an edit that repairs a failure is a fix, and gets a commit hash once it is committed', async () => {
  const { root, commit, run, fixes } = createFailingRepository();
  const failed = await run();
  writeFileSync(path.join(root, 'total.mjs'), RIGHT_TOTAL);
  writeFileSync(path.join(root, 'untracked.md'), 'not of it\n');
  const passed = await run();
  const [edit, ...others] = await fixes();
  expect(others).toEqual([]);
  expect(edit).toMatchObject({
    status: 'proved',
    files: ['total.mjs'],
    failedIn: failed.runId,
    passedIn: passed.runId,
    caseNames: [expect.stringContaining('adds')],
  });
  expect(edit).not.toHaveProperty('commit');
  const text = (await argus(['fixes', String(edit?.fixId)], { cwd: root })).stdout;
  expect(text).toContain('| -export const total = (all) => all.reduce((sum, one) => sum + one, 1);\n| +');
  expect(text).not.toContain('untracked');
  const hash = commit();
  await run();
  expect(await fixes()).toMatchObject([{ fixId: edit?.fixId, commit: hash, passes: 2 }]);
});

test('a run of a fork is stored as foreign and proves no fix', async () => {
  const { root, commit, data, run, fixes } = createFailingRepository();
  await run();
  writeFileSync(path.join(root, 'total.mjs'), RIGHT_TOTAL);
  commit();
  const event = path.join(createProject({}), 'event.json');
  const repo = (name: string) => ({ repo: { full_name: name } });
  writeFileSync(event, JSON.stringify({ pull_request: { head: repo('mallory/shop'), base: repo('acme/shop') } }));
  const foreign = await run({ GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: event });
  expect(foreign).toMatchObject({ status: 'passed', notes: [expect.stringContaining('FOREIGN_RUN')] });
  expect(await fixes()).toEqual([]);
  expect((await argus(['history'], { cwd: root })).stdout).toMatch(/passed, foreign/u);
  await run();
  expect(await fixes()).toMatchObject([{ status: 'proved' }]);
  const line = (more: Data) =>
    JSON.stringify({ id: 'f1', startedAt: 1, ...more, cases: [{ name: 'all.test.mjs > adds', status: 'failed' }] });
  const input = [line({ foreign: true }), line({ id: 'f2' })].join('\n');
  await argus(['import', '--foreign', '--runs', '-'], { cwd: root, input });
  const runs = (await data(['history', '--json'])).runs as Data[];
  const marked = runs.filter((one) => one.foreign).map((one) => one.id);
  expect(marked.sort()).toEqual([foreign.runId, 'run-f1', 'run-f2'].sort());
});

test('a test that your own edit broke has been failing since that edit, until the next commit', async () => {
  const { root, commit, run } = createFailingRepository();
  writeFileSync(path.join(root, 'total.mjs'), RIGHT_TOTAL);
  commit();
  await run();
  writeFileSync(path.join(root, 'total.mjs'), WRONG_TOTAL);
  const verdictOf = ({ causes }: Data) => (causes as { verdict: { since: Data } }[])[0]?.verdict;
  expect(verdictOf(await run())).toMatchObject({ kind: 'regression', since: { runs: 1, edited: ['total.mjs'] } });
  const again = verdictOf(await run());
  expect(again).toMatchObject({ kind: 'broken', since: { runs: 2, edited: ['total.mjs'] } });
  const text = (await argus(['run', '--', 'node', '--test', 'all.test.mjs'], { cwd: root })).stdout;
  expect(text).toContain('Failing since your edit of total.mjs, 3 runs');
  commit();
  const committed = verdictOf(await run());
  expect(committed).toMatchObject({ kind: 'broken', since: { runs: 4 } });
  expect(committed?.since).not.toHaveProperty('edited');
});
