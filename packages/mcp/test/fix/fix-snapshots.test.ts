/**
 * Tests snapshots of a work tree: their content, and that the repository does not change. fix-snapshot-bytes.test.ts
 * tests the exact bytes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSnapshots } from '../../src/fix/snapshots/git-snapshots.ts';
import { createTextDiff, type Snapshots } from '../../src/fix/snapshots/snapshots.ts';
import { commitAll, createFolder, createProject, runGit, writeFiles } from '../project.ts';
import { runWithEnvironment } from './gathering.ts';

const REPOSITORY_FILES = { 'a.txt': 'one\ntwo\nthree\n', '.gitignore': 'ignored\n' };

function createRepository(files: Record<string, string> = REPOSITORY_FILES): string {
  const root = createProject(files);
  commitAll(root, 'first');
  return root;
}

const gitLines = (root: string, ...args: string[]) =>
  runGit(root, ...args)
    .trimEnd()
    .split('\n');
const listSnapshotFiles = (root: string, id: string) => gitLines(root, 'ls-tree', '-r', '--name-only', id);
const listSnapshotRefs = (root: string, format: string) =>
  gitLines(root, 'for-each-ref', `--format=${format}`, 'refs/argus/fixes');

/** Returns everything in a repository that a snapshot must not change. */
function readRepositoryState(root: string) {
  const folder = path.resolve(root, runGit(root, 'rev-parse', '--git-dir').trimEnd());
  const bytes = (name: string) =>
    existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name)).toString('hex') : null;
  const names = ['index', 'HEAD', 'MERGE_HEAD', 'config', 'logs/HEAD', 'ORIG_HEAD', 'packed-refs', 'FETCH_HEAD'];
  const status = runGit(root, '--no-optional-locks', 'status', '--porcelain=v2', '-z');
  return {
    files: names.map(bytes),
    status,
    refs: runGit(root, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
  };
}

function openTestSnapshots(root: string, hash = 'a1b2c3d4'): Promise<Snapshots> {
  return openSnapshots(root, hash, path.join(root, '.claude/fixes', hash));
}

describe('in git', () => {
  test('keeps staged, unstaged and untracked files, and changes nothing', async () => {
    const root = createRepository();
    const ignoredFiles = { ignored: 'z\n', '.argus/db': '1', '.claude/fixes/x/state.json': '{}' };
    writeFiles(root, { 'a.txt': 'one\n2\nthree\n', staged: 'x\n', 'deep/new file.txt': 'y\n', ...ignoredFiles });
    runGit(root, 'add', 'staged');
    const stateBefore = readRepositoryState(root);
    const snapshots = await openTestSnapshots(root);
    const id = await snapshots.take('1');
    expect(readRepositoryState(root)).toEqual(stateBefore);
    expect(snapshots.kind).toBe('git');
    expect(listSnapshotFiles(root, id)).toEqual(['.gitignore', 'a.txt', 'deep/new file.txt', 'staged']);
    expect(listSnapshotRefs(root, '%(refname) %(objectname)')).toEqual([`refs/argus/fixes/a1b2c3d4/1 ${id}`]);
    expect(snapshots.warnings).toEqual([]);
  });

  test('finds changes even if they happen in the clock tick of the last commit', async () => {
    const root = createRepository({
      'a.txt': 'one\ntwo\nthree\n',
      'b.txt': 'b\n',
      'c.bin': '\0\x01',
      'd.txt': 'two\n',
    });
    const snapshots = await openTestSnapshots(root);
    const from = await snapshots.take('1');
    expect(await snapshots.difference(from, await snapshots.saveTemporarily())).toEqual({ digest: null, files: [] });
    writeFiles(root, { 'a.txt': 'one\n2\nthree\nfour\n', 'ü.txt': 'new\n', 'c.bin': '\0\x02', 'd.txt': '2wo\n' });
    rmSync(path.join(root, 'b.txt'));
    const to = await snapshots.saveTemporarily();
    const { digest, files } = await snapshots.difference(from, to);
    expect(digest).toMatch(/^[0-9a-f]{64}$/u);
    expect(files).toEqual([
      { path: 'a.txt', change: 'modified (+2 -1)' },
      { path: 'b.txt', change: 'deleted (+0 -1)' },
      { path: 'c.bin', change: 'modified (binary)' },
      { path: 'd.txt', change: 'modified (+1 -1)' },
      { path: 'ü.txt', change: 'added (+1 -0)' },
    ]);
    expect(await snapshots.diff(from, to)).toContain('-two\n+2\n');
    expect(await snapshots.areEqual(from, to)).toBe(false);
  });

  test('gives a change the same digest at any position in a file', async () => {
    const root = createRepository({ 'a.txt': 'x\n'.repeat(50) });
    const snapshots = await openTestSnapshots(root);
    const digests = [];
    for (const lines of [50, 60]) {
      writeFiles(root, { 'a.txt': 'x\n'.repeat(lines) });
      const from = await snapshots.take(String(lines));
      writeFiles(root, { 'a.txt': `${'x\n'.repeat(lines)}end\n` });
      digests.push((await snapshots.difference(from, await snapshots.saveTemporarily())).digest);
    }
    expect(digests[1]).toBe(digests[0]);
  });

  test('does not change an unborn HEAD, a detached HEAD or an unfinished merge', async () => {
    const unborn = createProject({ a: '1\n' });
    expect(listSnapshotFiles(unborn, await (await openTestSnapshots(unborn)).take('1'))).toEqual(['a']);

    const root = createRepository();
    runGit(root, 'checkout', '-q', '-b', 'other');
    writeFiles(root, { 'a.txt': 'theirs\n' });
    commitAll(root, 'theirs');
    runGit(root, 'checkout', '-q', 'trunk');
    writeFiles(root, { 'a.txt': 'ours\n' });
    commitAll(root, 'ours');
    expect(() => runGit(root, 'merge', 'other')).toThrow();
    const stateBefore = readRepositoryState(root);
    const id = await (await openTestSnapshots(root)).take('1');
    expect(readRepositoryState(root)).toEqual(stateBefore);
    expect(runGit(root, 'show', `${id}:a.txt`)).toContain('<<<<<<<');
    runGit(root, 'merge', '--abort');
    runGit(root, 'checkout', '-q', '--detach');
    const detached = readRepositoryState(root);
    await (await openTestSnapshots(root)).take('2');
    expect(readRepositoryState(root)).toEqual(detached);
  });

  test('keeps separate snapshots for a folder of a repository and for a linked work tree', async () => {
    const root = createRepository({ 'packages/one/a': '1\n', 'packages/two/b': '1\n' });
    const packageSnapshots = await openTestSnapshots(path.join(root, 'packages/one'));
    const from = await packageSnapshots.take('1');
    writeFiles(root, { 'packages/two/b': '2\n', 'packages/two/new': '2\n' });
    const { files } = await packageSnapshots.difference(from, await packageSnapshots.saveTemporarily());
    expect(files.map((file) => file.path)).toEqual(['packages/two/b', 'packages/two/new']);

    const linked = path.join(createFolder(), 'linked');
    runGit(root, 'worktree', 'add', '-q', linked);
    writeFiles(linked, { 'packages/one/a': 'linked\n' });
    const stateBefore = readRepositoryState(linked);
    const id = await (await openTestSnapshots(linked)).take('1');
    expect(readRepositoryState(linked)).toEqual(stateBefore);
    expect(runGit(root, 'show', `${id}:packages/one/a`)).toBe('linked\n');
    const rootSnapshot = await (await openTestSnapshots(root)).take('1');
    expect(listSnapshotRefs(root, '%(objectname)').sort()).toEqual([from, id, rootSnapshot].sort());
    await (await openTestSnapshots(root)).archive('2026');
    expect(listSnapshotRefs(root, '%(refname)').filter((name) => name.includes('earlier'))).toHaveLength(1);
  });

  test('finds a change inside a submodule, and warns about it in the outer repository', async () => {
    const outer = createRepository();
    runGit(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', createRepository(), 'sub');
    commitAll(outer, 'sub');
    writeFiles(outer, { 'sub/a.txt': 'dirty\n' });
    const stateBefore = readRepositoryState(outer);
    const outerSnapshots = await openTestSnapshots(outer);
    await outerSnapshots.take('1');
    expect(readRepositoryState(outer)).toEqual(stateBefore);
    expect(outerSnapshots.warnings.join()).toMatch(/does not see changes inside submodules/u);
    const within = await openTestSnapshots(path.join(outer, 'sub'));
    expect(runGit(path.join(outer, 'sub'), 'show', `${await within.take('1')}:a.txt`)).toBe('dirty\n');
  });

  test('is not affected by hooks, signing, file watchers and strict line endings', async () => {
    const root = createRepository();
    const hooks = path.join(root, '.git/hooks');
    for (const name of ['reference-transaction', 'pre-commit', 'post-index-change', 'fsmonitor']) {
      writeFiles(hooks, { [name]: `#!/bin/sh\necho ${name} >> '${root}/.git/called'\nexit 1\n` });
      chmodSync(path.join(hooks, name), 0o755);
    }
    const settings = {
      'commit.gpgSign': 'true',
      'gpg.program': '/does/not/exist',
      'core.fsmonitor': `${hooks}/fsmonitor`,
      'core.safecrlf': 'true',
      'core.autocrlf': 'input',
      'core.splitIndex': 'true',
      'diff.noprefix': 'true',
      'diff.external': '/does/not/exist',
    };
    for (const [name, value] of Object.entries(settings)) runGit(root, 'config', name, value);
    writeFiles(root, { 'crlf.txt': 'a\r\nb\r\n' });
    const indexBefore = readFileSync(path.join(root, '.git/index')).toString('hex');
    const snapshots = await openTestSnapshots(root);
    const from = await snapshots.take('1');
    writeFiles(root, { 'a.txt': 'x\n' });
    expect(await snapshots.diff(from, await snapshots.saveTemporarily())).toContain('--- a/a.txt');
    expect(existsSync(path.join(root, '.git/called'))).toBe(false);
    expect(readFileSync(path.join(root, '.git/index')).toString('hex')).toBe(indexBefore);
  });

  test('ignores GIT_DIR when a hook of another repository has set it', async () => {
    const [root, otherRoot] = [createRepository(), createRepository({ b: '1\n' })];
    const env = { GIT_DIR: path.join(otherRoot, '.git'), GIT_INDEX_FILE: path.join(otherRoot, '.git/index') };
    const id = await runWithEnvironment(env, async () => (await openTestSnapshots(root)).take('1'));
    expect(listSnapshotFiles(root, id)).toContain('a.txt');
  });

  test('leaves out a huge file and a nested repository, with a warning', async () => {
    const root = createRepository();
    writeFiles(root, { 'huge.bin': '' });
    truncateSync(path.join(root, 'huge.bin'), 60 * 1024 * 1024);
    runGit(root, 'init', '-q', 'nested');
    const snapshots = await openTestSnapshots(root);
    expect(listSnapshotFiles(root, await snapshots.take('1'))).toEqual(['.gitignore', 'a.txt']);
    expect(snapshots.warnings.join()).toContain('huge.bin');
  });

  test('a diff shows the files that come after a generated file', async () => {
    const root = createRepository({ 'dist/bundle.js': 'x\n', 'z.test.js': 'one\n' });
    const snapshots = await openTestSnapshots(root);
    const from = await snapshots.take('1');
    writeFiles(root, { 'dist/bundle.js': `${'y'.repeat(300_000)}\n`.repeat(10), 'z.test.js': 'two\n' });
    const diff = await snapshots.diff(from, await snapshots.saveTemporarily());
    expect(diff).toContain('-one\n+two\n');
    expect(diff.length).toBeLessThan(1_000_000);
  });

  test('fails if the repository cannot be written', async () => {
    const root = createRepository();
    const snapshots = await openTestSnapshots(root);
    rmSync(path.join(root, '.git/objects'), { recursive: true });
    writeFileSync(path.join(root, '.git/objects'), '');
    await expect(snapshots.take('1')).rejects.toMatchObject({
      code: 'STATE_NOT_WRITTEN',
      message: expect.stringMatching(/could not be saved with git: /u),
    });
  });

  test('renames the snapshots of a finished loop', async () => {
    const root = createRepository();
    const snapshots = await openTestSnapshots(root);
    const id = await snapshots.take('1');
    await snapshots.archive('2026');
    const earlier = `refs/argus/fixes/a1b2c3d4/earlier-2026/1 ${id}`;
    expect(listSnapshotRefs(root, '%(refname) %(objectname)')).toEqual([earlier]);
    await snapshots.take('1');
    await snapshots.archive('2027');
    expect(listSnapshotRefs(root, '%(refname)')).toHaveLength(2);
  });
});

describe('without git', () => {
  test('without git, copies are kept, compared and restored', async () => {
    const root = createFolder();
    writeFiles(root, { 'a.txt': 'one\ntwo\n', 'deep/b.sh': 'x\n', 'node_modules/m/i.js': '1', gone: 'g\n' });
    symlinkSync('a.txt', path.join(root, 'link'));
    const snapshots = await openTestSnapshots(root);
    expect(snapshots.kind).toBe('copies');
    const from = await snapshots.take('1');
    expect(await snapshots.difference(from, await snapshots.saveTemporarily())).toEqual({ digest: null, files: [] });
    writeFiles(root, { 'a.txt': 'one\n2\n', 'deep/b.sh': 'y\n', new: 'n\n', 'node_modules/m/i.js': '2' });
    rmSync(path.join(root, 'gone'));
    const to = await snapshots.take('2');
    const { digest, files } = await snapshots.difference(from, to);
    expect(digest).toMatch(/^[0-9a-f]{64}$/u);
    expect(files.map(({ path: file, change }) => `${change} ${file}`)).toEqual([
      'modified a.txt',
      'modified deep/b.sh',
      'deleted gone',
      'added new',
    ]);
    expect(await snapshots.diff(from, to)).toContain('-two\n+2\n');
    execFileSync('sh', ['-c', snapshots.createRestoreCommand(from)], { cwd: root });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(path.join(root, 'gone'), 'utf8')).toBe('g\n');
    expect(() => execFileSync(path.join(root, 'deep/b.sh'), { stdio: 'pipe' })).toThrow(/x: (?:command )?not found/u);
    expect(await snapshots.areEqual(from, await snapshots.saveTemporarily())).toBe(false);
  });

  test('without git, runners do not find the tests in a copy', async () => {
    const root = createFolder({ 'a.test.js': "throw new Error('fails')\n" });
    await (await openTestSnapshots(root)).take('1');
    writeFiles(root, { 'a.test.js': '' });
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: root, encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  test('without git, a repeated copy does not change other copies', async () => {
    const root = createFolder({ 'a.txt': 'one\n', gone: 'g\n' });
    const snapshots = await openTestSnapshots(root);
    const first = await snapshots.take('1');
    writeFiles(root, { 'a.txt': 'two\n' });
    rmSync(path.join(root, 'gone'));
    const second = await (await openTestSnapshots(root)).take('1');
    expect(await snapshots.diff(first, second)).toContain('-one\n+two\n');
    execFileSync('sh', ['-c', snapshots.createRestoreCommand(second)], { cwd: root });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(path.join(root, 'gone'))).toBe(false);
  });
});

test('without git, diffs have a form that git can apply', () => {
  const twelve = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
  const texts = ['', 'a\n', twelve, twelve.replace('c', 'X').replace('j', 'Y'), 'b\na\n'];
  const pairs = texts.flatMap((before) =>
    texts.filter((after) => after !== before).map((after) => ({ before, after })),
  );
  const names = pairs.map((_, index) => `f${index}`);
  const root = createProject(Object.fromEntries(pairs.map(({ before }, index) => [`f${index}`, before])));
  const patch = pairs.map(({ before, after }, index) => createTextDiff(`f${index}`, before, after)).join('');
  writeFileSync(path.join(root, '.git/p'), patch);
  runGit(root, 'apply', '.git/p');
  expect(names.map((name) => readFileSync(path.join(root, name), 'utf8'))).toEqual(pairs.map(({ after }) => after));
});
