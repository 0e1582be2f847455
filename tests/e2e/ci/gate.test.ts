/** Tests argus gate: which failures of a run block a change, with a quarantine that only the base branch controls. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { runGit, writeProjectFile } from '../fix-loop/fix-loop.ts';
import { createEnvironment, createProject } from '../harness.ts';
import {
  BROKEN_CASE,
  commitUniqueChange,
  createRepositoryWithHistory,
  errorsOf,
  FLAKY_CASE,
  NEW_CASE_NAME,
  REGRESSED_CASE,
  recordRun,
} from './history.ts';

const QUARANTINE_FILE = 'argus-quarantine.yaml';
const quarantineEntry = (name: string, until: string) =>
  `version: 1\ncases:\n  - case: ${JSON.stringify(name)}\n    reason: waits for the queue\n    owner: ada\n    until: ${until}\n`;

const FAR_FUTURE = '2999-12-31';
const ADDED_ENTRY = `  - { case: ${JSON.stringify(REGRESSED_CASE)}, reason: mine, owner: eve, until: 2999-01-01 }\n`;

async function runGate(root: string, args: string[] = [], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = await argus(['gate', '--json', ...args], { cwd: root, env });
  return { status, stderr, ...(JSON.parse(stdout || '{}').data ?? {}) };
}

async function listRuns(root: string) {
  return JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs;
}

const verdictKinds = (failures: { caseName: string; verdict: { kind: string } }[]) =>
  Object.fromEntries(failures.map(({ caseName, verdict }) => [caseName, verdict.kind]));

test('the gate fails for regressions, broken tests and new failures, and only reports flaky failures', async () => {
  const root = await createRepositoryWithHistory();
  commitUniqueChange(root, 'more');
  await recordRun(root, errorsOf(FLAKY_CASE, BROKEN_CASE, NEW_CASE_NAME));
  const mixed = await runGate(root);
  expect(mixed.status).toBe(1);
  expect(verdictKinds(mixed.failing)).toEqual({ [BROKEN_CASE]: 'broken', [NEW_CASE_NAME]: 'new' });
  expect(verdictKinds(mixed.reported)).toEqual({ [FLAKY_CASE]: 'flaky' });
  expect((await argus(['gate'], { cwd: root })).stdout).toMatch(
    /^gate failed: run-[\s\S]*Blocked by 2 failures:\n( {2}.*\n){2}1 failure not caused by this change:\n {2}a\.test\.js > waits: flaky/u,
  );

  commitUniqueChange(root, 'breaks pays');
  await recordRun(root, errorsOf(REGRESSED_CASE));
  const { status, failing } = await runGate(root);
  expect(status).toBe(1);
  expect(verdictKinds(failing)).toEqual({ [REGRESSED_CASE]: 'regression' });
  const [{ id }] = await listRuns(root);

  commitUniqueChange(root, 'mends all');
  await recordRun(root, errorsOf(FLAKY_CASE));
  const chance = await runGate(root);
  expect(chance).toMatchObject({ status: 0, passes: true, failing: [], problems: [], notes: [] });
  expect(verdictKinds(chance.reported)).toEqual({ [FLAKY_CASE]: 'flaky' });
  expect((await runGate(root, [id])).status, 'an earlier run by its id').toBe(1);
});

test('import, ci and gate fail for an incomplete report, but not for damaged output', async () => {
  const root = await createRepositoryWithHistory();
  const cut = '1..5\nok 1 - a\nok 2 - b\n';
  const damaged = Buffer.from(
    '<testsuite name="s"><testcase name="a"/><system-out>\xFF &nbsp;</system-out></testsuite>',
    'latin1',
  );
  for (const [report, status] of [
    [cut, 1],
    [damaged, 0],
  ] as const) {
    commitUniqueChange(root, `with ${status}`);
    writeFileSync(path.join(root, 'report.json'), report);
    const imported = await argus(['import', 'report.json', '--json'], { cwd: root });
    expect(imported.status).toBe(status);
    const names = JSON.parse(imported.stdout).data.failures.map((one: { headline: string }) => one.headline);
    expect(names).toEqual(
      status === 0 ? [] : [expect.stringMatching(/^REPORT_INCOMPLETE: 5 tests were planned, 2 reported/u)],
    );
    expect((await runGate(root)).status).toBe(status);
    expect((await argus(['ci', 'report.json', '--gate'], { cwd: root })).status).toBe(status);
  }
});

test('the gate uses the outcome that CI reports, and passes no run that was not recorded', async () => {
  const root = await createRepositoryWithHistory();
  commitUniqueChange(root, 'next');
  expect(await argus(['gate'], { cwd: root })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('No run of the checked-out commit'),
  });
  await recordRun(root, {});
  expect((await runGate(root)).status).toBe(0);
  expect(await runGate(root, ['--outcome', 'failure'])).toMatchObject({
    status: 1,
    problems: ['The run failed, but none of its tests failed. See the output of the command.'],
  });
  expect((await runGate(root, ['--outcome', 'cancelled'])).problems).toEqual(['The tests were cancelled.']);
  expect(await argus(['gate', 'run-nope'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate', '--outcome', 'well'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate'], { cwd: createProject() }), 'nothing is recorded').toMatchObject({ status: 2 });
});

test('the gate accepts quarantine entries of the base, but not entries that a change adds', async () => {
  const root = await createRepositoryWithHistory({ [QUARANTINE_FILE]: quarantineEntry(BROKEN_CASE, FAR_FUTURE) });
  runGit(root, 'checkout', '-q', '-b', 'change');
  await recordRun(root, errorsOf(BROKEN_CASE));
  expect(await runGate(root, ['--base', 'main'])).toMatchObject({
    status: 0,
    failing: [],
    quarantined: [{ caseName: BROKEN_CASE, owner: 'ada', until: FAR_FUTURE }],
    quarantine: { from: expect.stringMatching(/^main \([0-9a-f]{12}\)$/u), added: [], changed: [], removed: [] },
  });

  writeProjectFile(root, QUARANTINE_FILE, quarantineEntry(BROKEN_CASE, FAR_FUTURE) + ADDED_ENTRY);
  runGit(root, 'commit', '-qam', 'quarantine my own');
  await recordRun(root, errorsOf(BROKEN_CASE, REGRESSED_CASE));
  const own = await runGate(root, ['--base', 'main']);
  expect(own).toMatchObject({
    status: 1,
    failing: [{ caseName: REGRESSED_CASE }],
    quarantine: { added: [REGRESSED_CASE] },
  });
  expect((await argus(['gate', '--base', 'main'], { cwd: root })).stdout).toContain(
    `this change edits the quarantine:\n  added: ${REGRESSED_CASE}`,
  );

  // Later commits of main do not count as changes of this branch.
  runGit(root, 'checkout', '-q', 'main');
  writeProjectFile(root, QUARANTINE_FILE, quarantineEntry(FLAKY_CASE, FAR_FUTURE));
  runGit(root, 'commit', '-qam', 'another');
  runGit(root, 'checkout', '-q', 'change');
  const { quarantine } = await runGate(root, ['--base', 'main']);
  expect(quarantine).toMatchObject({ added: [REGRESSED_CASE], changed: [], removed: [] });
});

test('the gate takes the base from CI, and quarantines nothing if the base is missing', async () => {
  const root = await createRepositoryWithHistory({ [QUARANTINE_FILE]: quarantineEntry(BROKEN_CASE, FAR_FUTURE) });
  await recordRun(root, errorsOf(BROKEN_CASE));
  const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'change' };
  const quarantine = { from: expect.stringMatching(/^main /u) };
  expect(await runGate(root, [], github)).toMatchObject({ status: 0, quarantine });
  const unknown = await runGate(root, [], { CI: 'true', CIRCLECI: 'true', CIRCLE_BRANCH: 'x' });
  expect(unknown).toMatchObject({ status: 1, quarantined: [], notes: [expect.stringContaining('with --base')] });

  const shallow = path.join(createProject(), 'clone');
  const clone = ['clone', '-q', '--depth=1', '--branch=main', `file://${root}`, shallow];
  execFileSync('git', clone, { env: createEnvironment(), stdio: 'pipe' });
  runGit(shallow, 'checkout', '-q', '-B', 'mine');
  runGit(shallow, 'update-ref', '-d', 'refs/remotes/origin/main');
  runGit(shallow, 'branch', '-D', 'main');
  await recordRun(shallow, errorsOf(BROKEN_CASE));
  const notes = [expect.stringContaining('main is not in this clone: check out with fetch-depth: 0')];
  expect(await runGate(shallow, [], github)).toMatchObject({ status: 1, quarantined: [], notes });
  const push = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main' };
  const own = await runGate(shallow, ['--base', 'main'], push);
  expect(own, 'a run of main itself').toMatchObject({ quarantined: [{ owner: 'ada' }] });
});

test('an expired or invalid quarantine entry fails the gate until a change renews, fixes or removes it', async () => {
  const root = await createRepositoryWithHistory({ [QUARANTINE_FILE]: quarantineEntry(FLAKY_CASE, '2026-01-31') });
  runGit(root, 'checkout', '-q', '-b', 'change');
  await recordRun(root, errorsOf(FLAKY_CASE));
  const over = `The quarantine of ${FLAKY_CASE} has expired (until 2026-01-31, ada)`;
  const problems = [expect.stringContaining(over)];
  expect(await runGate(root, ['--base', 'main'])).toMatchObject({ status: 1, failing: [], quarantined: [], problems });
  writeProjectFile(root, QUARANTINE_FILE, quarantineEntry(FLAKY_CASE, FAR_FUTURE));
  expect(await runGate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { changed: [FLAKY_CASE] } });
  writeProjectFile(root, QUARANTINE_FILE, 'cases: []\n');
  expect(await runGate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { removed: [FLAKY_CASE] } });
  writeProjectFile(root, QUARANTINE_FILE, quarantineEntry('x', 'soon'));
  const mistake = [expect.stringContaining(`${QUARANTINE_FILE}:6: cases.0.until: `)];
  expect(await runGate(root)).toMatchObject({ status: 1, problems: mistake });
});

test('the gate judges the newest run of tests, even if another command ran later', async () => {
  const root = await createRepositoryWithHistory();
  commitUniqueChange(root, 'breaks pays');
  await recordRun(root, errorsOf(REGRESSED_CASE));
  expect((await argus(['run', 'echo hi'], { cwd: root })).status).toBe(0);
  expect(verdictKinds((await runGate(root)).failing)).toEqual({ [REGRESSED_CASE]: 'regression' });
});
