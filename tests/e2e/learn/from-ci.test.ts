/**
 * `argus learn --from-ci` on folders as CI leaves them: reports of several runners with their commits, told in the order of the
 * commits whatever their names, once; and folders that nobody should trust.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, type Data, environment, project } from '../harness.ts';

/** A repository of so many commits, the oldest first. */
function repository(commits: number) {
  const root = project({});
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  const hashes = Array.from({ length: commits }, (_, index) => {
    writeFileSync(path.join(root, 'cart.js'), `export const version = ${index};\n`);
    git('add', '-A');
    git('commit', '-qm', `change ${index}`);
    return git('rev-parse', 'HEAD');
  });
  return { root, hashes };
}

function written(folder: string, name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
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
const TAP = 'TAP version 13\n1..2\nok 1 - opens\nok 2 - closes\n';

const learn = async (cwd: string, folder: string) => {
  const { status, stdout } = await argus(['learn', '--from-ci', folder, '--json'], { cwd });
  return { status, ...(JSON.parse(stdout) as { data: { fromCi: Data & { leftOut: Data[] } } }).data.fromCi };
};
const history = async (cwd: string) =>
  JSON.parse((await argus(['history', '--limit', '100', '--json'], { cwd })).stdout).data.runs as (Data & {
    gitCommit: string;
    timestamp: string;
  })[];

test('reports of several runners are taken in by their commits, the oldest first, once', async () => {
  const { root, hashes } = repository(5);
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = hashes;
  const folder = project({});
  // Names that sort in another order than the commits came.
  // With a letter in it: digits alone are no commit but a number or a date.
  const [short = ''] = /^.{11,}?[a-f]/u.exec(first) ?? [];
  written(folder, `z-${short}/unit/junit.xml`, junit(false));
  written(folder, `y/2026-02-03-${second}/junit.xml`, junit(true));
  written(folder, `c/job.json`, JSON.stringify({ sha: third, ref: 'main', started_at: '2026-02-04T05:06:07Z' }));
  written(folder, 'c/reports/a.tap', TAP);
  written(folder, 'c/reports/b.xml', junit(true));
  written(folder, `b/ctrf.json`, ctrf(fourth));
  written(folder, `a/${fifth}/windows-latest/junit.xml`, junit(false, '2026-02-05T01:02:03Z'));
  written(folder, `a/${fifth}/notes.md`, 'nothing\n');
  const line = { id: 'ci-1', startedAt: Date.parse('2026-02-01T00:00:00Z'), commit: first, cases: [] as Data[] };
  line.cases = [{ name: 'cart.test.js > adds', status: 'passed' }];
  written(folder, 'argus/runs.jsonl', `${JSON.stringify(line)}\n{"id": 3}\n`);

  const taken = await learn(root, folder);
  expect(taken).toMatchObject({
    status: 0,
    runs: 6,
    known: 0,
    failures: 2,
    tests: { healthy: 1 },
    fixes: { found: 2 },
  });
  expect(taken.leftOut).toEqual([{ name: 'argus/runs.jsonl:2', reason: expect.stringContaining('no run') }]);
  const runs = await history(root);
  expect(new Set(runs.map(({ gitCommit }) => gitCommit))).toEqual(new Set(hashes));
  expect(runs.find(({ gitCommit }) => gitCommit === second)?.timestamp).toBe('2026-02-03T00:00:00.000Z');
  // The failure lasted from the second to the third commit, so that what mended it lies behind that.
  const [fix] = JSON.parse((await argus(['fixes', '--json'], { cwd: root })).stdout).data.fixes as Data[];
  expect(fix).toMatchObject({ caseNames: ['cart.test.js > adds'] });
  expect([fourth, fifth]).toContain(fix?.commit);

  const again = await learn(root, folder);
  expect(again).toMatchObject({ status: 0, runs: 0, known: 6, failures: 0 });
  expect(await history(root)).toEqual(runs);
  const text = (await argus(['learn', '--from-ci', folder], { cwd: root })).stdout;
  expect(text).toMatch(
    /^0 runs taken in, 6 known before, .* 1 left out: argus\/runs\.jsonl:2 \(no run .*; known now: /u,
  );
});

test('what names no commit, or one that the repository does not have, is left out with its reason', async () => {
  const { root } = repository(1);
  const folder = project({});
  written(folder, 'nobody/junit.xml', junit(false));
  written(folder, 'abcdef1/junit.xml', junit(false));
  const taken = await learn(root, folder);
  expect(taken).toMatchObject({ runs: 0, known: 0 });
  expect(taken.leftOut).toEqual([
    { name: 'abcdef1', reason: 'the repository has no commit abcdef1' },
    { name: 'nobody', reason: 'no commit is named by its folder, its name or a file beside it' },
  ]);
});

test('outside a repository whole hashes count, by the times of the reports', async () => {
  const root = project({});
  const folder = project({});
  written(folder, `${'a'.repeat(40)}/junit.xml`, junit(false, '2026-02-05T00:00:00'));
  written(folder, `${'b'.repeat(40)}/junit.xml`, junit(true, '2026-02-04T00:00:00'));
  expect(await learn(root, folder)).toMatchObject({ runs: 2, failures: 1 });
  expect((await history(root)).map(({ gitCommit, timestamp }) => [gitCommit[0], timestamp.slice(0, 10)])).toEqual([
    ['a', '2026-02-05'],
    ['b', '2026-02-04'],
  ]);
});

test('a hostile folder is read as far as it can be, and nothing outside of it', async () => {
  const { root, hashes } = repository(1);
  const [commit = ''] = hashes;
  const outside = project({});
  written(outside, `${commit}/junit.xml`, junit(false));
  const folder = project({});
  symlinkSync(path.join(outside, commit), path.join(folder, commit));
  written(folder, `${commit}-1/broken.xml`, '<testsuites><testsuite name="a"><testcase name="x"');
  written(folder, `${commit}-2/huge.xml`, '');
  truncateSync(path.join(folder, `${commit}-2/huge.xml`), 300 * 1024 * 1024);
  written(
    folder,
    `${commit}-3/junit.xml`,
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><testsuites><testsuite name="s"><testcase name="&b;"/></testsuite></testsuites>',
  );
  written(folder, `${commit}-4/coverage.xml`, '<coverage line-rate="1"></coverage>');
  written(folder, `${commit}-5/lines.jsonl`, `{"id": "a", "cases": [`);
  written(folder, `${commit}-6/junit.xml`, junit(true));
  const taken = await learn(root, folder);
  const reasons = Object.fromEntries(taken.leftOut.map(({ name, reason }) => [String(name), String(reason)]));
  expect(reasons[commit]).toBe('a link, which is not followed');
  expect(reasons[`${commit}-2/huge.xml`]).toBe('larger than 256 MiB');
  expect(reasons[`${commit}-4`]).toBeDefined();
  expect(JSON.stringify(await history(root))).not.toContain('root:');
  expect(taken).toMatchObject({ status: 0, failures: 1 });
  expect(await learn(root, folder)).toMatchObject({ runs: 0 });
});

test('where fixes are known already, what is older than the newest run is left out', async () => {
  const { root, hashes } = repository(3);
  const [first = '', second = '', third = ''] = hashes;
  const newer = project({});
  written(newer, `${second}/junit.xml`, junit(true));
  written(newer, `${third}/junit.xml`, junit(false));
  expect(await learn(root, newer)).toMatchObject({ runs: 2, fixes: { found: 1 } });
  const older = project({});
  written(older, `${first}/junit.xml`, junit(true));
  expect(await learn(root, older)).toMatchObject({
    runs: 0,
    leftOut: [{ name: first, reason: 'older than what is recorded, by which fixes are known already' }],
    fixes: { found: 1 },
  });
  // What is known is no older run.
  expect(await learn(root, newer)).toMatchObject({ runs: 0, known: 2, leftOut: [] });
});

test('a run that is cancelled leaves a sound memory, and goes on the next time', async () => {
  const { root, hashes } = repository(60);
  const folder = project({});
  for (const [index, hash] of hashes.entries()) written(folder, `${hash}/junit.xml`, junit(index % 7 === 3));
  const child = spawn(process.execPath, [BUNDLE, 'learn', '--from-ci', folder, '--json'], {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  // Once something is stored, and long before all of it is.
  while ((await history(root)).length === 0 && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  const { fromCi } = JSON.parse(output).data as { fromCi: Data };
  if (fromCi.cancelled === true) expect(code).toBe(2);
  const stored = Number(fromCi.runs);
  expect(stored).toBeGreaterThan(0);
  expect(await history(root)).toHaveLength(stored);
  expect(await learn(root, folder)).toMatchObject({ runs: 60 - stored, known: stored });
  expect((await argus(['doctor'], { cwd: root })).status).toBe(0);
});

test('a folder without a report teaches nothing, and says so', async () => {
  const { root } = repository(1);
  const { stdout } = await argus(['learn', '--from-ci', project({ 'notes.md': 'nothing\n' })], { cwd: root });
  expect(stdout).toBe('no report was found there: nothing to learn from\n');
});

test('a folder that is not there is said', async () => {
  const { status, stdout } = await argus(['learn', '--from-ci', 'nowhere', '--json']);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
});
