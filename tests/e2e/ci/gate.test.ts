/** argus gate: what failures of a run keep a change out, with a quarantine that only the base branch decides. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { fixProblem, git, repository, stateOf } from '../fix-loop/fix-loop.ts';
import { environment, project } from '../harness.ts';
import { BROKEN, change, FLAKY, FRESH, pick, REGRESSED, record, withHistory } from './history.ts';

const FILE = 'argus-quarantine.yaml';
const entry = (name: string, until: string) =>
  `version: 1\ncases:\n  - case: ${JSON.stringify(name)}\n    reason: waits for the queue\n    owner: ada\n    until: ${until}\n`;

async function gate(root: string, args: string[] = [], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = await argus(['gate', '--json', ...args], { cwd: root, env });
  return { status, stderr, ...(JSON.parse(stdout || '{}').data ?? {}) };
}

const names = (failures: { caseName: string }[]) => failures.map(({ caseName }) => caseName);
const kinds = (failures: { caseName: string; verdict: { kind: string } }[]) =>
  Object.fromEntries(failures.map(({ caseName, verdict }) => [caseName, verdict.kind]));

test('regressions, broken and new failures fail it; those by chance are reported', async () => {
  const root = await withHistory();
  change(root, 'more');
  await record(root, pick(FLAKY, BROKEN, FRESH));
  const { status, failing, reported } = await gate(root);
  expect(status).toBe(1);
  expect(kinds(failing)).toEqual({ [BROKEN]: 'broken', [FRESH]: 'new' });
  expect(names(reported)).toEqual([FLAKY]);
  const { stdout } = await argus(['gate'], { cwd: root });
  expect(stdout).toMatch(/^gate failed: run-/u);
  expect(stdout).toMatch(
    /2 failures to mend:\n( {2}.*\n){2}1 failure not of this change:\n {2}a\.test\.js > waits: flaky/u,
  );
});

test('a failure that began with a change fails it, and what came by chance does not', async () => {
  const root = await withHistory();
  change(root, 'breaks pays');
  await record(root, pick(REGRESSED));
  const { status, failing } = await gate(root);
  expect(status).toBe(1);
  expect(kinds(failing)).toEqual({ [REGRESSED]: 'regression' });
  change(root, 'mends all');
  await record(root, pick(FLAKY));
  const chance = await gate(root);
  expect(chance).toMatchObject({ status: 0, passes: true, failing: [], problems: [], notes: [] });
  expect(kinds(chance.reported)).toEqual({ [FLAKY]: 'flaky' });
  expect(
    (await gate(root, [JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs[1].id])).status,
  ).toBe(1);
});

test('a run that does not show what failed does not pass', async () => {
  const root = await withHistory();
  expect(await gate(root, ['--outcome', 'success']), 'runs of the history are of this commit').toMatchObject({
    status: 1,
  });
  change(root, 'next');
  const none = await argus(['gate'], { cwd: root });
  expect(none.status).toBe(2);
  expect(none.stderr).toContain('No recorded run is of the commit that is checked out');
  await record(root, {});
  expect(await gate(root, ['--outcome', 'failure'])).toMatchObject({
    status: 1,
    problems: ['The run failed, but no test of it did: see what the command printed.'],
  });
  expect((await gate(root, ['--outcome', 'cancelled'])).problems).toEqual(['The tests were cancelled.']);
  expect((await gate(root)).status).toBe(0);
  expect(await argus(['gate', 'run-nope'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate', '--outcome', 'well'], { cwd: root })).toMatchObject({ status: 2 });
  expect(await argus(['gate'], { cwd: project() }), 'nothing is recorded').toMatchObject({ status: 2 });
});

test('a run of other files does not count, though all work trees of a repository have one memory', async () => {
  const root = await withHistory();
  change(root, 'both');
  const other = path.join(project(), 'linked');
  git(root, 'worktree', 'add', '-q', other);
  await record(root, {});
  writeFileSync(path.join(other, 'c.js'), 'exports.total = "an edit";\n');
  await record(other, pick(REGRESSED));
  const [edited, clean] = JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs;
  expect([edited, clean]).toMatchObject([{ dirty: true }, { dirty: false }]);
  expect(await gate(root)).toMatchObject({ status: 0, runId: clean.id });
  expect(await gate(other)).toMatchObject({ status: 1, runId: edited.id });

  // What the tests wrote beside the files of the commit does not make it another.
  writeFileSync(path.join(root, 'report.xml'), '<testsuites/>');
  expect(await gate(root)).toMatchObject({ status: 0, runId: clean.id });
  writeFileSync(path.join(root, 'c.js'), 'exports.total = "another edit";\n');
  const none = await argus(['gate'], { cwd: root });
  expect(none.status).toBe(2);
  expect(none.stderr).toContain('No recorded run is of the files as they lie here');

  // The same files are the same state, also in the other work tree and once they are committed.
  git(other, 'commit', '-qam', 'the edit');
  expect(await gate(other)).toMatchObject({ status: 1, runId: edited.id });
});

test('what the base quarantines does not fail it, and no change quarantines its own failures', async () => {
  const root = await withHistory({ [FILE]: entry(BROKEN, '2999-12-31') });
  git(root, 'checkout', '-q', '-b', 'change');
  await record(root, pick(BROKEN));
  const excused = await gate(root, ['--base', 'main']);
  expect(excused).toMatchObject({
    status: 0,
    failing: [],
    quarantined: [{ caseName: BROKEN, owner: 'ada', until: '2999-12-31' }],
  });
  expect(excused.quarantine).toEqual({
    from: expect.stringMatching(/^main \([0-9a-f]{12}\)$/u),
    added: [],
    changed: [],
    removed: [],
  });

  writeFileSync(
    path.join(root, FILE),
    `${entry(BROKEN, '2999-12-31')}  - { case: ${JSON.stringify(REGRESSED)}, reason: mine, owner: eve, until: 2999-01-01 }\n`,
  );
  git(root, 'commit', '-qam', 'quarantine my own');
  await record(root, pick(BROKEN, REGRESSED));
  const own = await gate(root, ['--base', 'main']);
  expect(own).toMatchObject({ status: 1, quarantine: { added: [REGRESSED] } });
  expect(names(own.failing)).toEqual([REGRESSED]);
  expect((await argus(['gate', '--base', 'main'], { cwd: root })).stdout).toContain(
    `this change changes the quarantine:\n  added: ${REGRESSED}`,
  );

  // What main takes in meanwhile is no change of this branch.
  git(root, 'checkout', '-q', 'main');
  writeFileSync(path.join(root, FILE), entry(FLAKY, '2999-12-31'));
  git(root, 'commit', '-qam', 'another');
  git(root, 'checkout', '-q', 'change');
  expect((await gate(root, ['--base', 'main'])).quarantine).toMatchObject({
    added: [REGRESSED],
    changed: [],
    removed: [],
  });
});

test('the base is what CI says, and where it is not there nothing is quarantined', async () => {
  const root = await withHistory({ [FILE]: entry(BROKEN, '2999-12-31') });
  await record(root, pick(BROKEN));
  const github = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'change' };
  expect(await gate(root, [], github)).toMatchObject({
    status: 0,
    quarantine: { from: expect.stringMatching(/^main /u) },
  });
  expect((await gate(root, ['--base', 'main'], { CI: 'true', CIRCLECI: 'true', CIRCLE_BRANCH: 'main' })).status).toBe(
    0,
  );
  const unknown = await gate(root, [], { CI: 'true', CIRCLECI: 'true', CIRCLE_BRANCH: 'x' });
  expect(unknown).toMatchObject({
    status: 1,
    quarantined: [],
    notes: [expect.stringContaining('name it with --base')],
  });
  const shallow = path.join(project(), 'clone');
  execFileSync('git', ['clone', '-q', '--depth=1', '--branch=main', `file://${root}`, shallow], {
    env: environment(),
    stdio: 'pipe',
  });
  git(shallow, 'checkout', '-q', '-B', 'mine');
  git(shallow, 'update-ref', '-d', 'refs/remotes/origin/main');
  git(shallow, 'branch', '-D', 'main');
  await record(shallow, pick(BROKEN));
  const missing = await gate(shallow, [], github);
  expect(missing).toMatchObject({ status: 1, quarantined: [] });
  expect(missing.notes).toEqual([expect.stringContaining('main is not in this clone: git fetch')]);
  const push = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main' };
  expect(await gate(shallow, ['--base', 'main'], push), 'a run of main itself').toMatchObject({
    quarantined: [{ owner: 'ada' }],
  });
});

test('an entry that is over fails it until a change renews or removes it', async () => {
  const root = await withHistory({ [FILE]: entry(FLAKY, '2026-01-31') });
  git(root, 'checkout', '-q', '-b', 'change');
  await record(root, pick(FLAKY));
  const over = await gate(root, ['--base', 'main']);
  expect(over).toMatchObject({
    status: 1,
    failing: [],
    quarantined: [],
    problems: [expect.stringContaining(`The quarantine of ${FLAKY} is over (until 2026-01-31, ada)`)],
  });
  writeFileSync(path.join(root, FILE), entry(FLAKY, '2999-12-31'));
  expect(await gate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { changed: [FLAKY] } });
  writeFileSync(path.join(root, FILE), 'cases: []\n');
  expect(await gate(root, ['--base', 'main'])).toMatchObject({ status: 0, quarantine: { removed: [FLAKY] } });
});

test('a file with a mistake fails it with its line', async () => {
  const root = repository({ 'package.json': '{}\n' });
  writeFileSync(path.join(root, FILE), entry('x', 'soon'));
  await record(root, {});
  expect(await gate(root)).toMatchObject({
    status: 1,
    problems: [expect.stringContaining(`${FILE}:6: cases.0.until: `)],
  });
});

test('a fix that changes the quarantine is suspicious', async () => {
  const check = "process.exit(require('node:fs').existsSync('mended') ? 0 : 1)\n";
  const root = repository({ 'check.js': check, [FILE]: 'cases: []\n' });
  expect(
    (await fixProblem(root, ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'])).status,
  ).toBe(3);
  writeFileSync(path.join(root, 'mended'), '');
  writeFileSync(path.join(root, FILE), entry('node check.js', '2999-12-31'));
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(1);
  expect(stdout).toContain(`### Suspicious Changes\n- \`${FILE}:1\` failure ignored`);
  expect(stateOf(root).status).toBe('suspicious');
});
