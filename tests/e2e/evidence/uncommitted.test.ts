/**
 * Real runs in a real repository: an edit that repairs a failure is found before it is committed or reported, and a run of a fork
 * proves nothing. The rules: `crates/core/src/evidence/kept`.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { type Data, project } from '../harness.ts';

const TEST = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { total } from './total.mjs';
  test('adds', () => assert.equal(total([2, 3]), 5));
`;
const RIGHT = 'export const total = (all) => all.reduce((sum, one) => sum + one, 0);\n';
const WRONG = 'export const total = (all) => all.reduce((sum, one) => sum + one, 1);\n';

/** A committed failing test, with functions that run `node --test` and read the known fixes. */
function story() {
  const root = repository({ 'all.test.mjs': TEST, 'total.mjs': WRONG, 'package.json': '{"type":"module"}' });
  const data = async (args: string[], env: Record<string, string> = {}): Promise<Data> =>
    JSON.parse((await argus(args, { cwd: root, env })).stdout).data;
  return {
    root,
    commit(): string {
      git(root, 'add', '-A');
      git(root, 'commit', '-qm', 'change');
      return git(root, 'rev-parse', 'HEAD');
    },
    data,
    run: (env: Record<string, string> = {}) => data(['run', '--json', '--', 'node', '--test', 'all.test.mjs'], env),
    fixes: async () => (await data(['fixes', '--json'])).fixes as Data[],
  };
}

test('an edit that repairs a failure is a fix, and gets a commit hash once it is committed', async () => {
  const { root, commit, run, fixes } = story();
  const failed = await run();
  writeFileSync(path.join(root, 'total.mjs'), RIGHT);
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
  const { root, commit, data, run, fixes } = story();
  await run();
  writeFileSync(path.join(root, 'total.mjs'), RIGHT);
  commit();
  const event = path.join(project({}), 'event.json');
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
