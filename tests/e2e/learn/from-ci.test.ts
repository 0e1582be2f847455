/**
 * `argus learn --from-ci` on folders of CI artifacts: reports of several runners are recorded once, in the order of
 * their commits and not of their names; and hostile folders.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus, startArgus } from '../argus.ts';
import { type Data, project } from '../harness.ts';
import { dataIn, put, Repository } from './repository.ts';

/** Makes a repository and returns its commits, the oldest first. */
function repository(commits: number): { root: string; hashes: string[] } {
  const it = new Repository();
  const hashes = Array.from({ length: commits }, (_, at) =>
    it.commit(`change ${at}`, { 'cart.js': `export const version = ${at};\n` }),
  );
  return { root: it.root, hashes };
}

const junit = (fails: boolean, time = '') =>
  `<testsuites><testsuite name="cart.test.js"${time && ` timestamp="${time}"`} tests="2"><testcase classname="cart.test.js" name="adds" time="0.01">${fails ? '<failure message="Error: the drawer is stuck">Error: the drawer is stuck\n    at open (cart.js:3:9)</failure>' : ''}</testcase><testcase classname="cart.test.js" name="counts" time="0.01"/></testsuite></testsuites>`;
const ctrf = (commit?: string) =>
  JSON.stringify({
    results: {
      tool: { name: 'vitest' },
      ...(commit === undefined ? {} : { environment: { commit, branchName: 'main' } }),
      summary: { tests: 1, passed: 1, failed: 0, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
      tests: [{ name: 'sums', status: 'passed', duration: 3, filePath: 'sum.test.js' }],
    },
  });
async function learned(cwd: string, folder: string) {
  const { fromCi } = await dataIn(cwd, 'learn', '--from-ci', folder);
  return fromCi as Data & { runs: number; leftOut: Data[] };
}

async function history(cwd: string) {
  const { runs } = await dataIn(cwd, 'history', '--limit', '100');
  return runs as (Data & { gitCommit: string; timestamp: string })[];
}

test('records reports of several runners once, in the order of their commits', async () => {
  const { root, hashes } = repository(5);
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = hashes;
  // Must contain a letter, because a name of only digits counts as a number or a date instead of a commit.
  const [short = ''] = /^.{11,}?[a-f]/u.exec(first) ?? [];
  const cases = [{ name: 'cart.test.js > adds', status: 'passed' }];
  const line = { id: 'ci-1', startedAt: Date.parse('2026-02-01T00:00:00Z'), commit: first, cases };
  // The names sort in a different order than the commits.
  const folder = project({
    [`z-${short}/unit/junit.xml`]: junit(false),
    [`y/2026-02-03-${second}/junit.xml`]: junit(true),
    'c/job.json': JSON.stringify({ sha: third, ref: 'main', started_at: '2026-02-04T05:06:07Z' }),
    'c/reports/a.tap': 'TAP version 13\n1..2\nok 1 - opens\nok 2 - closes\n',
    'c/reports/b.xml': junit(true),
    'b/ctrf.json': ctrf(fourth),
    [`a/${fifth}/windows-latest/junit.xml`]: junit(false, '2026-02-05T01:02:03Z'),
    [`a/${fifth}/notes.md`]: 'nothing\n',
    'argus/runs.jsonl': `${JSON.stringify(line)}\n{"id": 3}\n`,
  });

  const taken = await learned(root, folder);
  expect(taken).toMatchObject({ runs: 6, known: 0, failures: 2, tests: { healthy: 1 }, fixes: { found: 2 } });
  expect(taken.leftOut).toEqual([{ name: 'argus/runs.jsonl:2', reason: expect.stringContaining('no run') }]);
  const runs = await history(root);
  expect(new Set(runs.map(({ gitCommit }) => gitCommit))).toEqual(new Set(hashes));
  expect(runs.find(({ gitCommit }) => gitCommit === second)?.timestamp).toBe('2026-02-03T00:00:00.000Z');
  // The test still failed at the third commit, so a later commit fixed it.
  const [fix] = (await dataIn(root, 'fixes')).fixes as Data[];
  expect(fix).toMatchObject({ caseNames: ['cart.test.js > adds'] });
  expect([fourth, fifth]).toContain(fix?.commit);

  expect(await learned(root, folder)).toMatchObject({ runs: 0, known: 6, failures: 0 });
  expect(await history(root)).toEqual(runs);
  expect((await argus(['learn', '--from-ci', folder], { cwd: root })).stdout).toMatch(
    /^0 runs taken in, 6 known before, .* 1 left out: argus\/runs\.jsonl:2 \(no run .*; known now: /u,
  );
});

test('skips reports without a known commit and gives the reason', async () => {
  const { root } = repository(1);
  const folder = project({ 'nobody/junit.xml': junit(false), 'abcdef1/junit.xml': junit(false) });
  const taken = await learned(root, folder);
  expect(taken).toMatchObject({ runs: 0, known: 0 });
  expect(taken.leftOut).toEqual([
    { name: 'abcdef1', reason: 'the repository has no commit abcdef1' },
    { name: 'nobody', reason: 'no commit is named by its folder, its name or a file beside it' },
  ]);
});

test('outside a repository only full hashes count, in the order of the report times', async () => {
  const root = project();
  const folder = project({
    [`${'a'.repeat(40)}/junit.xml`]: junit(false, '2026-02-05T00:00:00'),
    [`${'b'.repeat(40)}/junit.xml`]: junit(true, '2026-02-04T00:00:00'),
  });
  expect(await learned(root, folder)).toMatchObject({ runs: 2, failures: 1 });
  expect((await history(root)).map(({ gitCommit, timestamp }) => [gitCommit[0], timestamp.slice(0, 10)])).toEqual([
    ['a', '2026-02-05'],
    ['b', '2026-02-04'],
  ]);
});

test('reads the valid part of a hostile folder, and no file outside of it', async () => {
  const { root, hashes } = repository(1);
  const [commit = ''] = hashes;
  const outside = project({ [`${commit}/junit.xml`]: junit(false) });
  const folder = project({
    [`${commit}-1/broken.xml`]: '<testsuites><testsuite name="a"><testcase name="x"',
    [`${commit}-2/huge.xml`]: '',
    [`${commit}-3/junit.xml`]:
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuites><testsuite name="s"><testcase name="&b;"/></testsuite></testsuites>',
    [`${commit}-4/coverage.xml`]: '<coverage line-rate="1"></coverage>',
    [`${commit}-5/lines.jsonl`]: `{"id": "a", "cases": [`,
    [`${commit}-6/junit.xml`]: junit(true),
  });
  symlinkSync(path.join(outside, commit), path.join(folder, commit));
  truncateSync(path.join(folder, `${commit}-2/huge.xml`), 300 * 1024 * 1024);
  const taken = await learned(root, folder);
  const reasons = Object.fromEntries(taken.leftOut.map(({ name, reason }) => [String(name), String(reason)]));
  expect(reasons[commit]).toBe('a link, which is not followed');
  expect(reasons[`${commit}-2/huge.xml`]).toBe('larger than 256 MiB');
  expect(reasons[`${commit}-4`]).toBeDefined();
  expect(JSON.stringify(await history(root))).not.toContain('root:');
  expect(taken).toMatchObject({ failures: 1 });
  expect(await learned(root, folder)).toMatchObject({ runs: 0 });
});

test('skips runs that are older than the newest run once fixes are known', async () => {
  const { root, hashes } = repository(3);
  const [first = '', second = '', third = ''] = hashes;
  const newer = project({ [`${second}/junit.xml`]: junit(true), [`${third}/junit.xml`]: junit(false) });
  expect(await learned(root, newer)).toMatchObject({ runs: 2, fixes: { found: 1 } });
  const older = project({ [`${first}/junit.xml`]: junit(true) });
  expect(await learned(root, older)).toMatchObject({
    runs: 0,
    leftOut: [{ name: first, reason: 'older than what is recorded, by which fixes are known already' }],
    fixes: { found: 1 },
  });
  // Known runs do not count as older runs.
  expect(await learned(root, newer)).toMatchObject({ runs: 0, known: 2, leftOut: [] });
});

/** Counts synchronously in another program, so that this process records no run meanwhile. */
function storedRuns(root: string): number {
  const database = path.join(root, '.argus', 'argus.db');
  const { stdout } = spawnSync('sqlite3', [database, 'SELECT count(*) FROM runs'], { encoding: 'utf8' });
  return Number(stdout);
}

test('a cancelled command leaves a valid memory, and the next command continues', async () => {
  const { root, hashes } = repository(30);
  const folder = project();
  for (const [at, hash] of hashes.entries()) put(folder, { [`${hash}/junit.xml`]: junit(at % 7 === 3) });
  mkdirSync(path.join(root, '.argus'));
  const changes = watch(path.join(root, '.argus'));
  const running = startArgus(['learn', '--from-ci', folder, '--json'], { cwd: root });
  for await (const _ of changes) if (storedRuns(root) > 0) break;
  running.signal('SIGINT');
  const { status, stdout } = await running.done;
  const { fromCi } = JSON.parse(stdout).data;
  expect({ status, cancelled: fromCi.cancelled }).toEqual({ status: 2, cancelled: true });
  expect(fromCi.runs).toBeGreaterThan(0);
  expect(await history(root)).toHaveLength(fromCi.runs);
  expect(await learned(root, folder)).toMatchObject({ runs: 30 - fromCi.runs, known: fromCi.runs });
  expect((await argus(['doctor'], { cwd: root })).status).toBe(0);
});

test('reports that a folder has no reports', async () => {
  const { root } = repository(1);
  const { stdout } = await argus(['learn', '--from-ci', project({ 'notes.md': 'nothing\n' })], { cwd: root });
  expect(stdout).toBe('no report was found there: nothing to learn from\n');
});

test('a missing folder is an error', async () => {
  const { status, stdout } = await argus(['learn', '--from-ci', 'nowhere', '--json']);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
});
