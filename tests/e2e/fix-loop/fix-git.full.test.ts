/**
 * A loop changes a repository only by adding snapshots to go back to. Contents of snapshots for all states of a
 * repository: packages/mcp/test/fix/fix-snapshots.test.ts.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environment, project } from '../harness.ts';
import { answer, FAILING, fileOf, fixProblem, git, RUN, repository, stateOf, write } from './fix-loop.ts';

/** The git state that a loop must not change. */
function everything(root: string) {
  const bytes = (name: string) => {
    const file = path.join(root, '.git', name);
    return existsSync(file) ? readFileSync(file).toString('hex') : null;
  };
  const env = { ...environment(), GIT_OPTIONAL_LOCKS: '0' };
  const status = execFileSync('git', ['status', '--porcelain=v2', '--branch'], { cwd: root, env, encoding: 'utf8' });
  return {
    files: ['index', 'HEAD', 'logs/HEAD', 'refs/stash'].map(bytes),
    status,
    branches: git(root, 'branch', '-a'),
  };
}

const run = (root: string, command = '') => execFileSync('sh', ['-c', command], { cwd: root, env: environment() });

// Over 5 s, because git compares the work tree before and after each attempt.
test('index, HEAD and branches do not change, and a person can go back to before each attempt', async () => {
  const root = repository({ ...FAILING, 'staged.txt': '1\n' });
  write(root, 'staged.txt', '2\n');
  git(root, 'add', 'staged.txt');
  write(root, 'staged.txt', '3\n');
  write(root, 'untracked.txt', 'mine\n');
  write(root, '.env', 'TOKEN=kept-to-myself\n');
  const before = everything(root);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  expect(everything(root)).toEqual(before);

  answer(root, 'worse');
  expect((await fixProblem(root, ['--resume'])).status).toBe(3);
  answer(root, 'good');
  write(root, 'untracked.txt', 'overwritten\n');
  git(root, 'commit', '-qm', 'a commit is a change too', 'answer.txt');
  const committed = everything(root);
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  expect(everything(root)).toEqual(committed);

  const commands = [...stdout.matchAll(/^- Before attempt (\d): `(git .*)`$/gmu)];
  expect(commands.map(([, attempt]) => attempt)).toEqual(['1', '2', '3']);
  const texts = () =>
    ['answer.txt', 'staged.txt', 'untracked.txt'].map((name) => readFileSync(path.join(root, name), 'utf8'));
  run(root, commands[1]?.[2]);
  expect(texts()).toEqual(['worse\n', '3\n', 'mine\n']);
  run(root, commands[0]?.[2]);
  expect(texts()).toEqual(['bad\n', '3\n', 'mine\n']);
  expect(everything(root)).toMatchObject({ files: committed.files, branches: committed.branches });
  const [{ snapshot = null } = {}] = stateOf(root).attempts;
  expect(git(root, 'for-each-ref', '--format=%(objectname)', 'refs/argus/fixes')).toContain(snapshot);

  expect(stdout).toContain(
    'Not kept in snapshots, for they look like secrets: .env. Going back does not restore them.',
  );
  expect(git(root, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('kept-to-myself');
});

/** A folder with the programs that a loop needs, but not git. */
function withoutGit(): { env: { PATH: string } } {
  const bin = project();
  run(bin, `for p in sh bash cat; do ln -s "$(command -v $p)" .; done; ln -s ${process.execPath} node`);
  return { env: { PATH: bin } };
}

test.each([
  ['a project without a repository', () => project(FAILING), {}],
  ['a machine without git', () => repository(FAILING), withoutGit()],
])('%s: files are copied, and the report warns', async (_, make, user) => {
  const root = make();
  expect((await fixProblem(root, RUN, user)).status).toBe(3);
  expect((await fixProblem(root, ['--resume'], user)).stderr).toContain('Nothing changed');
  answer(root, 'good');
  const { status, stdout, stderr } = await fixProblem(root, ['--resume'], user);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('There is no git repository here');
  expect(stdout).toContain('`answer.txt` modified');
  run(root, /cp -R \S+ \./u.exec(stdout)?.[0]);
  expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  expect(fileOf(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
});
