/**
 * Tests verdicts over MCP and at the terminal, on a real repository: a passing run, a flaky failure, an outage, a
 * commit that breaks a test, its repair, and the same failure again. `crates/core/src/evidence` and
 * `crates/engine/src/tests/evidence` have the rules, `crates/engine/src/tests/failures/proving.rs` tests how many
 * passes prove a fix, and tests-over-runs.test.ts tests runs from elsewhere.
 */

import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import type { Data } from '../harness.ts';
import { agent } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

/** The failing tests of a run: none, the clock's test, the sum's test, or every test that connects to a server. */
type Outcome = 'well' | 'late' | 'wrong' | 'outage';

const TEST_NAMES = ['stores a', 'stores b', 'stores c', 'stores d', 'adds', 'ticks'];

function failureOf(name: string, outcome: Outcome): { failure: { message: string } } | undefined {
  if (outcome === 'outage') return { failure: { message: 'Error: connect ECONNREFUSED 10.0.0.9:5432' } };
  if (outcome === 'late' && name === 'ticks') return { failure: { message: 'Error: the clock did not tick' } };
  if (outcome === 'wrong' && name === 'adds') return { failure: { message: 'AssertionError: expected 6 to be 5' } };
  return undefined;
}

/** Creates a repository whose git ignores the report, with functions that change it and record runs. */
async function createShop() {
  const root = createRepository({ 'readme.md': 'a shop\n', '.gitignore': 'report.xml\n' });
  await agent.data('argus_init', { projectPath: root });
  const at = ['--project', root];
  const data = (tool: string, args: Data = {}) => agent.data(tool, { projectPath: root, ...args });
  return {
    root,
    data,
    commit(text: string): string {
      appendFileSync(path.join(root, 'readme.md'), `${text}\n`);
      runGit(root, 'commit', '-qam', text);
      return runGit(root, 'rev-parse', 'HEAD');
    },
    run(outcome: Outcome): Promise<Data> {
      const cases = TEST_NAMES.map((name) => ({ name, ...failureOf(name, outcome) }));
      writeFileSync(path.join(root, 'report.xml'), formatJunit(cases, 'shop'));
      return data('argus_import', { path: 'report.xml' });
    },
    diagnose: ({ runId }: Data, caseName: string) => data('argus_diagnose', { runId, caseName }),
    json: async (...args: string[]) => JSON.parse((await argus([...args, '--json', ...at])).stdout).data as Data,
    text: async (...args: string[]) => (await argus([...args, ...at])).stdout,
  };
}

const causesOf = (run: Data) => run.causes as Data[];

/** Returns the verdict on the cause of a case. */
function findVerdict(run: Data, caseName: string): unknown {
  const cause = causesOf(run).find(({ cases }) => (cases as string[]).some((name) => name.endsWith(caseName)));
  return (cause?.verdict as Data | undefined)?.kind;
}

// Takes some seconds, because verdicts need a history of 16 runs and ten commits.
test('a project gets the right verdicts for a flake, an outage, a regression, its repair, and the regression again', async () => {
  const { commit, run, data, diagnose, json, text } = await createShop();
  for (const number of [1, 2, 3, 4]) {
    commit(`green ${number}`);
    await run('well');
  }
  await run('late');
  await run('well');
  expect(findVerdict(await run('late'), 'ticks'), 'both outcomes on one tree').toBe('flaky');
  expect(await data('argus_tests', { state: 'flaky' })).toMatchObject({
    tests: [{ caseName: expect.stringContaining('ticks'), state: 'flaky', failures: 2, runs: 7 }],
    total: 1,
    hasMore: false,
  });
  expect(causesOf(await run('outage')).map(({ verdict }) => (verdict as Data).kind)).toEqual(['infrastructure']);
  const states = async () =>
    ((await data('argus_tests')).tests as Data[]).map(({ state }) => state).filter((state) => state !== 'healthy');
  expect(await states(), 'an outage is no evidence about a test').toEqual(['flaky']);
  await run('well');

  const suspects = ['before', 'culprit', 'after'].map(commit);
  const broken = await run('wrong');
  expect(findVerdict(broken, 'adds')).toBe('regression');
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
  expect(findVerdict(next, 'adds')).toBe('broken');
  const printed = await text('diagnose', String(next.runId), 'adds');
  expect(printed).toMatch(/failing since \d+ \w+, 2 runs/u);
  expect(printed).toContain(String(broken.runId));

  const repair = commit('repair');
  expect(await run('well')).toMatchObject({ status: 'passed' });
  const fix = { fixId: expect.stringMatching(/^fix-/u), commit: repair };
  const caseNames = [expect.stringContaining('adds')];
  expect((await json('fixes')).fixes).toMatchObject([{ ...fix, status: 'proved', caseNames }]);
  // This commit undoes the repair in the same file, so the repair was right.
  commit('broken again');
  expect(findVerdict(await run('wrong'), 'adds')).toBe('regression');
  expect((await json('fixes')).fixes).toMatchObject([{ ...fix, status: 'proved' }]);
  expect(await states()).toEqual(['broken', 'flaky']);
  expect(await text('tests')).toMatch(/flaky +failed 2 of \d+ .*ticks +fails by chance in/u);
});
