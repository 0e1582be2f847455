/**
 * Verdicts over MCP and at the terminal, on a real repository: green, a flake, an outage, a commit that breaks, its repair, the
 * same failure again. The rules: `crates/core/src/evidence` and `crates/engine/src/tests/evidence`. How many passes prove a
 * fix: `crates/engine/src/tests/failures/proving.rs`. Runs from elsewhere: history.test.ts.
 */

import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import type { Data } from '../harness.ts';
import { agent } from '../one-agent.ts';
import { junit } from '../runs/reports.ts';

/** The failing tests of a run: none, the clock's test, the sum's test, or every test that connects to a server. */
type Outcome = 'well' | 'late' | 'wrong' | 'outage';

const TESTS = ['stores a', 'stores b', 'stores c', 'stores d', 'adds', 'ticks'];

function failureOf(name: string, outcome: Outcome): { failure: { message: string } } | undefined {
  if (outcome === 'outage') return { failure: { message: 'Error: connect ECONNREFUSED 10.0.0.9:5432' } };
  if (outcome === 'late' && name === 'ticks') return { failure: { message: 'Error: the clock did not tick' } };
  if (outcome === 'wrong' && name === 'adds') return { failure: { message: 'AssertionError: expected 6 to be 5' } };
  return undefined;
}

/** A repository whose git ignores the report, with functions that change it and record runs. */
async function story() {
  const root = repository({ 'readme.md': 'a shop\n', '.gitignore': 'report.xml\n' });
  await agent.data('argus_init', { projectPath: root });
  const at = ['--project', root];
  const data = (tool: string, args: Data = {}) => agent.data(tool, { projectPath: root, ...args });
  return {
    root,
    data,
    commit(text: string): string {
      appendFileSync(path.join(root, 'readme.md'), `${text}\n`);
      git(root, 'commit', '-qam', text);
      return git(root, 'rev-parse', 'HEAD');
    },
    run(outcome: Outcome): Promise<Data> {
      const cases = TESTS.map((name) => ({ name, ...failureOf(name, outcome) }));
      writeFileSync(path.join(root, 'report.xml'), junit(cases, 'shop'));
      return data('argus_import', { path: 'report.xml' });
    },
    diagnose: ({ runId }: Data, caseName: string) => data('argus_diagnose', { runId, caseName }),
    json: async (...args: string[]) => JSON.parse((await argus([...args, '--json', ...at])).stdout).data as Data,
    text: async (...args: string[]) => (await argus([...args, ...at])).stdout,
  };
}

const causes = (run: Data) => run.causes as Data[];

/** Returns the verdict on the cause of a case. */
function verdictOn(run: Data, caseName: string): unknown {
  const cause = causes(run).find(({ cases }) => (cases as string[]).some((name) => name.endsWith(caseName)));
  return (cause?.verdict as Data | undefined)?.kind;
}

// Takes some seconds, because verdicts need a history of 16 runs and ten commits.
test('the life of a project: a flake, an outage, a regression, its repair, and the regression again', async () => {
  const { commit, run, data, diagnose, json, text } = await story();
  for (const number of [1, 2, 3, 4]) {
    commit(`green ${number}`);
    await run('well');
  }
  await run('late');
  await run('well');
  expect(verdictOn(await run('late'), 'ticks'), 'both outcomes on one tree').toBe('flaky');
  expect(await data('argus_tests', { state: 'flaky' })).toMatchObject({
    tests: [{ caseName: expect.stringContaining('ticks'), state: 'flaky', failures: 2, runs: 7 }],
    total: 1,
    hasMore: false,
  });
  expect(causes(await run('outage')).map(({ verdict }) => (verdict as Data).kind)).toEqual(['infrastructure']);
  const states = async () =>
    ((await data('argus_tests')).tests as Data[]).map(({ state }) => state).filter((state) => state !== 'healthy');
  expect(await states(), 'an outage is no evidence about a test').toEqual(['flaky']);
  await run('well');

  const suspects = ['before', 'culprit', 'after'].map(commit);
  const broken = await run('wrong');
  expect(verdictOn(broken, 'adds')).toBe('regression');
  const diagnosis = await diagnose(broken, 'adds');
  const suspected = diagnosis.suspects as { commit: string; probability: number }[];
  expect(suspected.map((one) => one.commit).sort()).toEqual(suspects.sort());
  expect(suspected.reduce((sum, one) => sum + one.probability, 0)).toBeLessThanOrEqual(1.0001);
  expect(diagnosis.verdict).toMatchObject({
    kind: 'regression',
    since: { runId: broken.runId },
    because: expect.arrayContaining([expect.stringContaining('run-')]),
    against: expect.any(Array),
    settle: expect.stringContaining('argus run'),
  });
  commit('still broken');
  const next = await run('wrong');
  expect(verdictOn(next, 'adds')).toBe('broken');
  const printed = await text('diagnose', String(next.runId), 'adds');
  expect(printed).toMatch(/broken \(\d+ %\)/u);
  expect(printed).toContain(String(broken.runId));

  const repair = commit('repair');
  expect(await run('well')).toMatchObject({ status: 'passed' });
  const fix = { fixId: expect.stringMatching(/^fix-/u), commit: repair };
  const caseNames = [expect.stringContaining('adds')];
  expect((await json('fixes')).fixes).toMatchObject([{ ...fix, status: 'proved', caseNames }]);
  // The commit undoes the repair in the same file, so the repair was right.
  commit('broken again');
  expect(verdictOn(await run('wrong'), 'adds')).toBe('regression');
  expect((await json('fixes')).fixes).toMatchObject([{ ...fix, status: 'proved' }]);
  expect(await states()).toEqual(['broken', 'flaky']);
  expect(await text('tests')).toMatch(/flaky +failed 2 of \d+ .*ticks +fails by chance in/u);
});
