/**
 * Tests `argus learn --from-ci` on folders of CI artifacts: reports of several runners are recorded once, in the order
 * of their commits and not of their names. Hostile folders are tested too.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus, startArgus } from '../argus.ts';
import { commitUniqueChanges } from '../ci/history.ts';
import { createRepository } from '../fix-loop/fix-loop.ts';
import { createProject, type Data } from '../harness.ts';
import { readCommandData, writeFiles } from './repository.ts';

/** Creates a repository and returns its commits, the oldest first. */
function createHistory(count: number): { root: string; hashes: string[] } {
  const root = createRepository({ 'cart.js': '' });
  return { root, hashes: commitUniqueChanges(root, count).map(({ commit }) => commit) };
}

const junitReport = (fails: boolean, time = '') =>
  `<testsuites><testsuite name="cart.test.js"${time && ` timestamp="${time}"`} tests="2"><testcase classname="cart.test.js" name="adds" time="0.01">${fails ? '<failure message="Error: the drawer is stuck">Error: the drawer is stuck\n    at open (cart.js:3:9)</failure>' : ''}</testcase><testcase classname="cart.test.js" name="counts" time="0.01"/></testsuite></testsuites>`;
const ctrfReport = (commit?: string) =>
  JSON.stringify({
    results: {
      tool: { name: 'vitest' },
      ...(commit === undefined ? {} : { environment: { commit, branchName: 'main' } }),
      summary: { tests: 1, passed: 1, failed: 0, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
      tests: [{ name: 'sums', status: 'passed', duration: 3, filePath: 'sum.test.js' }],
    },
  });
async function learnFromCi(cwd: string, folder: string) {
  const { fromCi } = await readCommandData(cwd, 'learn', '--from-ci', folder);
  return fromCi as Data & { runs: number; leftOut: Data[] };
}

async function readHistory(cwd: string) {
  const { runs } = await readCommandData(cwd, 'history', '--limit', '100');
  return runs as (Data & { gitCommit: string; timestamp: string })[];
}

test('reports of several runners are recorded once, in the order of their commits', async () => {
  const { root, hashes } = createHistory(5);
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = hashes;
  // A hash must contain a letter, because a name of only digits counts as a number or a date instead of a commit.
  const [short = ''] = /^.{11,}?[a-f]/u.exec(first) ?? [];
  const cases = [{ name: 'cart.test.js > adds', status: 'passed' }];
  const line = { id: 'ci-1', startedAt: Date.parse('2026-02-01T00:00:00Z'), commit: first, cases };
  // The order of the names differs from the order of the commits.
  const folder = createProject({
    [`z-${short}/unit/junit.xml`]: junitReport(false),
    [`y/2026-02-03-${second}/junit.xml`]: junitReport(true),
    'c/job.json': JSON.stringify({ sha: third, ref: 'main', started_at: '2026-02-04T05:06:07Z' }),
    'c/reports/a.tap': 'TAP version 13\n1..2\nok 1 - opens\nok 2 - closes\n',
    'c/reports/b.xml': junitReport(true),
    'b/ctrf.json': ctrfReport(fourth),
    [`a/${fifth}/windows-latest/junit.xml`]: junitReport(false, '2026-02-05T01:02:03Z'),
    [`a/${fifth}/notes.md`]: 'nothing\n',
    'argus/runs.jsonl': `${JSON.stringify(line)}\n{"id": 3}\n`,
  });

  const taken = await learnFromCi(root, folder);
  expect(taken).toMatchObject({ runs: 6, known: 0, failures: 2, tests: { healthy: 1 }, fixes: { found: 2 } });
  expect(taken.leftOut).toEqual([{ name: 'argus/runs.jsonl:2', reason: expect.stringContaining('no run') }]);
  const runs = await readHistory(root);
  expect(new Set(runs.map(({ gitCommit }) => gitCommit))).toEqual(new Set(hashes));
  expect(runs.find(({ gitCommit }) => gitCommit === second)?.timestamp).toBe('2026-02-03T00:00:00.000Z');
  // The test still failed at the third commit, so a later commit fixed it.
  const [fix] = (await readCommandData(root, 'fixes')).fixes as Data[];
  expect(fix).toMatchObject({ caseNames: ['cart.test.js > adds'] });
  expect([fourth, fifth]).toContain(fix?.commit);

  expect(await learnFromCi(root, folder)).toMatchObject({ runs: 0, known: 6, failures: 0 });
  expect(await readHistory(root)).toEqual(runs);
  expect((await argus(['learn', '--from-ci', folder], { cwd: root })).stdout).toMatch(
    /^0 runs imported, 6 already known, .* 1 skipped: argus\/runs\.jsonl:2 \(no run .*; now: /u,
  );
});

test('reports without a known commit are skipped, and the reason is given', async () => {
  const { root } = createHistory(1);
  const folder = createProject({ 'nobody/junit.xml': junitReport(false), 'abcdef1/junit.xml': junitReport(false) });
  const taken = await learnFromCi(root, folder);
  expect(taken).toMatchObject({ runs: 0, known: 0 });
  expect(taken.leftOut).toEqual([
    { name: 'abcdef1', reason: 'the repository has no commit abcdef1' },
    { name: 'nobody', reason: 'neither its folder, its name nor a file beside it names a commit' },
  ]);
});

test('outside a repository, only full hashes count, in the order of the report times', async () => {
  const root = createProject();
  const folder = createProject({
    [`${'a'.repeat(40)}/junit.xml`]: junitReport(false, '2026-02-05T00:00:00'),
    [`${'b'.repeat(40)}/junit.xml`]: junitReport(true, '2026-02-04T00:00:00'),
  });
  expect(await learnFromCi(root, folder)).toMatchObject({ runs: 2, failures: 1 });
  expect((await readHistory(root)).map(({ gitCommit, timestamp }) => [gitCommit[0], timestamp.slice(0, 10)])).toEqual([
    ['a', '2026-02-05'],
    ['b', '2026-02-04'],
  ]);
});

test('the valid part of a hostile folder is read, and no file outside of the folder', async () => {
  const { root, hashes } = createHistory(1);
  const [commit = ''] = hashes;
  const outside = createProject({ [`${commit}/junit.xml`]: junitReport(false) });
  const folder = createProject({
    [`${commit}-1/broken.xml`]: '<testsuites><testsuite name="a"><testcase name="x"',
    [`${commit}-2/huge.xml`]: '',
    [`${commit}-3/junit.xml`]:
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuites><testsuite name="s"><testcase name="&b;"/></testsuite></testsuites>',
    [`${commit}-4/coverage.xml`]: '<coverage line-rate="1"></coverage>',
    [`${commit}-5/lines.jsonl`]: `{"id": "a", "cases": [`,
    [`${commit}-6/junit.xml`]: junitReport(true),
  });
  symlinkSync(path.join(outside, commit), path.join(folder, commit));
  truncateSync(path.join(folder, `${commit}-2/huge.xml`), 300 * 1024 * 1024);
  const taken = await learnFromCi(root, folder);
  const reasons = Object.fromEntries(taken.leftOut.map(({ name, reason }) => [String(name), String(reason)]));
  expect(reasons[commit]).toBe('links are not followed');
  expect(reasons[`${commit}-2/huge.xml`]).toBe('larger than 256 MiB');
  expect(reasons[`${commit}-4`]).toBeDefined();
  expect(JSON.stringify(await readHistory(root))).not.toContain('root:');
  expect(taken).toMatchObject({ failures: 1 });
  expect(await learnFromCi(root, folder)).toMatchObject({ runs: 0 });
});

test('runs that are older than the newest run are skipped once fixes are known', async () => {
  const { root, hashes } = createHistory(3);
  const [first = '', second = '', third = ''] = hashes;
  const newer = createProject({
    [`${second}/junit.xml`]: junitReport(true),
    [`${third}/junit.xml`]: junitReport(false),
  });
  expect(await learnFromCi(root, newer)).toMatchObject({ runs: 2, fixes: { found: 1 } });
  const older = createProject({ [`${first}/junit.xml`]: junitReport(true) });
  expect(await learnFromCi(root, older)).toMatchObject({
    runs: 0,
    leftOut: [{ name: first, reason: 'older than the recorded runs, whose fixes are already known' }],
    fixes: { found: 1 },
  });
  // Runs that are already recorded do not count as older runs.
  expect(await learnFromCi(root, newer)).toMatchObject({ runs: 0, known: 2, leftOut: [] });
});

/** Counts synchronously in another program, so that this process records no run at the same time. */
function countStoredRuns(root: string): number {
  const database = path.join(root, '.argus', 'argus.db');
  const { stdout } = spawnSync('sqlite3', [database, 'SELECT count(*) FROM runs'], { encoding: 'utf8' });
  return Number(stdout);
}

test('a cancelled command leaves a valid memory, and the next command continues', async () => {
  const { root, hashes } = createHistory(30);
  const folder = createProject();
  for (const [at, hash] of hashes.entries()) writeFiles(folder, { [`${hash}/junit.xml`]: junitReport(at % 7 === 3) });
  mkdirSync(path.join(root, '.argus'));
  const changes = watch(path.join(root, '.argus'));
  const running = startArgus(['learn', '--from-ci', folder, '--json'], { cwd: root });
  for await (const _ of changes) if (countStoredRuns(root) > 0) break;
  running.signal('SIGINT');
  const { status, stdout } = await running.done;
  const { fromCi } = JSON.parse(stdout).data;
  expect({ status, cancelled: fromCi.cancelled }).toEqual({ status: 2, cancelled: true });
  expect(fromCi.runs).toBeGreaterThan(0);
  expect(await readHistory(root)).toHaveLength(fromCi.runs);
  expect(await learnFromCi(root, folder)).toMatchObject({ runs: 30 - fromCi.runs, known: fromCi.runs });
  expect((await argus(['doctor'], { cwd: root })).status).toBe(0);
});

test('a folder without reports is reported', async () => {
  const { root } = createHistory(1);
  const { stdout } = await argus(['learn', '--from-ci', createProject({ 'notes.md': 'nothing\n' })], { cwd: root });
  expect(stdout).toBe('no reports found, so there is nothing to learn\n');
});

test('a missing folder is an error', async () => {
  const { status, stdout } = await argus(['learn', '--from-ci', 'nowhere', '--json']);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
});
