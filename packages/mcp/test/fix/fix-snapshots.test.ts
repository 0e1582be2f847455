import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotsOf } from '../../src/fix/snapshots/open.ts';
import type { Snapshots } from '../../src/fix/snapshots/snapshots.ts';
import { textDiff } from '../../src/fix/snapshots/text-diff.ts';
import { folder, put } from '../project.ts';

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...as, ...args], { cwd, stdio: 'pipe', env, encoding: 'utf8' }).trimEnd();
}

function repository(
  files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n', '.gitignore': 'ignored\n' },
): string {
  const root = folder(files);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  return root;
}

/** Everything of a repository that must stay as it is. */
function untouched(root: string) {
  const folder = path.resolve(root, git(root, 'rev-parse', '--git-dir'));
  const bytes = (name: string) =>
    existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name)).toString('hex') : null;
  const names = ['index', 'HEAD', 'MERGE_HEAD', 'config', 'logs/HEAD', 'ORIG_HEAD', 'packed-refs', 'FETCH_HEAD'];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  const status = execFileSync('git', ['status', '--porcelain=v2', '-z'], { cwd: root, env, encoding: 'utf8' });
  return {
    files: names.map(bytes),
    status,
    branches: git(root, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
  };
}

const contentOf = (root: string, id: string) => git(root, 'ls-tree', '-r', '--name-only', id).split('\n');

async function open(root: string, hash = 'a1b2c3d4'): Promise<Snapshots> {
  return snapshotsOf(root, hash, path.join(root, '.claude/fixes', hash));
}

describe('in git', () => {
  test('keeps staged, unstaged and untracked files, and touches nothing', async () => {
    const root = repository();
    put(root, {
      'a.txt': 'one\n2\nthree\n',
      staged: 'x\n',
      'deep/new file.txt': 'y\n',
      ignored: 'z\n',
      '.argus/db': '1',
      '.claude/fixes/x/state.json': '{}',
    });
    git(root, 'add', 'staged');
    const before = untouched(root);
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    expect(untouched(root)).toEqual(before);
    expect(snapshots.kind).toBe('git');
    expect(contentOf(root, id)).toEqual(['.gitignore', 'a.txt', 'deep/new file.txt', 'staged']);
    expect(git(root, 'rev-parse', 'refs/argus/fixes/a1b2c3d4/1')).toBe(id);
    expect(snapshots.warnings).toEqual([]);
  });

  test('what changed', async () => {
    const root = repository({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'c.bin': '\0\x01' });
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    expect(await snapshots.difference(from, await snapshots.now())).toEqual({ digest: null, files: [] });
    put(root, { 'a.txt': 'one\n2\nthree\nfour\n', 'ü.txt': 'new\n', 'c.bin': '\0\x02' });
    rmSync(path.join(root, 'b.txt'));
    const to = await snapshots.now();
    const { digest, files } = await snapshots.difference(from, to);
    expect(digest).toMatch(/^[0-9a-f]{64}$/u);
    expect(files).toEqual([
      { path: 'a.txt', change: 'modified (+2 -1)' },
      { path: 'b.txt', change: 'deleted (+0 -1)' },
      { path: 'c.bin', change: 'modified (binary)' },
      { path: 'ü.txt', change: 'added (+1 -0)' },
    ]);
    expect(await snapshots.diff(from, to)).toContain('-two\n+2\n');
    expect(await snapshots.same(from, to)).toBe(false);
  });

  test('the same change elsewhere in a file has the same digest', async () => {
    const root = repository({ 'a.txt': 'x\n'.repeat(50) });
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    put(root, { 'a.txt': `${'x\n'.repeat(50)}end\n` });
    const first = await snapshots.difference(from, await snapshots.now());
    put(root, { 'a.txt': 'x\n'.repeat(60) });
    const longer = await snapshots.take('2');
    put(root, { 'a.txt': `${'x\n'.repeat(60)}end\n` });
    expect((await snapshots.difference(longer, await snapshots.now())).digest).toBe(first.digest);
  });

  test('going back', async () => {
    const root = repository();
    put(root, { 'a.txt': 'edited\n', untracked: 'kept\n' });
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    put(root, { 'a.txt': 'broken\n', untracked: 'broken\n', later: 'x\n' });
    execFileSync('sh', ['-c', snapshots.howToGoBack(id)], { cwd: root });
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('edited\n');
    expect(readFileSync(path.join(root, 'untracked'), 'utf8')).toBe('kept\n');
  });

  test('a change within the tick of the last commit is seen', async () => {
    const root = repository();
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    put(root, { 'a.txt': 'one\n2wo\nthree\n' });
    expect((await snapshots.difference(from, await snapshots.now())).files).toHaveLength(1);
  });

  test('an unborn HEAD, a detached one, a merge that waits', async () => {
    const unborn = folder();
    git(unborn, 'init', '-q');
    put(unborn, { a: '1\n' });
    expect(contentOf(unborn, await (await open(unborn)).take('1'))).toEqual(['a']);

    const root = repository();
    git(root, 'checkout', '-q', '-b', 'other');
    put(root, { 'a.txt': 'theirs\n' });
    git(root, 'commit', '-qam', 'theirs');
    git(root, 'checkout', '-q', 'main');
    put(root, { 'a.txt': 'ours\n' });
    git(root, 'commit', '-qam', 'ours');
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

  test('a folder of it, a linked work tree, a submodule', async () => {
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
    expect(git(root, 'show', `${id}:packages/one/a`)).toBe('linked');
    const whole = await (await open(root)).take('1');
    const refs = git(root, 'for-each-ref', '--format=%(objectname)', 'refs/argus/fixes').split('\n');
    expect(refs.sort(), 'each has its own').toEqual([from, id, whole].sort());
    await (await open(root)).archive('2026');
    expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/argus/fixes').match(/earlier/gu)).toHaveLength(1);

    const outer = repository();
    git(outer, 'submodule', '--quiet', 'add', repository(), 'sub');
    git(outer, 'commit', '-qm', 'sub');
    put(outer, { 'sub/a.txt': 'dirty\n' });
    const outerBefore = untouched(outer);
    const around = await open(outer);
    await around.take('1');
    expect(untouched(outer)).toEqual(outerBefore);
    expect(around.warnings.join()).toMatch(/inside submodules are not seen/u);
    const within = await open(path.join(outer, 'sub'));
    expect(git(path.join(outer, 'sub'), 'show', `${await within.take('1')}:a.txt`)).toBe('dirty');
  });

  test('hooks, signing, watchers and strict line ends do not act', async () => {
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

  test('inside a hook of git', async () => {
    const [root, other] = [repository(), repository({ b: '1\n' })];
    let id = '';
    process.env.GIT_DIR = path.join(other, '.git');
    process.env.GIT_INDEX_FILE = path.join(other, '.git/index');
    try {
      id = await (await open(root)).take('1');
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_INDEX_FILE;
    }
    expect(contentOf(root, id)).toContain('a.txt');
  });

  test('what cannot be kept is said', async () => {
    const root = repository();
    put(root, { 'huge.bin': '' });
    truncateSync(path.join(root, 'huge.bin'), 60 * 1024 * 1024);
    git(root, 'init', '-q', 'nested');
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    expect(contentOf(root, id)).toContain('a.txt');
    expect(contentOf(root, id)).not.toContain('huge.bin');
    expect(snapshots.warnings.join()).toContain('huge.bin');
  });

  test('a generated file does not hide what stands behind it in a diff', async () => {
    const root = repository({ 'dist/bundle.js': 'x\n', 'z.test.js': 'one\n' });
    const snapshots = await open(root);
    const from = await snapshots.take('1');
    put(root, { 'dist/bundle.js': `${'y'.repeat(300_000)}\n`.repeat(40), 'z.test.js': 'two\n' });
    const diff = await snapshots.diff(from, await snapshots.now());
    expect(diff).toContain('-one\n+two\n');
    expect(diff.length).toBeLessThan(1_000_000);
  });

  test('a repository that cannot be written is said', async () => {
    const root = repository();
    const snapshots = await open(root);
    rmSync(path.join(root, '.git/objects'), { recursive: true });
    writeFileSync(path.join(root, '.git/objects'), '');
    await expect(snapshots.take('1')).rejects.toMatchObject({
      code: 'STATE_NOT_WRITTEN',
      message: expect.stringMatching(/could not be kept with git: /u),
    });
  });

  test('names of a finished loop make way', async () => {
    const root = repository();
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    await snapshots.archive('2026');
    expect(git(root, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/argus')).toBe(
      `refs/argus/fixes/a1b2c3d4/earlier-2026/1 ${id}`,
    );
    await snapshots.take('1');
    await snapshots.archive('2027');
    expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/argus').split('\n')).toHaveLength(2);
  });
});

describe('without git', () => {
  test('keeps, compares, goes back', async () => {
    const root = folder();
    put(root, { 'a.txt': 'one\ntwo\n', 'deep/b.sh': 'x\n', 'node_modules/m/i.js': '1', gone: 'g\n' });
    chmodSync(path.join(root, 'deep/b.sh'), 0o755);
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
    expect(() => execFileSync(path.join(root, 'deep/b.sh'))).toThrow(/x: (?:command )?not found/u);
    expect(await snapshots.same(from, await snapshots.now())).toBe(false);
  });
});

test('copies that are made anew leave the contents of others alone', async () => {
  const root = folder();
  put(root, { 'a.txt': 'one\n', gone: 'g\n' });
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

test('diffs are what git would say', () => {
  const root = repository({ f: '' });
  const texts = [
    '',
    'a\n',
    'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n',
    'a\nb\nX\nd\ne\nf\ng\nh\ni\nY\nk\nl\n',
    'b\na\n',
    'z\n',
  ];
  for (const before of texts) {
    for (const after of texts) {
      put(root, { f: before });
      git(root, 'commit', '-qam', 'x', '--allow-empty');
      const ours = textDiff('f', before, after);
      if (ours === '') continue;
      const patch = path.join(root, '.git/p');
      writeFileSync(patch, ours);
      git(root, 'apply', patch);
      expect(readFileSync(path.join(root, 'f'), 'utf8')).toBe(after);
      git(root, 'checkout', '-q', '-f');
    }
  }
});
