/** A snapshot holds the exact bytes on the disk, and restoring it runs no filter. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotsOf } from '../../src/fix/snapshots/open.ts';
import { io, withIo } from '../../src/system/io.ts';
import { commit, folder, git, project, put } from '../project.ts';
import { programs, withEnvironment } from './gathering.ts';

const open = (root: string) => snapshotsOf(root, 'a1b2c3d4', path.join(root, '.claude/fixes/a1b2c3d4'));
const goBack = (root: string, command: string) => execFileSync('sh', ['-c', command], { cwd: root, stdio: 'pipe' });
const namesIn = (root: string, id: string) => git(root, 'ls-tree', '-r', '--name-only', id).trimEnd().split('\n');

/** Configures a filter that rotates letters in the repository, and records each time it runs. */
function withFilter(root: string): string {
  const marker = path.join(folder(), 'ran');
  const filter = `sh -c 'echo x >> ${marker}; tr a-zA-Z n-za-mN-ZA-M'`;
  git(root, 'config', 'filter.turned.clean', filter);
  git(root, 'config', 'filter.turned.smudge', filter);
  git(root, 'config', 'filter.turned.required', 'true');
  return marker;
}

const ATTRIBUTES = '*.turned filter=turned\n*.crlf text eol=crlf\n*.id ident\n*.utf16 working-tree-encoding=UTF-16LE\n';
const BYTES: Record<string, Buffer> = {
  'a.turned': Buffer.from('plain words\n'),
  'mixed.crlf': Buffer.from('one\r\ntwo\nthree\r\n'),
  'an.id': Buffer.from('$Id: as it was $\n'),
  'wide.utf16': Buffer.from('wide\n', 'utf16le'),
};

const writeAll = (root: string, bytes: Record<string, Buffer>) => {
  for (const [name, content] of Object.entries(bytes)) writeFileSync(path.join(root, name), content);
};

/** Takes a snapshot, overwrites all files, and restores the snapshot. */
async function overwrittenAndBack(root: string, names: readonly string[]) {
  const snapshots = await open(root);
  const id = await snapshots.take('1');
  for (const name of names) writeFileSync(path.join(root, name), 'overwritten\n');
  const now = await snapshots.now();
  goBack(root, snapshots.howToGoBack(id));
  const after = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(root, name))]));
  return { after, change: await snapshots.difference(id, now), diff: await snapshots.diff(id, now) };
}

test.each(['.gitattributes', '.git/info/attributes'])('restores the exact bytes in spite of %s', async (at) => {
  const root = project({ 'plain.txt': 'x\n' });
  const marker = withFilter(root);
  commit(root, 'first');
  const bytes = {
    ...BYTES,
    binary: Buffer.from([0, 1, 255, 13, 10, 10]),
    'new.turned': Buffer.from('not committed\n'),
    'odd "name"\\ \n\r.txt': Buffer.from('odd\n'),
    'ünï.txt': Buffer.from('u\n'),
  };
  writeAll(root, bytes);
  put(root, { [at]: ATTRIBUTES });
  git(root, 'add', 'a.turned', 'mixed.crlf', 'an.id');
  writeAll(root, bytes);
  rmSync(marker, { force: true });
  const { after, change, diff } = await overwrittenAndBack(root, Object.keys(bytes));
  expect(existsSync(marker), 'no filter ran').toBe(false);
  expect(change.files.map((file) => file.path).sort()).toEqual(Object.keys(bytes).sort());
  expect(diff).toContain('-plain words\n+overwritten');
  // The private attributes file still converts files.
  const isConverted = (name: string) => at !== '.gitattributes' && /\.(?:crlf|id|utf16)$/u.test(name);
  const kept = (all: Record<string, Buffer>) => Object.entries(all).filter(([name]) => !isConverted(name));
  expect(kept(after)).toEqual(kept(bytes));
});

test('restores the bytes of files that git does not need to read', async () => {
  const root = project({ '.gitattributes': `* text=auto\n${ATTRIBUTES}` });
  const marker = withFilter(root);
  const { 'mixed.crlf': _, ...others } = BYTES;
  const bytes = {
    ...others,
    'c.txt': Buffer.from('one\r\ntwo\r\n'),
    'plain.txt': Buffer.from('plain\n'),
    'assumed.txt': Buffer.from('assumed\n'),
  };
  writeAll(root, bytes);
  const old = new Date(Date.now() - 3_600_000);
  for (const name of Object.keys(bytes)) utimesSync(path.join(root, name), old, old);
  commit(root, 'first');
  git(root, 'update-index', '--assume-unchanged', 'assumed.txt');
  bytes['assumed.txt'] = Buffer.from('changed\n');
  writeFileSync(path.join(root, 'assumed.txt'), 'changed\n');
  expect(git(root, 'status', '--porcelain'), 'git finds nothing to look at').toBe('');
  rmSync(marker, { force: true });
  expect((await overwrittenAndBack(root, Object.keys(bytes))).after).toEqual(bytes);
  expect(existsSync(marker)).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'keeps non-text names, links and executables, and ignores a pipe',
  async () => {
    const root = project({ 'run.sh': '#!/bin/sh\n', 'a.txt': 'a\n' });
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0x6f])]);
    writeFileSync(odd, 'latin\n');
    symlinkSync('nowhere/at all', path.join(root, 'link'));
    const snapshots = await open(root);
    const id = await snapshots.take('1');
    writeFileSync(odd, 'x\n');
    rmSync(path.join(root, 'link'));
    writeFileSync(path.join(root, 'link'), 'no link\n');
    chmodSync(path.join(root, 'run.sh'), 0o644);
    expect((await snapshots.difference(id, await snapshots.now())).files).toHaveLength(3);
    goBack(root, snapshots.howToGoBack(id));
    expect(readFileSync(odd, 'utf8')).toBe('latin\n');
    expect(readlinkSync(path.join(root, 'link'))).toBe('nowhere/at all');
    expect(lstatSync(path.join(root, 'run.sh')).mode & 0o111).not.toBe(0);
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: root });
    expect(await snapshots.same(id, await snapshots.now())).toBe(true);
  },
);

describe('an older git', () => {
  /** A PATH with a git that reports another version. */
  function ofVersion(version: string) {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    return programs({
      git: `for word; do [ "$word" = version ] && echo "git version ${version}" && exit; done\nexec ${real} "$@"\n`,
    });
  }

  test('is not used if it lacks too much: files are copied', async () => {
    const root = project({ 'a.txt': 'a\n' });
    const snapshots = await withEnvironment(ofVersion('2.30.9'), () => open(root));
    expect(snapshots.kind).toBe('copies');
    expect(snapshots.warnings.join()).toContain('The git repository is not used (git 2.30 is older than 2.31)');
  });

  test('runs no filter even if it cannot ignore attributes', async () => {
    const root = project({ 'a.turned': 'as it was\n', '.gitattributes': '*.turned filter=turned\n' });
    const marker = withFilter(root);
    const snapshots = await withEnvironment(ofVersion('2.39.5 (Apple Git-154)'), () => open(root));
    const id = await snapshots.take('1');
    put(root, { 'a.turned': 'changed\n' });
    expect(snapshots.howToGoBack(id)).not.toContain('--attr-source');
    goBack(root, snapshots.howToGoBack(id));
    expect(readFileSync(path.join(root, 'a.turned'), 'utf8')).toBe('as it was\n');
    expect(existsSync(marker)).toBe(false);
    expect(snapshots.warnings.join()).toContain('Going back converts line ends');
  });
});

test('writes no object for files that look like secrets, unless git has them already', async () => {
  const root = project({ 'tracked/.env': 'TOKEN=old\n', '.env.example': 'TOKEN=\n' });
  commit(root, 'first');
  const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n';
  const secrets: Record<string, string> = {
    '.env': 'TOKEN=hidden-1\n',
    'web/.env.local': 'TOKEN=hidden-2\n',
    'config/prod.env': 'TOKEN=hidden-3\n',
    '.npmrc': '//r/:_authToken=hidden-4\n',
    '.aws/credentials': 'aws_secret_access_key = hidden-5\n',
    'server.PEM': key,
    deploy_access: key,
    'credentials.json': '{"client_secret":"hidden-6"}\n',
    'secrets.yml': 'token: hidden-7\n',
    'announced/.env': 'TOKEN=hidden-8\n',
  };
  const open_ = { 'web/.env.sample': 'TOKEN=\n', 'credentials.ts': 'export {};\n', 'id_rsa.pub': 'ssh-rsa A\n' };
  put(root, { ...secrets, ...open_, 'tracked/.env': 'TOKEN=new\n' });
  git(root, 'add', '--intent-to-add', 'announced/.env');
  const snapshots = await open(root);
  const id = await snapshots.take('1');
  expect(namesIn(root, id)).toEqual([
    '.env.example',
    'credentials.ts',
    'id_rsa.pub',
    'tracked/.env',
    'web/.env.sample',
  ]);
  const all = git(root, 'cat-file', '--batch-all-objects', '--batch');
  expect(all).toContain('TOKEN=new');
  expect(all).not.toMatch(/hidden-|PRIVATE KEY/u);
  for (const name of Object.keys(secrets)) expect(snapshots.warnings.join()).toContain(name);
  expect(snapshots.warnings.join()).toContain('Going back does not restore them.');

  for (const name of Object.keys(secrets)) put(root, { [name]: 'changed\n' });
  goBack(root, snapshots.howToGoBack(id));
  for (const name of Object.keys(secrets)) expect(readFileSync(path.join(root, name), 'utf8')).toBe('changed\n');
});

test('does not copy a secret file without git, but notices its change', async () => {
  const root = folder({ '.env': 'TOKEN=hidden\n', 'a.txt': 'a\n' });
  const snapshots = await open(root);
  const from = await snapshots.take('1');
  put(root, { '.env': 'TOKEN=hidden-2\n' });
  const to = await snapshots.take('2');
  expect((await snapshots.difference(from, to)).files.map((file) => file.path)).toEqual(['.env']);
  expect(await snapshots.diff(from, to)).not.toContain('hidden');
  const kept = execFileSync('grep', ['-rlE', 'TOKEN', '.'], { cwd: root, encoding: 'utf8' });
  expect(kept.trim()).toBe('./.env');
  expect(snapshots.warnings.join()).toContain('for they look like secrets: .env.');
});

test('leaves out too much content of a filter, and keeps it unchanged when restoring', async () => {
  const root = project({ '.gitattributes': '*.bin filter=store\n', 'a.txt': 'a\n' });
  git(root, 'config', 'filter.store.clean', 'echo pointer; cat > /dev/null');
  for (const name of ['one.bin', 'two.bin', 'three.bin', 'four.bin', 'five.bin']) {
    writeFileSync(path.join(root, name), '');
    truncateSync(path.join(root, name), 45 * 1024 * 1024);
  }
  commit(root, 'first');
  const snapshots = await open(root);
  const id = await snapshots.take('1');
  expect(namesIn(root, id)).toEqual(['.gitattributes', 'a.txt']);
  expect(snapshots.warnings.join()).toMatch(
    /Not kept in snapshots, for they are kept by a filter.*five\.bin, four\.bin/u,
  );
  put(root, { 'a.txt': 'b\n' });
  goBack(root, snapshots.howToGoBack(id));
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(lstatSync(path.join(root, 'one.bin')).size).toBe(45 * 1024 * 1024);
});

test('keeps a large file if git has its content', async () => {
  const root = project({ 'large.bin': '' });
  truncateSync(path.join(root, 'large.bin'), 51 * 1024 * 1024);
  commit(root, 'first');
  expect(namesIn(root, await (await open(root)).take('1'))).toEqual(['large.bin']);
  truncateSync(path.join(root, 'large.bin'), 52 * 1024 * 1024);
  const snapshots = await open(root);
  await snapshots.take('2');
  expect(snapshots.warnings.join()).toContain('larger than 50 MiB and unknown to git: large.bin.');
});

test('leaves out files behind a link that replaced a folder', async () => {
  const root = project({ 'deep/dir/key.txt': 'own\n', 'a.txt': 'a\n' });
  commit(root, 'first');
  const elsewhere = folder({ 'dir/key.txt': 'of somebody else\n' });
  rmSync(path.join(root, 'deep'), { recursive: true });
  symlinkSync(elsewhere, path.join(root, 'deep'));
  const id = await (await open(root)).take('1');
  expect(namesIn(root, id)).toEqual(['a.txt', 'deep']);
  expect(git(root, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('of somebody else');
});

test('keeps files outside a sparse work tree, but not deleted files', async () => {
  const root = project({ 'in/a': '1\n', 'out/b': '1\n', 'gone.txt': '1\n' });
  commit(root, 'first');
  git(root, 'sparse-checkout', 'set', '--cone', 'in');
  rmSync(path.join(root, 'gone.txt'));
  expect(existsSync(path.join(root, 'out/b'))).toBe(false);
  expect(namesIn(root, await (await open(root)).take('1'))).toEqual(['in/a', 'out/b']);
});

test('does not use a work tree that settings put elsewhere', async () => {
  const elsewhere = folder({ 'private.txt': 'of nobody else\n' });
  const root = path.join(elsewhere, 'clone');
  put(root, { 'a.txt': 'a\n' });
  git(root, 'init', '-q');
  git(root, 'config', 'core.worktree', elsewhere);
  const snapshots = await open(root);
  expect(snapshots.kind).toBe('copies');
  await snapshots.take('1');
  expect(execFileSync('grep', ['-rl', 'of nobody else', '.'], { cwd: elsewhere, encoding: 'utf8' }).trim()).toBe(
    './private.txt',
  );
});

test('writes an object again that git has pruned', async () => {
  const root = project({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const snapshots = await open(root);
  // A hash is kept only for a file that is older than its reading.
  const later = { ...io(), now: () => Date.now() + 10_000 };
  await withIo(later, () => snapshots.now());
  git(root, 'prune', '--expire=now');
  const id = await snapshots.take('1');
  expect(git(root, 'show', `${id}:a.txt`)).toBe('a\n');
  expect(git(root, 'fsck', '--full')).not.toContain('missing');
});

test('removes snapshot refs after two weeks, except those of the loop itself', async () => {
  const root = project({ 'a.txt': 'a\n' });
  const own = await open(root);
  const other = await snapshotsOf(root, 'ffffffff', '');
  await own.take('1');
  await own.archive('2026');
  await own.take('1');
  await other.take('1');
  const names = () => git(root, 'for-each-ref', '--format=%(refname)', 'refs/argus').trimEnd().split('\n');
  const day = 24 * 3_600_000;
  await own.expire(Date.now() + 13 * day);
  expect(names()).toHaveLength(3);
  await own.expire(Date.now() + 15 * day);
  expect(names()).toEqual(['refs/argus/fixes/a1b2c3d4/1']);
});
