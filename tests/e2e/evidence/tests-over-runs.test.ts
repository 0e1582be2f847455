/**
 * argus_tests over MCP and at the terminal: one test run by run, and what changed in the tests since a commit. The runs are
 * reports from elsewhere, commit by commit. The rules: `crates/engine/src/evidence`.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { type Data, project } from '../harness.ts';
import { agent } from '../one-agent.ts';

const ERROR = 'TypeError: cannot divide by cucumber';

/** What an answer may have: 6,000 tokens at four characters each. */
const MAX_CHARACTERS = 24_000;

const hash = (number: number) => number.toString(16).padStart(4, '0').repeat(10);

let root: string;

async function runOf(commit: number, outcomes: Record<string, 'passed' | 'failed'>): Promise<string> {
  const cases = Object.entries(outcomes).map(([name, outcome]) => {
    const failure = outcome === 'failed' ? `<failure message="${ERROR}">${ERROR}</failure>` : '';
    return `<testcase classname="sum" name="${name}" time="0.25">${failure}</testcase>`;
  });
  writeFileSync(path.join(root, 'report.xml'), `<testsuite name="sum">${cases.join('')}</testsuite>`);
  const elsewhere = { commit: hash(commit), branch: 'main', dirty: false, tree: hash(commit + 100) };
  return String((await agent.data('argus_import', { projectPath: root, path: 'report.xml', ...elsewhere })).runId);
}

const tests = (args: Data) => agent.data('argus_tests', { projectPath: root, ...args });
const printed = async (...args: string[]) => (await argus(['tests', ...args, '--project', root])).stdout;

describe('tests over the runs', () => {
  let [before, broken, mended]: string[] = [];

  beforeAll(async () => {
    root = project({ 'package.json': '{}' });
    await agent.data('argus_init', { projectPath: root });
  });

  test('a memory without runs says what to do next', async () => {
    expect(await tests({})).toMatchObject({ total: 0, notes: [expect.stringContaining('argus_run')] });
    for (const args of [{ caseName: 'adds' }, { since: 'abcd' }]) {
      const { message } = await agent.error('argus_tests', { projectPath: root, ...args });
      expect(message).toContain('No run is recorded yet; argus_run records one.');
    }
    expect(await printed()).toContain('No run is recorded yet; argus run records one.');
  });

  test('one test, run by run, with what each failure was found to be', async () => {
    for (let commit = 1; commit <= 8; commit += 1) {
      before = await runOf(commit, { adds: 'passed', divides: 'passed', rounds: 'failed' });
    }
    broken = await runOf(9, { adds: 'passed', divides: 'failed', rounds: 'failed' });
    mended = await runOf(10, { adds: 'passed', divides: 'failed', rounds: 'passed', negates: 'passed' });
    const known = await tests({ caseName: 'divides', limit: 3 });
    expect(known).toMatchObject({
      caseName: 'sum > divides',
      evidence: { state: 'broken', failures: 2, runs: 10 },
      latestFailure: { runId: mended, verdict: { kind: 'broken', since: { runId: broken } } },
      runs: [
        { runId: mended, status: 'failed', verdict: { kind: 'broken' }, headline: expect.stringContaining('cucumber') },
        { runId: broken, commit: hash(9), branch: 'main', dirty: false, verdict: { kind: 'regression' } },
        { runId: before, status: 'passed', durationMs: 250 },
      ],
      hasMore: true,
    });
    const verdict = (known.latestFailure as Data).verdict as { because: string[] };
    expect(verdict.because.length).toBeGreaterThan(0);
    expect((await tests({ caseName: 'sum > divides', offset: 9 })).runs).toHaveLength(1);
    const { code, message } = await agent.error('argus_tests', { projectPath: root, caseName: 'divide by' });
    expect({ code, message }).toEqual({ code: 'CASE_NOT_FOUND', message: expect.stringContaining("'sum > divides'") });
    const text = await printed('divides');
    expect(text).toMatch(/^sum > divides\nbroken {2}failed 2 of 10\n/u);
    expect(text).toMatch(new RegExp(`${broken} +\\S+ +main ${hash(9).slice(0, 12)} +failed +regression`, 'u'));
    expect(text).toContain(`why it failed in ${mended}:`);
  });

  test('what changed since a commit', async () => {
    const known = await tests({ since: hash(8).slice(0, 8) });
    expect(known).toMatchObject({
      since: hash(8),
      base: { id: before, gitCommit: hash(8) },
      head: { id: mended },
      changes: [
        {
          caseName: 'sum > divides',
          change: 'failing',
          base: 'passed',
          head: 'failed',
          baseRunId: before,
          headRunId: mended,
          failedIn: mended,
          verdict: { kind: 'broken', suspect: hash(9) },
        },
        { caseName: 'sum > negates', change: 'new', base: 'absent', head: 'passed' },
        { caseName: 'sum > rounds', change: 'fixed', base: 'failed', head: 'passed', failedIn: broken },
      ],
      counts: { failing: 1, flaky: 0, new: 1, fixed: 1, stillFailing: 0 },
      total: 3,
      hasMore: false,
    });
    expect(await tests({ since: hash(10) })).toMatchObject({ total: 0, notes: [expect.stringContaining('argus_run')] });
    const { code, message } = await agent.error('argus_tests', { projectPath: root, since: 'feed' });
    expect({ code, message }).toEqual({
      code: 'RUN_NOT_FOUND',
      message: expect.stringContaining(`${hash(10).slice(0, 12)}, ${hash(9).slice(0, 12)}`),
    });
    const text = await printed('--since', hash(8));
    expect(text).toContain('1 failing, 0 flaky, 1 new, 1 fixed; 0 still failing');
    expect(text).toMatch(/failing +passed -> failed +sum > divides +run-\S+: broken/u);
    const json = JSON.parse((await argus(['tests', '--since', hash(8), '--json', '--project', root])).stdout);
    expect(json.data).toEqual(known);
  });

  test('since is any name that git has for a commit', async () => {
    const root = repository({ 'package.json': '{}' });
    const imported = async (report: string) => {
      writeFileSync(path.join(root, '..', 'report.xml'), report);
      expect((await argus(['import', '../report.xml'], { cwd: root })).stderr).toBe('');
    };
    const suite = (inner: string) =>
      `<testsuite name="sum"><testcase classname="sum" name="adds">${inner}</testcase></testsuite>`;
    await imported(suite(''));
    git(root, 'tag', 'v1');
    // The same files, so what differs came by chance.
    git(root, 'commit', '-q', '--allow-empty', '-m', 'next');
    await imported(suite(`<failure message="${ERROR}">${ERROR}</failure>`));
    const since = async (name: string) =>
      JSON.parse((await argus(['tests', '--since', name, '--json'], { cwd: root })).stdout);
    for (const name of ['v1', 'HEAD~1', git(root, 'rev-parse', '--short', 'v1')]) {
      expect((await since(name)).data, name).toMatchObject({
        since: git(root, 'rev-parse', 'v1'),
        counts: { flaky: 1 },
      });
    }
    expect((await since('HEAD')).data).toMatchObject({ since: git(root, 'rev-parse', 'HEAD'), total: 0 });
    expect((await since('no-such-branch')).error).toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect((await since('--output=x')).error, 'no option of git').toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('asks for one thing, and answers what an agent can read', async () => {
    for (const args of [
      { caseName: 'adds', since: hash(8) },
      { caseName: 'adds', state: 'flaky' },
      { since: hash(8), name: 'adds' },
    ]) {
      expect(await agent.error('argus_tests', { projectPath: root, ...args })).toMatchObject({ code: 'INVALID_INPUT' });
    }
    const long = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`adds ${at} ${'x'.repeat(100)}`, 'failed']),
    );
    await runOf(11, long as Record<string, 'failed'>);
    const known = await tests({ since: hash(10), limit: 1000 });
    expect(known).toMatchObject({ total: 400, hasMore: true, counts: { new: 400 } });
    expect(JSON.stringify(known).length).toBeLessThan(MAX_CHARACTERS);
    for (let commit = 12; commit < 62; commit += 1) await runOf(commit, { divides: 'failed' });
    const history = await tests({ caseName: 'divides', limit: 50 });
    expect(JSON.stringify(history).length).toBeLessThan(MAX_CHARACTERS);
    expect((history.runs as Data[]).length).toBeGreaterThan(30);
  });
});
