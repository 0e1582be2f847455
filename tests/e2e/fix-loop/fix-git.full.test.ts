/**
 * A loop changes a repository only by adding snapshots that can be restored.
 * packages/mcp/test/fix/fix-snapshots.test.ts tests the contents of snapshots in all states of a repository.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createEnvironment, createProject } from '../harness.ts';
import {
  CHECK_LOOP,
  createRepository,
  FAILING_FILES,
  fixProblem,
  readLoopFile,
  readState,
  runGit,
  writeAnswer,
  writeProjectFile,
} from './fix-loop.ts';

/** Returns the git state that a loop must not change. */
function readGitState(root: string) {
  const bytes = (name: string) => {
    const file = path.join(root, '.git', name);
    return existsSync(file) ? readFileSync(file).toString('hex') : null;
  };
  const env = { ...createEnvironment(), GIT_OPTIONAL_LOCKS: '0' };
  const status = execFileSync('git', ['status', '--porcelain=v2', '--branch'], { cwd: root, env, encoding: 'utf8' });
  return {
    files: ['index', 'HEAD', 'logs/HEAD', 'refs/stash'].map(bytes),
    status,
    branches: runGit(root, 'branch', '-a'),
  };
}

const runShell = (root: string, command = '') =>
  execFileSync('sh', ['-c', command], { cwd: root, env: createEnvironment() });

// Takes over 5 s, because git compares the work tree before and after each attempt.
test('index, HEAD and branches do not change, and a person can restore the state before each attempt', async () => {
  const root = createRepository({ ...FAILING_FILES, 'staged.txt': '1\n' });
  writeProjectFile(root, 'staged.txt', '2\n');
  runGit(root, 'add', 'staged.txt');
  writeProjectFile(root, 'staged.txt', '3\n');
  writeProjectFile(root, 'untracked.txt', 'mine\n');
  writeProjectFile(root, '.env', 'TOKEN=kept-to-myself\n');
  const before = readGitState(root);
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  expect(readGitState(root)).toEqual(before);

  writeAnswer(root, 'worse');
  expect((await fixProblem(root, ['--resume'])).status).toBe(3);
  writeAnswer(root, 'good');
  writeProjectFile(root, 'untracked.txt', 'overwritten\n');
  runGit(root, 'commit', '-qm', 'a commit is a change too', 'answer.txt');
  const committed = readGitState(root);
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  expect(readGitState(root)).toEqual(committed);

  const commands = [...stdout.matchAll(/^- Before attempt (\d): `(git .*)`$/gmu)];
  expect(commands.map(([, attempt]) => attempt)).toEqual(['1', '2', '3']);
  const texts = () =>
    ['answer.txt', 'staged.txt', 'untracked.txt'].map((name) => readFileSync(path.join(root, name), 'utf8'));
  runShell(root, commands[1]?.[2]);
  expect(texts()).toEqual(['worse\n', '3\n', 'mine\n']);
  runShell(root, commands[0]?.[2]);
  expect(texts()).toEqual(['bad\n', '3\n', 'mine\n']);
  expect(readGitState(root)).toMatchObject({ files: committed.files, branches: committed.branches });
  const [{ snapshot = null } = {}] = readState(root).attempts;
  expect(runGit(root, 'for-each-ref', '--format=%(objectname)', 'refs/argus/fixes')).toContain(snapshot);

  expect(stdout).toContain(
    'Not saved in snapshots, because they look like secrets: .env. Restoring does not bring them back.',
  );
  expect(runGit(root, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('kept-to-myself');
});

/** Creates a folder with the programs that a loop needs, but without git. */
function pathWithoutGit(): { env: { PATH: string } } {
  const bin = createProject();
  runShell(bin, `for p in sh bash cat; do ln -s "$(command -v $p)" .; done; ln -s ${process.execPath} node`);
  return { env: { PATH: bin } };
}

test.each([
  ['a project without a repository', () => createProject(FAILING_FILES), {}],
  ['a machine without git', () => createRepository(FAILING_FILES), pathWithoutGit()],
])('%s: files are copied, and the report warns', async (_, make, user) => {
  const root = make();
  expect((await fixProblem(root, CHECK_LOOP, user)).status).toBe(3);
  expect((await fixProblem(root, ['--resume'], user)).stderr).toContain('Nothing changed');
  writeAnswer(root, 'good');
  const { status, stdout, stderr } = await fixProblem(root, ['--resume'], user);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('This is not a git repository');
  expect(stdout).toContain('`answer.txt` modified');
  runShell(root, /cp -R \S+ \./u.exec(stdout)?.[0]);
  expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  expect(readLoopFile(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
});
