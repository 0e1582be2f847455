/**
 * Tests which files `clean` removes and which it keeps. Unit tests check how the age of a snapshot is read from its
 * name.
 */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import {
  CHECK_LOOP,
  createRepository,
  FAILING_FILES,
  findLoopFolder,
  fixProblem,
  readState,
  runGit,
  startFixProblem,
} from '../fix-loop/fix-loop.ts';
import { createEnvironment, createProject, createUser } from '../harness.ts';

const NOTHING_REMOVED = { snapshots: [], copies: [], logs: [], temporary: [], busy: [], problems: [] };
/** Uses a separate log folder, because otherwise `clean` would also remove old logs of other tests. */
const separateLogFolder = () => ({ ARGUS_LOG_DIR: createProject() });

async function runClean(root: string, args: string[] = [], env: Record<string, string> = separateLogFolder()) {
  const { status, stdout, stderr } = await argus(['clean', '--json', '--project', root, ...args], { env });
  expect(stderr).toBe('');
  return { status, data: JSON.parse(stdout).data };
}

/** Sets the time of a file to some days ago. */
function makeOlder(file: string, days: number): void {
  const time = Date.now() / 1_000 - days * 24 * 3_600;
  utimesSync(file, time, time);
}

function listSnapshotRefs(root: string): string[] {
  return runGit(root, 'for-each-ref', '--format=%(refname)', 'refs/argus').split('\n').filter(Boolean);
}

/** Creates a snapshot of an old loop. */
function createOldSnapshot(root: string): string {
  const date = `${Math.floor(Date.now() / 1_000) - 20 * 24 * 3_600} +0000`;
  const env = { ...createEnvironment(), GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  const words = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit-tree', '-m', 'x', 'HEAD^{tree}'];
  const id = execFileSync('git', words, { cwd: root, env, encoding: 'utf8' });
  runGit(root, 'update-ref', 'refs/argus/fixes/0badc0de/1', id.trim());
  return 'refs/argus/fixes/0badc0de/1';
}

test('clean removes old snapshots and logs of a repository, and everything with --all', async () => {
  const root = createRepository(FAILING_FILES);
  expect(await runClean(root)).toEqual({ status: 0, data: { dryRun: false, ...NOTHING_REMOVED } });
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  const old = createOldSnapshot(root);
  const own = listSnapshotRefs(root).filter((name) => name !== old);
  expect(own.length).toBeGreaterThan(0);

  expect((await runClean(root, ['--dry-run'])).data).toEqual({ dryRun: true, ...NOTHING_REMOVED, snapshots: [old] });
  expect(listSnapshotRefs(root)).toContain(old);
  expect((await runClean(root)).data).toEqual({ dryRun: false, ...NOTHING_REMOVED, snapshots: [old] });
  expect(listSnapshotRefs(root)).toEqual(own);

  makeOlder(path.join(findLoopFolder(root), 'state.json'), 15);
  const log = path.join(findLoopFolder(root), 'attempt_1.log');
  expect((await runClean(root)).data).toEqual({ dryRun: false, ...NOTHING_REMOVED, logs: [log] });
  expect(existsSync(log)).toBe(false);
  const { stdout } = await argus(['clean', '--all', '--project', root], { env: separateLogFolder() });
  expect(stdout).toContain(`snapshot in the repository: ${own[0]}`);
  expect(listSnapshotRefs(root)).toEqual([]);
  expect(readState(root).attempts, 'the state stays').toHaveLength(1);
});

test('the start of a loop also removes old snapshots', async () => {
  const root = createRepository(FAILING_FILES);
  const old = createOldSnapshot(root);
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  expect(listSnapshotRefs(root)).not.toContain(old);
});

test('clean removes old copies, and a loop that resumes later reports the missing copy', async () => {
  const root = createProject(FAILING_FILES);
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  const copies = path.join(findLoopFolder(root), 'copies');
  expect((await runClean(root)).data).toEqual({ dryRun: false, ...NOTHING_REMOVED });
  expect(existsSync(copies)).toBe(true);
  makeOlder(path.join(findLoopFolder(root), 'state.json'), 15);
  expect((await runClean(root)).data.copies).toEqual([copies]);
  expect(existsSync(copies)).toBe(false);
  writeFileSync(path.join(root, 'answer.txt'), 'good\n');
  expect((await fixProblem(root, ['--resume'])).stderr).toContain(
    'STATE_UNREADABLE: A snapshot of this fix loop was deleted',
  );
});

test.skipIf(process.platform === 'win32')('keeps the files of a running loop', async () => {
  const root = createRepository({ ...FAILING_FILES, 'wait.sh': 'echo began; read -r line < go; exit 1\n' });
  execFileSync('mkfifo', [path.join(root, 'go')]);
  const running = startFixProblem(root, ['--command', 'sh wait.sh', '--desired', 'x']);
  await running.prints(/began/u, 'stderr');
  const [busy = ''] = readdirSync(path.join(root, '.claude/fixes')).filter((name) => /^[0-9a-f]{8}$/u.test(name));
  expect((await runClean(root, ['--all'])).data).toEqual({ dryRun: false, ...NOTHING_REMOVED, busy: [busy] });
  expect(listSnapshotRefs(root).length).toBeGreaterThan(0);
  writeFileSync(path.join(root, 'go'), '\n');
  await running.done;
});

test('clean keeps linked folders and files that git tracks', async () => {
  const root = createRepository(FAILING_FILES);
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  const fixes = path.join(root, '.claude/fixes');
  const elsewhere = path.join(createProject(), 'fixes');
  renameSync(fixes, elsewhere);
  symlinkSync(elsewhere, fixes);
  const [loop = ''] = readdirSync(elsewhere).filter((name) => /^\w{8}$/u.test(name));
  const log = path.join(elsewhere, loop, 'attempt_1.log');
  const linked = await runClean(root, ['--all']);
  expect(linked.status).toBe(1);
  expect(linked.data.problems).toEqual(['.claude/fixes was left alone: it is reached through a link.']);
  expect(existsSync(log)).toBe(true);
  expect(linked.data.snapshots, 'who works on its loops is not known').toEqual([]);

  const tracking = createRepository({ '.claude/fixes/0badc0de/attempt_1.log': 'theirs\n' });
  expect((await runClean(tracking, ['--all'])).data.problems).toEqual([
    '.claude/fixes was left alone: git tracks it, or git did not answer.',
  ]);
  expect(existsSync(path.join(tracking, '.claude/fixes/0badc0de/attempt_1.log'))).toBe(true);
});

test('clean removes old logs and old temporary folders of Argus', async () => {
  const [root, temporary] = [createProject(), createProject()];
  const env = { ...separateLogFolder(), TMPDIR: temporary };
  const log = path.join(env.ARGUS_LOG_DIR, 'argus.log');
  writeFileSync(log, 'x\n');
  const [old, young, other] = ['argus-index-1--00000000-aaaaaa', 'argus-run-1--00000000-bbbbbb', 'argus-other-cccccc'];
  for (const name of [old, young, other]) mkdirSync(path.join(temporary, name));
  for (const name of [old, other]) makeOlder(path.join(temporary, name), 15);
  const removed = { dryRun: false, ...NOTHING_REMOVED };
  expect((await runClean(root, [], env)).data).toEqual({ ...removed, temporary: [path.join(temporary, old)] });
  makeOlder(log, 15);
  expect((await runClean(root, [], env)).data).toEqual({ ...removed, logs: [log] });
});

test("clean removes leftovers of killed processes in the user's data folder, and marks of deleted loops", async () => {
  const { XDG_DATA_HOME, LOCALAPPDATA } = createUser();
  const env = { ...separateLogFolder(), XDG_DATA_HOME, LOCALAPPDATA };
  const [root, gone] = [createProject(FAILING_FILES), createProject(FAILING_FILES)];
  for (const place of [root, gone]) expect((await fixProblem(place, CHECK_LOOP, { env })).status).toBe(3);
  const data = path.join(XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []));
  const marks = readdirSync(path.join(data, 'loops')).map((name) => path.join(data, 'loops', name));
  const markOfGone = marks.filter((mark) => readFileSync(mark, 'utf8').includes(path.basename(gone)));
  const other = path.join(data, 'projects/0badc0de');
  for (const name of ['copy-aaaaaa', 'copy-bbbbbb', 'foreign-0badc0de']) {
    mkdirSync(path.join(other, name), { recursive: true });
  }
  writeFileSync(path.join(other, 'draft-1'), 'x');
  for (const name of ['copy-aaaaaa', 'draft-1', 'foreign-0badc0de']) makeOlder(path.join(other, name), 2);
  const run = async () => (await runClean(root, [], env)).data.temporary;

  const copies = ['copy-aaaaaa', 'draft-1'].map((name) => path.join(other, name));
  for (const mark of marks) makeOlder(mark, 15);
  expect(await run()).toEqual(copies);
  rmSync(gone, { recursive: true });
  expect(await run()).toEqual(markOfGone);
  expect(markOfGone).toHaveLength(1);
  expect(readdirSync(other).sort()).toEqual(['copy-bbbbbb', 'foreign-0badc0de']);
});
