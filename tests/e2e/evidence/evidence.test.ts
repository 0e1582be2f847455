/**
 * Verdicts over MCP and at the terminal, on a real repository through a whole life: green, a flake, a commit that breaks, its
 * repair, the same again; an outage in between changes none of it. The rules: `crates/core/src/evidence`.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Data, project } from '../harness.ts';
import { agent } from '../one-agent.ts';

/** Total and tax are the project's; whether the clock test passes, and the machine works, the environment of a run says. */
const TESTS = `
  import assert from 'node:assert/strict';
  import { test } from 'node:test';
  import { readFileSync } from 'node:fs';
  import { total } from './total.mjs';
  const mode = readFileSync(new URL('./mode', import.meta.url), 'utf8').trim();
  const machine = () => { if (mode === 'outage') throw new Error('connect ECONNREFUSED 10.0.0.9:5432'); };
  for (const file of ['a', 'b', 'c', 'd', 'e', 'f'])
    test('stores ' + file, () => machine());
  test('adds', () => { machine(); assert.equal(total([2, 3]), 5); });
  test('ticks', () => { machine(); assert.ok(mode !== 'late', 'too late'); });
`;

const RIGHT = 'export const total = (all) => all.reduce((sum, one) => sum + one, 0);\n';
const WRONG = 'export const total = (all) => all.reduce((sum, one) => sum + one, 1);\n';

let root: string;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/** Changes a file and commits it. */
function commit(file: string, content: string): string {
  writeFileSync(path.join(root, file), content);
  git('add', '-A');
  git('commit', '-qm', `change ${file}`);
  return git('rev-parse', 'HEAD');
}

/** What an ignored file says, so that it is no change of the tree. */
const inMode = (mode: 'well' | 'late' | 'outage') => writeFileSync(path.join(root, 'mode'), mode);

const run = () => agent.data('argus_run', { projectPath: root, command: 'node --test all.test.mjs' });

function causes(answer: Data): Data[] {
  return answer.causes as Data[];
}

function causeOf(answer: Data, caseName: string): Data {
  const found = causes(answer).find(({ cases }) => (cases as string[]).some((name) => name.endsWith(caseName)));
  if (found === undefined) throw new Error(`no cause of ${caseName} in ${JSON.stringify(answer)}`);
  return found;
}

const json = async (...args: string[]) =>
  JSON.parse((await argus([...args, '--json', '--project', root])).stdout).data as Data;

describe('the life of a project', () => {
  beforeAll(async () => {
    root = project({
      'all.test.mjs': TESTS,
      'total.mjs': RIGHT,
      'package.json': '{"type":"module"}',
      '.gitignore': 'mode\n',
    });
    git('init', '-q', '-b', 'main');
    git('config', 'user.email', 'ada@example.com');
    git('config', 'user.name', 'Ada');
    commit('README.md', 'first');
    inMode('well');
    await agent.data('argus_init', { projectPath: root });
  });

  let broken: Data;
  let culprit: string;

  test('green, and a flake: both outcomes on one tree', async () => {
    for (const number of [1, 2, 3, 4]) {
      commit('README.md', `green ${number}`);
      expect(await run()).toMatchObject({ status: 'passed' });
    }
    inMode('late');
    await run();
    inMode('well');
    await run();
    inMode('late');
    const flaked = await run();
    inMode('well');
    expect(causeOf(flaked, 'ticks')).toMatchObject({ verdict: { kind: 'flaky' } });
    expect(await agent.data('argus_tests', { projectPath: root, state: 'flaky' })).toMatchObject({
      tests: [{ caseName: expect.stringContaining('ticks'), state: 'flaky', failures: 2, runs: 7 }],
      total: 1,
      hasMore: false,
    });
  });

  test('an outage is the machine’s, and no evidence about the code', async () => {
    inMode('outage');
    const outage = await run();
    inMode('well');
    expect(causes(outage).map(({ verdict }) => (verdict as Data).kind)).toEqual(['infrastructure']);
    const listed = (await agent.data('argus_tests', { projectPath: root })).tests as Data[];
    expect(listed.filter(({ state }) => state !== 'healthy').map(({ state }) => state)).toEqual(['flaky']);
    await run();
  });

  test('a commit breaks it: one of three, and each later run says since when', async () => {
    const [before, itself, after] = [
      commit('README.md', 'before'),
      commit('total.mjs', WRONG),
      commit('README.md', 'after'),
    ];
    culprit = itself;
    broken = await run();
    expect(causeOf(broken, 'adds')).toMatchObject({ verdict: { kind: 'regression' } });
    const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId: broken.runId, caseName: 'adds' });
    const suspects = diagnosis.suspects as { commit: string; probability: number }[];
    expect(suspects.map((one) => one.commit).sort()).toEqual([before, itself, after].sort());
    expect(suspects.reduce((sum, one) => sum + one.probability, 0)).toBeLessThanOrEqual(1.0001);
    expect(diagnosis).toMatchObject({
      verdict: {
        kind: 'regression',
        since: { runId: broken.runId },
        because: expect.arrayContaining([expect.stringContaining('run-')]),
        against: expect.any(Array),
        settle: expect.stringContaining('argus run'),
      },
    });
    commit('README.md', 'still');
    const next = await run();
    expect(causeOf(next, 'adds')).toMatchObject({ verdict: { kind: 'broken' } });
    const text = (await argus(['diagnose', String(next.runId), 'adds', '--project', root])).stdout;
    expect(text).toMatch(/broken \(\d+ %\)/u);
    expect(text).toContain(String(broken.runId));
  });

  test('a commit mends it, and is refuted when the same comes back', async () => {
    const repair = commit('total.mjs', RIGHT);
    expect(await run()).toMatchObject({ status: 'passed' });
    expect((await json('fixes')).fixes).toEqual([
      expect.objectContaining({
        fixId: expect.stringMatching(/^fix-/u),
        commit: repair,
        status: 'proved',
        caseNames: [expect.stringContaining('adds')],
      }),
    ]);
    commit('total.mjs', WRONG);
    const back = await run();
    expect(causeOf(back, 'adds')).toMatchObject({ verdict: { kind: 'regression' } });
    expect((await json('fixes')).fixes).toEqual([expect.objectContaining({ commit: repair, status: 'refuted' })]);
    const states = ((await json('tests')).tests as Data[]).map(({ state }) => state);
    expect(states.filter((state) => state !== 'healthy')).toEqual(['broken', 'flaky']);
    expect((await argus(['tests', '--project', root])).stdout).toMatch(
      /flaky +failed 2 of \d+ .*ticks +fails by chance in/u,
    );
  });

  test('uncommitted work has a tree of its own: what it breaks is no commit’s', async () => {
    commit('total.mjs', RIGHT);
    await run();
    writeFileSync(path.join(root, 'total.mjs'), WRONG.replace('1)', '2)'));
    const edited = await run();
    const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId: edited.runId, caseName: 'adds' });
    expect(JSON.stringify(diagnosis.verdict)).toContain('edited');
    expect(culprit).toMatch(/^[0-9a-f]{40}$/u);
  });
});

describe('a report of a run elsewhere', () => {
  test('is of the commit, the moment and the conditions that are named', async () => {
    const cwd = project({ 'package.json': '{}' });
    const report = (failed: boolean) =>
      `<testsuite name="a"><testcase classname="a" name="adds">${failed ? '<failure message="Error: no">Error: no</failure>' : ''}</testcase></testsuite>`;
    await agent.data('argus_init', { projectPath: cwd });
    const importOn = async (os: string, failed: boolean) => {
      writeFileSync(path.join(cwd, 'report.xml'), report(failed));
      return agent.data('argus_import', {
        projectPath: cwd,
        path: 'report.xml',
        commit: 'a'.repeat(40),
        branch: 'main',
        tree: 'b'.repeat(40),
        startedAt: '2026-02-03T04:05:06Z',
        environment: { os },
      });
    };
    for (const failed of [false, true, false, true, false, true]) await importOn(failed ? 'windows' : 'linux', failed);
    const listed = await agent.data('argus_tests', { projectPath: cwd });
    expect(listed.tests).toMatchObject([{ state: 'environment', condition: 'os=windows', failures: 3, runs: 6 }]);
    const { runs } = await agent.data('argus_history', { projectPath: cwd, limit: 1 });
    expect(runs).toMatchObject([
      { gitCommit: 'a'.repeat(40), gitBranch: 'main', dirty: false, timestamp: '2026-02-03T04:05:06.000Z' },
    ]);
    const given = ['--commit', 'c'.repeat(40), '--environment', 'os=linux', '--started-at', '2026-02-04T00:00:00Z'];
    expect((await argus(['import', 'report.xml', ...given], { cwd })).status).toBe(1);
    expect(JSON.parse((await argus(['history', '--json'], { cwd })).stdout).data.runs).toMatchObject([
      { gitCommit: 'c'.repeat(40) },
      ...Array(6).fill({}),
    ]);
    expect((await argus(['import', 'report.xml', '--environment', 'windows'], { cwd })).status).toBe(2);
  });
});

describe('import --runs', () => {
  const line = (id: string, status: 'passed' | 'failed', more: Data = {}) =>
    JSON.stringify({
      id,
      startedAt: 1_772_100_000_000,
      commit: 'a'.repeat(40),
      parents: [],
      branch: 'main',
      dirty: false,
      tree: 'b'.repeat(40),
      environment: { os: 'linux', runner: 'vitest' },
      cases: [
        {
          name: 'a.test.ts > adds',
          status,
          durationMs: 3,
          attempts: 1,
          ...(status === 'failed' && { error: 'Error: no' }),
        },
      ],
      ...more,
    });

  test('answers a line a run, and changes nothing the second time', async () => {
    const cwd = project({ 'package.json': '{}' });
    const input = [line('r1', 'passed'), line('r2', 'failed'), ''].join('\n');
    const first = await argus(['import', '--runs', '-', '--json'], { cwd, input });
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const answered = first.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(answered).toEqual([
      { runId: 'run-r1', failures: [] },
      {
        runId: 'run-r2',
        failures: [
          {
            caseName: 'a.test.ts > adds',
            causeId: expect.stringMatching(/^cause-[0-9a-f]{16}$/u),
            suspects: expect.any(Array),
            verdict: expect.objectContaining({ kind: expect.any(String), probability: expect.any(Number) }),
          },
        ],
      },
    ]);
    const again = await argus(['import', '--runs', '-', '--json'], { cwd, input });
    expect(again.stdout).toBe(first.stdout);
    const history = JSON.parse((await argus(['history', '--json'], { cwd })).stdout);
    expect(history.data.total).toBe(2);
    writeFileSync(path.join(cwd, 'runs.jsonl'), input);
    expect((await argus(['import', '--runs', 'runs.jsonl'], { cwd })).stdout).toContain('2 runs read, 2 known before');
  });

  test('a line that is no run is named, and those before it stay', async () => {
    const cwd = project({ 'package.json': '{}' });
    const input = `${line('r1', 'passed')}\n{"id":"r2"}\n`;
    const answered = await argus(['import', '--runs', '-'], { cwd, input });
    expect(answered.status).toBe(2);
    expect(answered.stderr + answered.stdout).toContain('Line 2 is no run');
    expect(JSON.parse((await argus(['history', '--json'], { cwd })).stdout).data.total).toBe(1);
  });

  test('one of a report and a history is named, and a file that is there', async () => {
    expect((await argus(['import'])).status).toBe(2);
    expect((await argus(['import', 'report.xml', '--runs', '-'])).status).toBe(2);
    const missing = await argus(['import', '--runs', 'nowhere.jsonl']);
    expect(missing.status).toBe(2);
    expect(missing.stderr).toMatch(/^INVALID_INPUT: nowhere\.jsonl cannot be read/u);
  });
});
