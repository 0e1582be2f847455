/** Files that `clean` removes, and files that it keeps. The age of snapshots by name: unit tests. */

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
  FAILING,
  fixProblem,
  git,
  loopFolder,
  RUN,
  repository,
  startFixProblem,
  stateOf,
} from '../fix-loop/fix-loop.ts';
import { environment, project, someUser } from '../harness.ts';

const NOTHING = { snapshots: [], copies: [], logs: [], temporary: [], busy: [], problems: [] };
/** A log folder of its own, because otherwise `clean` removes old logs of other tests too. */
const ownLogs = () => ({ ARGUS_LOG_DIR: project() });

async function clean(root: string, args: string[] = [], env: Record<string, string> = ownLogs()) {
  const { status, stdout, stderr } = await argus(['clean', '--json', '--project', root, ...args], { env });
  expect(stderr).toBe('');
  return { status, data: JSON.parse(stdout).data };
}

/** Sets the time of a file some days back. */
function age(file: string, days: number): void {
  const time = Date.now() / 1_000 - days * 24 * 3_600;
  utimesSync(file, time, time);
}

function refs(root: string): string[] {
  return git(root, 'for-each-ref', '--format=%(refname)', 'refs/argus').split('\n').filter(Boolean);
}

/** Makes a snapshot of an old loop. */
function oldSnapshot(root: string): string {
  const date = `${Math.floor(Date.now() / 1_000) - 20 * 24 * 3_600} +0000`;
  const env = { ...environment(), GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  const words = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit-tree', '-m', 'x', 'HEAD^{tree}'];
  const id = execFileSync('git', words, { cwd: root, env, encoding: 'utf8' });
  git(root, 'update-ref', 'refs/argus/fixes/0badc0de/1', id.trim());
  return 'refs/argus/fixes/0badc0de/1';
}

test('removes old snapshots and logs of a repository, and everything with --all', async () => {
  const root = repository(FAILING);
  expect(await clean(root)).toEqual({ status: 0, data: { dryRun: false, ...NOTHING } });
  expect((await fixProblem(root, RUN)).status).toBe(3);
  const old = oldSnapshot(root);
  const own = refs(root).filter((name) => name !== old);
  expect(own.length).toBeGreaterThan(0);

  expect((await clean(root, ['--dry-run'])).data).toEqual({ dryRun: true, ...NOTHING, snapshots: [old] });
  expect(refs(root)).toContain(old);
  expect((await clean(root)).data).toEqual({ dryRun: false, ...NOTHING, snapshots: [old] });
  expect(refs(root)).toEqual(own);

  age(path.join(loopFolder(root), 'state.json'), 15);
  const log = path.join(loopFolder(root), 'attempt_1.log');
  expect((await clean(root)).data).toEqual({ dryRun: false, ...NOTHING, logs: [log] });
  expect(existsSync(log)).toBe(false);
  const { stdout } = await argus(['clean', '--all', '--project', root], { env: ownLogs() });
  expect(stdout).toContain(`snapshot in the repository: ${own[0]}`);
  expect(refs(root)).toEqual([]);
  expect(stateOf(root).attempts, 'the state stays').toHaveLength(1);
});

test('the start of a loop removes old snapshots too', async () => {
  const root = repository(FAILING);
  const old = oldSnapshot(root);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  expect(refs(root)).not.toContain(old);
});

test('removes old copies, and a loop that resumes later reports the missing copy', async () => {
  const root = project(FAILING);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  const copies = path.join(loopFolder(root), 'copies');
  expect((await clean(root)).data).toEqual({ dryRun: false, ...NOTHING });
  expect(existsSync(copies)).toBe(true);
  age(path.join(loopFolder(root), 'state.json'), 15);
  expect((await clean(root)).data.copies).toEqual([copies]);
  expect(existsSync(copies)).toBe(false);
  writeFileSync(path.join(root, 'answer.txt'), 'good\n');
  expect((await fixProblem(root, ['--resume'])).stderr).toContain(
    'STATE_UNREADABLE: A snapshot of this fix loop is gone',
  );
});

test.skipIf(process.platform === 'win32')('keeps the files of a running loop', async () => {
  const root = repository({ ...FAILING, 'wait.sh': 'echo began; read -r line < go; exit 1\n' });
  execFileSync('mkfifo', [path.join(root, 'go')]);
  const running = startFixProblem(root, ['--command', 'sh wait.sh', '--desired', 'x']);
  await running.prints(/began/u, 'stderr');
  const [busy = ''] = readdirSync(path.join(root, '.claude/fixes')).filter((name) => /^[0-9a-f]{8}$/u.test(name));
  expect((await clean(root, ['--all'])).data).toEqual({ dryRun: false, ...NOTHING, busy: [busy] });
  expect(refs(root).length).toBeGreaterThan(0);
  writeFileSync(path.join(root, 'go'), '\n');
  await running.done;
});

test('keeps linked folders and files that git tracks', async () => {
  const root = repository(FAILING);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  const fixes = path.join(root, '.claude/fixes');
  const elsewhere = path.join(project(), 'fixes');
  renameSync(fixes, elsewhere);
  symlinkSync(elsewhere, fixes);
  const [loop = ''] = readdirSync(elsewhere).filter((name) => /^\w{8}$/u.test(name));
  const log = path.join(elsewhere, loop, 'attempt_1.log');
  const linked = await clean(root, ['--all']);
  expect(linked.status).toBe(1);
  expect(linked.data.problems).toEqual(['.claude/fixes was left alone: it is reached through a link.']);
  expect(existsSync(log)).toBe(true);
  expect(linked.data.snapshots, 'who works on its loops is not known').toEqual([]);

  const tracking = repository({ '.claude/fixes/0badc0de/attempt_1.log': 'theirs\n' });
  expect((await clean(tracking, ['--all'])).data.problems).toEqual([
    '.claude/fixes was left alone: git tracks it, or does not say.',
  ]);
  expect(existsSync(path.join(tracking, '.claude/fixes/0badc0de/attempt_1.log'))).toBe(true);
});

test('removes old logs and old temporary folders of Argus', async () => {
  const [root, temporary] = [project(), project()];
  const env = { ...ownLogs(), TMPDIR: temporary };
  const log = path.join(env.ARGUS_LOG_DIR, 'argus.log');
  writeFileSync(log, 'x\n');
  const [old, young, other] = ['argus-index-1--00000000-aaaaaa', 'argus-run-1--00000000-bbbbbb', 'argus-other-cccccc'];
  for (const name of [old, young, other]) mkdirSync(path.join(temporary, name));
  for (const name of [old, other]) age(path.join(temporary, name), 15);
  const removed = { dryRun: false, ...NOTHING };
  expect((await clean(root, [], env)).data).toEqual({ ...removed, temporary: [path.join(temporary, old)] });
  age(log, 15);
  expect((await clean(root, [], env)).data).toEqual({ ...removed, logs: [log] });
});

test("removes leftovers of killed processes in the user's data folder, and marks of deleted loops", async () => {
  const { XDG_DATA_HOME, LOCALAPPDATA } = someUser();
  const env = { ...ownLogs(), XDG_DATA_HOME, LOCALAPPDATA };
  const [root, gone] = [project(FAILING), project(FAILING)];
  for (const place of [root, gone]) expect((await fixProblem(place, RUN, { env })).status).toBe(3);
  const data = path.join(XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []));
  const marks = readdirSync(path.join(data, 'loops')).map((name) => path.join(data, 'loops', name));
  const markOfGone = marks.filter((mark) => readFileSync(mark, 'utf8').includes(path.basename(gone)));
  const other = path.join(data, 'projects/0badc0de');
  for (const name of ['copy-aaaaaa', 'copy-bbbbbb', 'foreign-0badc0de']) {
    mkdirSync(path.join(other, name), { recursive: true });
  }
  writeFileSync(path.join(other, 'draft-1'), 'x');
  for (const name of ['copy-aaaaaa', 'draft-1', 'foreign-0badc0de']) age(path.join(other, name), 2);
  const run = async () => (await clean(root, [], env)).data.temporary;

  const copies = ['copy-aaaaaa', 'draft-1'].map((name) => path.join(other, name));
  for (const mark of marks) age(mark, 15);
  expect(await run()).toEqual(copies);
  rmSync(gone, { recursive: true });
  expect(await run()).toEqual(markOfGone);
  expect(markOfGone).toHaveLength(1);
  expect(readdirSync(other).sort()).toEqual(['copy-bbbbbb', 'foreign-0badc0de']);
});
