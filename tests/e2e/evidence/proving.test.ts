/**
 * How many passes prove a fix of a flaky test, over MCP on a real repository: not the first green run, but as many as chance
 * could explain; and what comes back is suggested no more. The rules: `crates/engine/src/runs/claims.rs`.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Data, project } from '../harness.ts';
import { agent } from '../one-agent.ts';

/** Whether the clock is late is said by an ignored file, so that it is no change of the tree. */
const TESTS = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { readFileSync } from 'node:fs';
  const late = readFileSync(new URL('./late', import.meta.url), 'utf8').trim();
  test('adds', () => assert.equal(2 + 3, 5));
  test('ticks', () => { if (late === 'yes') throw new Error('the clock did not tick'); });
`;

/** A test that failed in 2 of 9 runs is held to fail at 2.5 / 14.5: ln(0.05) / ln(1 - 0.172), rounded up. */
const NEEDED = 16;

let root: string;

function commit(content: string): void {
  writeFileSync(path.join(root, 'README.md'), content);
  execFileSync('git', ['add', '-A'], { cwd: root });
  execFileSync('git', ['commit', '-qm', content], { cwd: root });
}

async function run(late: 'yes' | 'no'): Promise<Data> {
  writeFileSync(path.join(root, 'late'), late);
  return agent.data('argus_run', { projectPath: root, command: 'node --test all.test.mjs' });
}

const diagnosed = (runId: unknown) => agent.data('argus_diagnose', { projectPath: root, runId, caseName: 'ticks' });

beforeAll(async () => {
  root = project({ 'all.test.mjs': TESTS, 'package.json': '{"type":"module"}', '.gitignore': 'late\n' });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.email', 'ada@example.com'],
    ['config', 'user.name', 'Ada'],
  ])
    execFileSync('git', args, { cwd: root });
  commit('first');
  await agent.data('argus_init', { projectPath: root });
});

test('a claim on a flaky test is proved by as many passes as chance could explain, and refuted when it is back', async () => {
  for (const late of ['no', 'no', 'no', 'no', 'no', 'no', 'yes', 'no'] as const) await run(late);
  const { runId } = await run('yes');
  expect(await diagnosed(runId)).toMatchObject({ verdict: { kind: 'flaky' } });
  const fix = { projectPath: root, runId, caseName: 'ticks', fixDescription: 'Wind the clock first', success: true };
  const claim = await agent.data('argus_report_fix', fix);
  expect(claim).toMatchObject({ state: 'claimed', toProve: expect.stringContaining(`0 of ${NEEDED} passes seen`) });

  commit('wound');
  expect((await run('no')).proved ?? []).toEqual([]);
  expect(await diagnosed(runId)).toMatchObject({
    trust: { state: 'claimed', passes: 1, needed: NEEDED, failedIn: runId },
  });
  let last: Data = {};
  for (let passes = 1; passes < NEEDED; passes++) last = await run('no');
  expect(last.proved).toMatchObject([{ fixDescription: 'Wind the clock first' }]);
  expect(await diagnosed(runId)).toMatchObject({
    suggestedFix: 'Wind the clock first',
    trust: { state: 'proved', passes: NEEDED, provedBy: last.runId },
  });

  commit('more');
  const back = await run('yes');
  const again = await diagnosed(back.runId);
  expect(again).toMatchObject({ fixHistory: [{ state: 'refuted', refutedBy: back.runId }] });
  expect(again.suggestedFix ?? null).not.toBe('Wind the clock first');
  expect(again.warnings).toEqual([expect.stringContaining(`after ${NEEDED} runs that passed`)]);
  const { reported } = JSON.parse((await argus(['fixes', '--json', '--project', root])).stdout).data as Data;
  expect(reported).toMatchObject([{ trust: { state: 'refuted' } }]);
}, 120_000);
