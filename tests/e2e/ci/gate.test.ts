/** argus gate: which failures of a run block a change, with a quarantine that only the base branch controls. */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { git, write } from '../fix-loop/fix-loop.ts';
import { environment, project } from '../harness.ts';
import { BROKEN, change, FLAKY, FRESH, pick, REGRESSED, record, withHistory } from './history.ts';

const FILE = 'argus-quarantine.yaml';
const entry = (name: string, until: string) =>
  `version: 1\ncases:\n  - case: ${JSON.stringify(name)}\n    reason: waits for the queue\n    owner: ada\n    until: ${until}\n`;

const FAR = '2999-12-31';
const ADDED = `  - { case: ${JSON.stringify(REGRESSED)}, reason: mine, owner: eve, until: 2999-01-01 }\n`;

async function gate(root: string, args: string[] = [], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = await argus(['gate', '--json', ...args], { cwd: root, env });
  return { status, stderr, ...(JSON.parse(stdout || '{}').data ?? {}) };
}

async function runs(root: string) {
  return JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs;
}

const kinds = (failures: { caseName: string; verdict: { kind: string } }[]) =>
  Object.fromEntries(failures.map(({ caseName, verdict }) => [caseName, verdict.kind]));

test('fails for regressions, broken tests and new failures, and only reports flaky failures', async () => {
  const root = await withHistory();
  change(root, 'more');
  await record(root, pick(FLAKY, BROKEN, FRESH));
  const mixed = await gate(root);
  expect(mixed.status).toBe(1);
  expect(kinds(mixed.failing)).toEqual({ [BROKEN]: 'broken', [FRESH]: 'new' });
  expect(kinds(mixed.reported)).toEqual({ [FLAKY]: 'flaky' });
  expect((await argus(['gate'], { cwd: root })).stdout).toMatch(
    /^gate failed: run-[\s\S]*2 failures to mend:\n( {2}.*\n){2}1 failure not of this change:\n {2}a\.test\.js > waits: flaky/u,
  );

  change(root, 'breaks pays');
  await record(root, pick(REGRESSED));
  const { status, failing } = await gate(root);
  expect(status).toBe(1);
  expect(kinds(failing)).toEqual({ [REGRESSED]: 'regression' });
  const [{ id }] = await runs(root);

  change(root, 'mends all');
  await record(root, pick(FLAKY));
  const chance = await gate(root);
  expect(chance).toMatchObject({ status: 0, passes: true, failing: [], problems: [], notes: [] });
  expect(kinds(chance.reported)).toEqual({ [FLAKY]: 'flaky' });
  expect((await gate(root, [id])).status, 'an earlier run by its id').toBe(1);
});

test('uses the outcome that CI reports, and passes no run that was not recorded', async () => {
  const root = await withHistory();
  change(root, 'next');
  expect(await argus(['gate'], { cwd: root })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('No recorded run is of the commit that is checked out'),
  });
  await record(root, {});
  expect((await gate(root)).status).toBe(0);
  expect(await gate(root, ['--outcome', 'failure'])).toMatchObject({
    status: 1,
    problems: ['The run failed, but no test of it did: see what the command printed.'],
  });
  expect((await gate(root, ['--outcome', 'cancelled'])).problems).toEqual(['The tests were cancelled.']);
  expect(await argus(['gate', 'run-nope'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate', '--outcome', 'well'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate'], { cwd: project() }), 'nothing is recorded').toMatchObject({ status: 2 });
});

test('accepts quarantine entries of the base, but not entries that a change adds', async () => {
  const root = await withHistory({ [FILE]: entry(BROKEN, FAR) });
  git(root, 'checkout', '-q', '-b', 'change');
  await record(root, pick(BROKEN));
  expect(await gate(root, ['--base', 'main'])).toMatchObject({
    status: 0,
    failing: [],
    quarantined: [{ caseName: BROKEN, owner: 'ada', until: FAR }],
    quarantine: { from: expect.stringMatching(/^main \([0-9a-f]{12}\)$/u), added: [], changed: [], removed: [] },
  });

  write(root, FILE, entry(BROKEN, FAR) + ADDED);
  git(root, 'commit', '-qam', 'quarantine my own');
  await record(root, pick(BROKEN, REGRESSED));
  const own = await gate(root, ['--base', 'main']);
  expect(own).toMatchObject({ status: 1, failing: [{ caseName: REGRESSED }], quarantine: { added: [REGRESSED] } });
  expect((await argus(['gate', '--base', 'main'], { cwd: root })).stdout).toContain(
    `this change changes the quarantine:\n  added: ${REGRESSED}`,
  );

  // Later commits of main do not count as changes of this branch.
  git(root, 'checkout', '-q', 'main');
  write(root, FILE, entry(FLAKY, FAR));
  git(root, 'commit', '-qam', 'another');
  git(root, 'checkout', '-q', 'change');
  const { quarantine } = await gate(root, ['--base', 'main']);
  expect(quarantine).toMatchObject({ added: [REGRESSED], changed: [], removed: [] });
});

test('takes the base from CI, and quarantines nothing when the base is missing', async () => {
  const root = await withHistory({ [FILE]: entry(BROKEN, FAR) });
  await record(root, pick(BROKEN));
  const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'change' };
  const quarantine = { from: expect.stringMatching(/^main /u) };
  expect(await gate(root, [], github)).toMatchObject({ status: 0, quarantine });
  const unknown = await gate(root, [], { CI: 'true', CIRCLECI: 'true', CIRCLE_BRANCH: 'x' });
  expect(unknown).toMatchObject({ status: 1, quarantined: [], notes: [expect.stringContaining('with --base')] });

  const shallow = path.join(project(), 'clone');
  const clone = ['clone', '-q', '--depth=1', '--branch=main', `file://${root}`, shallow];
  execFileSync('git', clone, { env: environment(), stdio: 'pipe' });
  git(shallow, 'checkout', '-q', '-B', 'mine');
  git(shallow, 'update-ref', '-d', 'refs/remotes/origin/main');
  git(shallow, 'branch', '-D', 'main');
  await record(shallow, pick(BROKEN));
  const notes = [expect.stringContaining('main is not in this clone: check out with fetch-depth: 0')];
  expect(await gate(shallow, [], github)).toMatchObject({ status: 1, quarantined: [], notes });
  const push = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main' };
  const own = await gate(shallow, ['--base', 'main'], push);
  expect(own, 'a run of main itself').toMatchObject({ quarantined: [{ owner: 'ada' }] });
});

test('an expired or invalid entry fails the gate until a change renews, fixes or removes it', async () => {
  const root = await withHistory({ [FILE]: entry(FLAKY, '2026-01-31') });
  git(root, 'checkout', '-q', '-b', 'change');
  await record(root, pick(FLAKY));
  const over = `The quarantine of ${FLAKY} is over (until 2026-01-31, ada)`;
  const problems = [expect.stringContaining(over)];
  expect(await gate(root, ['--base', 'main'])).toMatchObject({ status: 1, failing: [], quarantined: [], problems });
  write(root, FILE, entry(FLAKY, FAR));
  expect(await gate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { changed: [FLAKY] } });
  write(root, FILE, 'cases: []\n');
  expect(await gate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { removed: [FLAKY] } });
  write(root, FILE, entry('x', 'soon'));
  const mistake = [expect.stringContaining(`${FILE}:6: cases.0.until: `)];
  expect(await gate(root)).toMatchObject({ status: 1, problems: mistake });
});
