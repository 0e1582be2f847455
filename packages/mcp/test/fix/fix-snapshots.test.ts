/**
 * Snapshots of a work tree: their content, and that the repository does not change. Bytes are tested in
 * fix-snapshot-bytes.test.ts.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotsOf } from '../../src/fix/snapshots/open.ts';
import type { Snapshots } from '../../src/fix/snapshots/snapshots.ts';
import { textDiff } from '../../src/fix/snapshots/text-diff.ts';
import { commit, folder, git, project, put } from '../project.ts';
import { withEnvironment } from './gathering.ts';

const FILES = { 'a.txt': 'one\ntwo\nthree\n', '.gitignore': 'ignored\n' };

function repository(files: Record<string, string> = FILES): string {
  const root = project(files);
  commit(root, 'first');
  return root;
}

const linesOf = (root: string, ...args: string[]) =>
  git(root, ...args)
    .trimEnd()
    .split('\n');
const contentOf = (root: string, id: string) => linesOf(root, 'ls-tree', '-r', '--name-only', id);
const snapshotRefs = (root: string, format: string) =>
  linesOf(root, 'for-each-ref', `--format=${format}`, 'refs/argus/fixes');

/** Returns everything in a repository that must not change. */
function untouched(root: string) {
  const folder = path.resolve(root, git(root, 'rev-parse', '--git-dir').trimEnd());
  const bytes = (name: string) =>
    existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name)).toString('hex') : null;
  const names = ['index', 'HEAD', 'MERGE_HEAD', 'config', 'logs/HEAD', 'ORIG_HEAD', 'packed-refs', 'FETCH_HEAD'];
  const status = git(root, '--no-optional-locks', 'status', '--porcelain=v2', '-z');
  return { files: names.map(bytes), status, refs: git(root, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash') };
}

function open(root: string, hash = 'a1b2c3d4'): Promise<Snapshots> {
  return snapshotsOf(root, hash, path.join(root, '.claude/fixes', hash));
}

describe('in git', () => {
  test('keeps staged, unstaged and untracked files, and changes nothing', async () => {
    const root = repository();
    const left = { ignored: 'z\n', '.argus/db': '1', '.claude/fixes/x/state.json': '{}' };
    put(root, { 'a.txt': 'one\n2\nthree\n', staged: 'x\n', 'deep/new file.txt': 'y\n', ...left });
    git(root, 'add', 'staged');
    const before = untouched(root);
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    expect(untouched(root)).toEqual(before);
    expect(snapshots.kind).toBe('git');
    expect(contentOf(root, id)).toEqual(['.gitignore', 'a.txt', 'deep/new file.txt', 'staged']);
    expect(snapshotRefs(root, '%(refname) %(objectname)')).toEqual([`refs/argus/fixes/a1b2c3d4/1 ${id}`]);
    expect(snapshots.warnings).toEqual([]);
  });

  test('finds changes, even within the clock tick of the last commit', async () => {
    const root = repository({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'c.bin': '\0\x01', 'd.txt': 'two\n' });
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    expect(await snapshots.difference(from, await snapshots.now())).toEqual({ digest: null, files: [] });
    put(root, { 'a.txt': 'one\n2\nthree\nfour\n', 'ü.txt': 'new\n', 'c.bin': '\0\x02', 'd.txt': '2wo\n' });
    rmSync(path.join(root, 'b.txt'));
    const to = await snapshots.now();
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
    expect(await snapshots.same(from, to)).toBe(false);
  });

  test('gives a change the same digest at any position in a file', async () => {
    const root = repository({ 'a.txt': 'x\n'.repeat(50) });
    const snapshots = await open(root);
    const digests = [];
    for (const lines of [50, 60]) {
      put(root, { 'a.txt': 'x\n'.repeat(lines) });
      const from = await snapshots.take(String(lines));
      put(root, { 'a.txt': `${'x\n'.repeat(lines)}end\n` });
      digests.push((await snapshots.difference(from, await snapshots.now())).digest);
    }
    expect(digests[1]).toBe(digests[0]);
  });

  test('does not change an unborn HEAD, a detached HEAD or an unfinished merge', async () => {
    const unborn = project({ a: '1\n' });
    expect(contentOf(unborn, await (await open(unborn)).take('1'))).toEqual(['a']);

    const root = repository();
    git(root, 'checkout', '-q', '-b', 'other');
    put(root, { 'a.txt': 'theirs\n' });
    commit(root, 'theirs');
    git(root, 'checkout', '-q', 'trunk');
    put(root, { 'a.txt': 'ours\n' });
    commit(root, 'ours');
    expect(() => git(root, 'merge', 'other')).toThrow();
    const before = untouched(root);
    const id = await (await open(root)).take('1');
    expect(untouched(root)).toEqual(before);
    expect(git(root, 'show', `${id}:a.txt`)).toContain('<<<<<<<');
    git(root, 'merge', '--abort');
    git(root, 'checkout', '-q', '--detach');
    const detached = untouched(root);
    await (await open(root)).take('2');
    expect(untouched(root)).toEqual(detached);
  });

  test('keeps separate snapshots for a folder of a repository and for a linked work tree', async () => {
    const root = repository({ 'packages/one/a': '1\n', 'packages/two/b': '1\n' });
    const inside = await open(path.join(root, 'packages/one'));
    const from = await inside.take('1');
    put(root, { 'packages/two/b': '2\n', 'packages/two/new': '2\n' });
    const { files } = await inside.difference(from, await inside.now());
    expect(files.map((file) => file.path)).toEqual(['packages/two/b', 'packages/two/new']);

    const linked = path.join(folder(), 'linked');
    git(root, 'worktree', 'add', '-q', linked);
    put(linked, { 'packages/one/a': 'linked\n' });
    const before = untouched(linked);
    const id = await (await open(linked)).take('1');
    expect(untouched(linked)).toEqual(before);
    expect(git(root, 'show', `${id}:packages/one/a`)).toBe('linked\n');
    const whole = await (await open(root)).take('1');
    expect(snapshotRefs(root, '%(objectname)').sort()).toEqual([from, id, whole].sort());
    await (await open(root)).archive('2026');
    expect(snapshotRefs(root, '%(refname)').filter((name) => name.includes('earlier'))).toHaveLength(1);
  });

  test('finds a change inside a submodule there, and warns about it in the outer repository', async () => {
    const outer = repository();
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository(), 'sub');
    commit(outer, 'sub');
    put(outer, { 'sub/a.txt': 'dirty\n' });
    const before = untouched(outer);
    const around = await open(outer);
    await around.take('1');
    expect(untouched(outer)).toEqual(before);
    expect(around.warnings.join()).toMatch(/inside submodules are not seen/u);
    const within = await open(path.join(outer, 'sub'));
    expect(git(path.join(outer, 'sub'), 'show', `${await within.take('1')}:a.txt`)).toBe('dirty\n');
  });

  test('is not affected by hooks, signing, watchers and strict line ends', async () => {
    const root = repository();
    const hooks = path.join(root, '.git/hooks');
    for (const name of ['reference-transaction', 'pre-commit', 'post-index-change', 'fsmonitor']) {
      put(hooks, { [name]: `#!/bin/sh\necho ${name} >> '${root}/.git/called'\nexit 1\n` });
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
    for (const [name, value] of Object.entries(settings)) git(root, 'config', name, value);
    put(root, { 'crlf.txt': 'a\r\nb\r\n' });
    const before = readFileSync(path.join(root, '.git/index')).toString('hex');
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    put(root, { 'a.txt': 'x\n' });
    expect(await snapshots.diff(from, await snapshots.now())).toContain('--- a/a.txt');
    expect(existsSync(path.join(root, '.git/called'))).toBe(false);
    expect(readFileSync(path.join(root, '.git/index')).toString('hex')).toBe(before);
  });

  test('ignores GIT_DIR of a hook in another repository', async () => {
    const [root, other] = [repository(), repository({ b: '1\n' })];
    const env = { GIT_DIR: path.join(other, '.git'), GIT_INDEX_FILE: path.join(other, '.git/index') };
    const id = await withEnvironment(env, async () => (await open(root)).take('1'));
    expect(contentOf(root, id)).toContain('a.txt');
  });

  test('leaves out a huge file and a nested repository, with a warning', async () => {
    const root = repository();
    put(root, { 'huge.bin': '' });
    truncateSync(path.join(root, 'huge.bin'), 60 * 1024 * 1024);
    git(root, 'init', '-q', 'nested');
    const snapshots = await open(root);
    expect(contentOf(root, await snapshots.take('1'))).toEqual(['.gitignore', 'a.txt']);
    expect(snapshots.warnings.join()).toContain('huge.bin');
  });

  test('shows files behind a generated file in a diff', async () => {
    const root = repository({ 'dist/bundle.js': 'x\n', 'z.test.js': 'one\n' });
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    put(root, { 'dist/bundle.js': `${'y'.repeat(300_000)}\n`.repeat(10), 'z.test.js': 'two\n' });
    const diff = await snapshots.diff(from, await snapshots.now());
    expect(diff).toContain('-one\n+two\n');
    expect(diff.length).toBeLessThan(1_000_000);
  });

  test('fails if the repository cannot be written', async () => {
    const root = repository();
    const snapshots = await open(root);
    rmSync(path.join(root, '.git/objects'), { recursive: true });
    writeFileSync(path.join(root, '.git/objects'), '');
    await expect(snapshots.take('1')).rejects.toMatchObject({
      code: 'STATE_NOT_WRITTEN',
      message: expect.stringMatching(/could not be kept with git: /u),
    });
  });

  test('renames the snapshots of a finished loop', async () => {
    const root = repository();
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    await snapshots.archive('2026');
    const earlier = `refs/argus/fixes/a1b2c3d4/earlier-2026/1 ${id}`;
    expect(snapshotRefs(root, '%(refname) %(objectname)')).toEqual([earlier]);
    await snapshots.take('1');
    await snapshots.archive('2027');
    expect(snapshotRefs(root, '%(refname)')).toHaveLength(2);
  });
});

describe('without git', () => {
  test('keeps copies, compares them and restores them', async () => {
    const root = folder();
    put(root, { 'a.txt': 'one\ntwo\n', 'deep/b.sh': 'x\n', 'node_modules/m/i.js': '1', gone: 'g\n' });
    symlinkSync('a.txt', path.join(root, 'link'));
    const snapshots = await open(root);
    expect(snapshots.kind).toBe('copies');
    const from = await snapshots.take('1');
    expect(await snapshots.difference(from, await snapshots.now())).toEqual({ digest: null, files: [] });
    put(root, { 'a.txt': 'one\n2\n', 'deep/b.sh': 'y\n', new: 'n\n', 'node_modules/m/i.js': '2' });
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
    execFileSync('sh', ['-c', snapshots.howToGoBack(from)], { cwd: root });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(path.join(root, 'gone'), 'utf8')).toBe('g\n');
    expect(() => execFileSync(path.join(root, 'deep/b.sh'), { stdio: 'pipe' })).toThrow(/x: (?:command )?not found/u);
    expect(await snapshots.same(from, await snapshots.now())).toBe(false);
  });

  test('hides the tests of a copy from runners', async () => {
    const root = folder({ 'a.test.js': "throw new Error('fails')\n" });
    await (await open(root)).take('1');
    put(root, { 'a.test.js': '' });
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: root, encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  });

  test('does not change other copies when a copy is made again', async () => {
    const root = folder({ 'a.txt': 'one\n', gone: 'g\n' });
    const snapshots = await open(root);
    const first = await snapshots.take('1');
    put(root, { 'a.txt': 'two\n' });
    rmSync(path.join(root, 'gone'));
    const second = await (await open(root)).take('1');
    expect(await snapshots.diff(first, second)).toContain('-one\n+two\n');
    execFileSync('sh', ['-c', snapshots.howToGoBack(second)], { cwd: root });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(path.join(root, 'gone'))).toBe(false);
  });
});

test('makes diffs without git that git can apply', () => {
  const twelve = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n';
  const texts = ['', 'a\n', twelve, twelve.replace('c', 'X').replace('j', 'Y'), 'b\na\n'];
  const pairs = texts.flatMap((before) =>
    texts.filter((after) => after !== before).map((after) => ({ before, after })),
  );
  const names = pairs.map((_, index) => `f${index}`);
  const root = project(Object.fromEntries(pairs.map(({ before }, index) => [`f${index}`, before])));
  const patch = pairs.map(({ before, after }, index) => textDiff(`f${index}`, before, after)).join('');
  writeFileSync(path.join(root, '.git/p'), patch);
  git(root, 'apply', '.git/p');
  expect(names.map((name) => readFileSync(path.join(root, name), 'utf8'))).toEqual(pairs.map(({ after }) => after));
});
