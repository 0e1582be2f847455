/**
 * What a loop does to a repository: nothing but snapshots one can go back to, in whatever state it is. Snapshots
 * themselves: unit tests.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environment, project } from '../harness.ts';
import { CHECK, fileOf, fixProblem, git, repository, stateOf } from './fix-loop.ts';

const RUN = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];
const put = (root: string, name: string, text: string) => writeFileSync(path.join(root, name), text);

function everything(root: string) {
  const bytes = (name: string) =>
    existsSync(path.join(root, '.git', name)) ? readFileSync(path.join(root, '.git', name)).toString('hex') : null;
  const status = execFileSync('git', ['status', '--porcelain=v2', '--branch'], {
    cwd: root,
    env: { ...environment(), GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
  });
  return {
    index: bytes('index'),
    head: bytes('HEAD'),
    merge: bytes('MERGE_HEAD'),
    log: bytes('logs/HEAD'),
    stash: bytes('refs/stash'),
    status,
    branches: git(root, 'branch', '-a'),
  };
}

test('the index, HEAD and branches stay as they are; one can go back to before any attempt', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n', 'staged.txt': '1\n' });
  put(root, 'staged.txt', '2\n');
  git(root, 'add', 'staged.txt');
  put(root, 'staged.txt', '3\n');
  put(root, 'untracked.txt', 'mine\n');
  const before = everything(root);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  expect(everything(root)).toEqual(before);

  put(root, 'answer.txt', 'good\n');
  put(root, 'untracked.txt', 'overwritten\n');
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  const [command = ''] = /git --attr-source=.* restore --source=.* -- :\//u.exec(stdout) ?? [];
  execFileSync('sh', ['-c', command], { cwd: root, env: environment() });
  expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  expect(readFileSync(path.join(root, 'staged.txt'), 'utf8')).toBe('3\n');
  expect(readFileSync(path.join(root, 'untracked.txt'), 'utf8')).toBe('mine\n');
  expect(everything(root)).toEqual(before);
  const [{ snapshot = null } = {}] = stateOf(root).attempts;
  expect(git(root, 'for-each-ref', '--format=%(objectname)', 'refs/argus/fixes')).toContain(snapshot);
});

test('the report says how to go back to before each of three attempts', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  await fixProblem(root, RUN);
  put(root, 'answer.txt', 'worse\n');
  await fixProblem(root, ['--resume']);
  put(root, 'answer.txt', 'good\n');
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  const commands = [...stdout.matchAll(/^- Before attempt (\d): `(.*)`$/gmu)];
  expect(commands.map(([, attempt]) => attempt)).toEqual(['1', '2', '3']);
  execFileSync('sh', ['-c', commands[1]?.[2] ?? ''], { cwd: root, env: environment() });
  expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('worse\n');
});

test('a detached HEAD, and a merge that waits', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  git(root, 'checkout', '-q', '--detach');
  const detached = everything(root);
  expect((await fixProblem(root, RUN)).status).toBe(3);
  expect(everything(root)).toEqual(detached);
  put(root, 'answer.txt', 'good\n');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);

  const merging = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  git(merging, 'checkout', '-q', '-b', 'other');
  put(merging, 'answer.txt', 'theirs\n');
  git(merging, 'commit', '-qam', 'theirs');
  git(merging, 'checkout', '-q', 'main');
  put(merging, 'answer.txt', 'ours\n');
  git(merging, 'commit', '-qam', 'ours');
  expect(() => git(merging, 'merge', 'other')).toThrow();
  const before = everything(merging);
  expect((await fixProblem(merging, RUN)).status).toBe(3);
  expect(everything(merging)).toEqual(before);
  put(merging, 'answer.txt', 'good\n');
  expect((await fixProblem(merging, ['--resume'])).status).toBe(0);
  expect(existsSync(path.join(merging, '.git/MERGE_HEAD'))).toBe(true);
});

test('no git: copies, and a warning', async () => {
  const root = project({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  expect((await fixProblem(root, RUN)).status).toBe(3);
  expect((await fixProblem(root, ['--resume'])).stderr).toContain('Nothing changed');
  put(root, 'answer.txt', 'good\n');
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  expect(stdout).toContain('There is no git repository here');
  expect(stdout).toContain('`answer.txt` modified');
  const [command = ''] = /cp -R \S+ \./u.exec(stdout) ?? [];
  execFileSync('sh', ['-c', command], { cwd: root });
  expect(readFileSync(path.join(root, 'answer.txt'), 'utf8')).toBe('bad\n');
  expect(fileOf(root, 'attempt_1_fix.md')).toContain('-bad\n+good');
});

test('git that is not installed', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  const bin = project();
  execFileSync('sh', [
    '-c',
    `for p in sh bash cat; do ln -s "$(command -v $p)" ${bin}/; done; ln -s ${process.execPath} ${bin}/node`,
  ]);
  const without = { env: { PATH: bin } };
  expect((await fixProblem(root, RUN, without)).status).toBe(3);
  put(root, 'answer.txt', 'good\n');
  const { status, stdout, stderr } = await fixProblem(root, ['--resume'], without);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('There is no git repository here');
});

test('a commit made by the fixer is a change too', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  await fixProblem(root, RUN);
  put(root, 'answer.txt', 'good\n');
  git(root, 'commit', '-qam', 'fix');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  rmSync(path.join(root, 'answer.txt'));
});

test('files that look like secrets stay out of the repository, and the report names them', async () => {
  const root = repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
  put(root, '.env', 'TOKEN=kept-to-myself\n');
  put(root, '.env.example', 'TOKEN=\n');
  expect((await fixProblem(root, RUN)).status).toBe(3);
  put(root, 'answer.txt', 'good\n');
  const { status, stdout } = await fixProblem(root, ['--resume']);
  expect(status).toBe(0);
  expect(stdout).toContain(
    'Not kept in snapshots, for they look like secrets: .env. Going back does not restore them.',
  );
  expect(git(root, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('kept-to-myself');
});
