/** A snapshot contains the exact bytes of the files on the disk, and restoring it runs no git filter. */

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
import { openSnapshots as openGitSnapshots } from '../../src/fix/snapshots/git-snapshots.ts';
import { io, withIo } from '../../src/system/io.ts';
import { commitAll, createFolder, createProject, runGit, writeFiles } from '../project.ts';
import { createPathWithPrograms, runWithEnvironment } from './gathering.ts';

const openSnapshots = (root: string) => openGitSnapshots(root, 'a1b2c3d4', path.join(root, '.claude/fixes/a1b2c3d4'));
const runRestoreCommand = (root: string, command: string) =>
  execFileSync('sh', ['-c', command], { cwd: root, stdio: 'pipe' });
const listSnapshotFiles = (root: string, id: string) =>
  runGit(root, 'ls-tree', '-r', '--name-only', id).trimEnd().split('\n');

/** Configures a git filter that rotates letters and records each time it runs. Returns the file with the records. */
function addRecordingFilter(root: string): string {
  const marker = path.join(createFolder(), 'ran');
  const filter = `sh -c 'echo x >> ${marker}; tr a-zA-Z n-za-mN-ZA-M'`;
  runGit(root, 'config', 'filter.turned.clean', filter);
  runGit(root, 'config', 'filter.turned.smudge', filter);
  runGit(root, 'config', 'filter.turned.required', 'true');
  return marker;
}

const GIT_ATTRIBUTES =
  '*.turned filter=turned\n*.crlf text eol=crlf\n*.id ident\n*.utf16 working-tree-encoding=UTF-16LE\n';
const FILE_BYTES: Record<string, Buffer> = {
  'a.turned': Buffer.from('plain words\n'),
  'mixed.crlf': Buffer.from('one\r\ntwo\nthree\r\n'),
  'an.id': Buffer.from('$Id: as it was $\n'),
  'wide.utf16': Buffer.from('wide\n', 'utf16le'),
};

const writeByteFiles = (root: string, bytes: Record<string, Buffer>) => {
  for (const [name, content] of Object.entries(bytes)) writeFileSync(path.join(root, name), content);
};

/** Takes a snapshot, overwrites all files, and restores the snapshot. */
async function restoreOverwrittenFiles(root: string, names: readonly string[]) {
  const snapshots = await openSnapshots(root);
  const id = await snapshots.take('1');
  for (const name of names) writeFileSync(path.join(root, name), 'overwritten\n');
  const now = await snapshots.saveTemporarily();
  runRestoreCommand(root, snapshots.createRestoreCommand(id));
  const bytesAfter = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(root, name))]));
  return { after: bytesAfter, change: await snapshots.difference(id, now), diff: await snapshots.diff(id, now) };
}

test.each(['.gitattributes', '.git/info/attributes'])('restores the exact bytes in spite of %s', async (at) => {
  const root = createProject({ 'plain.txt': 'x\n' });
  const marker = addRecordingFilter(root);
  commitAll(root, 'first');
  const bytes = {
    ...FILE_BYTES,
    binary: Buffer.from([0, 1, 255, 13, 10, 10]),
    'new.turned': Buffer.from('not committed\n'),
    'odd "name"\\ \n\r.txt': Buffer.from('odd\n'),
    'ünï.txt': Buffer.from('u\n'),
  };
  writeByteFiles(root, bytes);
  writeFiles(root, { [at]: GIT_ATTRIBUTES });
  runGit(root, 'add', 'a.turned', 'mixed.crlf', 'an.id');
  writeByteFiles(root, bytes);
  rmSync(marker, { force: true });
  const { after: bytesAfter, change, diff } = await restoreOverwrittenFiles(root, Object.keys(bytes));
  expect(existsSync(marker), 'no filter ran').toBe(false);
  expect(change.files.map((file) => file.path).sort()).toEqual(Object.keys(bytes).sort());
  expect(diff).toContain('-plain words\n+overwritten');
  // The private attributes file of the repository still converts files.
  const isConverted = (name: string) => at !== '.gitattributes' && /\.(?:crlf|id|utf16)$/u.test(name);
  const selectUnconverted = (filesByName: Record<string, Buffer>) =>
    Object.entries(filesByName).filter(([name]) => !isConverted(name));
  expect(selectUnconverted(bytesAfter)).toEqual(selectUnconverted(bytes));
});

test('restores the bytes of files that git does not need to read', async () => {
  const root = createProject({ '.gitattributes': `* text=auto\n${GIT_ATTRIBUTES}` });
  const marker = addRecordingFilter(root);
  const { 'mixed.crlf': _, ...otherFiles } = FILE_BYTES;
  const bytes = {
    ...otherFiles,
    'c.txt': Buffer.from('one\r\ntwo\r\n'),
    'plain.txt': Buffer.from('plain\n'),
    'assumed.txt': Buffer.from('assumed\n'),
  };
  writeByteFiles(root, bytes);
  const old = new Date(Date.now() - 3_600_000);
  for (const name of Object.keys(bytes)) utimesSync(path.join(root, name), old, old);
  commitAll(root, 'first');
  runGit(root, 'update-index', '--assume-unchanged', 'assumed.txt');
  bytes['assumed.txt'] = Buffer.from('changed\n');
  writeFileSync(path.join(root, 'assumed.txt'), 'changed\n');
  expect(runGit(root, 'status', '--porcelain'), 'git finds nothing to look at').toBe('');
  rmSync(marker, { force: true });
  expect((await restoreOverwrittenFiles(root, Object.keys(bytes))).after).toEqual(bytes);
  expect(existsSync(marker)).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'keeps non-text names, links and executables, and ignores a pipe',
  async () => {
    const root = createProject({ 'run.sh': '#!/bin/sh\n', 'a.txt': 'a\n' });
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0x6f])]);
    writeFileSync(odd, 'latin\n');
    symlinkSync('nowhere/at all', path.join(root, 'link'));
    const snapshots = await openSnapshots(root);
    const id = await snapshots.take('1');
    writeFileSync(odd, 'x\n');
    rmSync(path.join(root, 'link'));
    writeFileSync(path.join(root, 'link'), 'no link\n');
    chmodSync(path.join(root, 'run.sh'), 0o644);
    expect((await snapshots.difference(id, await snapshots.saveTemporarily())).files).toHaveLength(3);
    runRestoreCommand(root, snapshots.createRestoreCommand(id));
    expect(readFileSync(odd, 'utf8')).toBe('latin\n');
    expect(readlinkSync(path.join(root, 'link'))).toBe('nowhere/at all');
    expect(lstatSync(path.join(root, 'run.sh')).mode & 0o111).not.toBe(0);
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: root });
    expect(await snapshots.areEqual(id, await snapshots.saveTemporarily())).toBe(true);
  },
);

describe('an older git', () => {
  /** Returns a PATH with a git that reports the given version. */
  function createPathWithGitVersion(version: string) {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    return createPathWithPrograms({
      git: `for word; do [ "$word" = version ] && echo "git version ${version}" && exit; done\nexec ${real} "$@"\n`,
    });
  }

  test('a git that lacks too much is not used, and files are copied instead', async () => {
    const root = createProject({ 'a.txt': 'a\n' });
    const snapshots = await runWithEnvironment(createPathWithGitVersion('2.30.9'), () => openSnapshots(root));
    expect(snapshots.kind).toBe('copies');
    expect(snapshots.warnings.join()).toContain('The git repository is not used (git 2.30 is older than 2.31)');
  });

  test('no filter runs even if git cannot ignore attributes', async () => {
    const root = createProject({ 'a.turned': 'as it was\n', '.gitattributes': '*.turned filter=turned\n' });
    const marker = addRecordingFilter(root);
    const snapshots = await runWithEnvironment(createPathWithGitVersion('2.39.5 (Apple Git-154)'), () =>
      openSnapshots(root),
    );
    const id = await snapshots.take('1');
    writeFiles(root, { 'a.turned': 'changed\n' });
    expect(snapshots.createRestoreCommand(id)).not.toContain('--attr-source');
    runRestoreCommand(root, snapshots.createRestoreCommand(id));
    expect(readFileSync(path.join(root, 'a.turned'), 'utf8')).toBe('as it was\n');
    expect(existsSync(marker)).toBe(false);
    expect(snapshots.warnings.join()).toContain('Restoring files converts line endings');
  });
});

test('writes no git object for files that look like secrets, unless git has them already', async () => {
  const root = createProject({ 'tracked/.env': 'TOKEN=old\n', '.env.example': 'TOKEN=\n' });
  commitAll(root, 'first');
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
  writeFiles(root, { ...secrets, ...open_, 'tracked/.env': 'TOKEN=new\n' });
  runGit(root, 'add', '--intent-to-add', 'announced/.env');
  const snapshots = await openSnapshots(root);
  const id = await snapshots.take('1');
  expect(listSnapshotFiles(root, id)).toEqual([
    '.env.example',
    'credentials.ts',
    'id_rsa.pub',
    'tracked/.env',
    'web/.env.sample',
  ]);
  const allObjects = runGit(root, 'cat-file', '--batch-all-objects', '--batch');
  expect(allObjects).toContain('TOKEN=new');
  expect(allObjects).not.toMatch(/hidden-|PRIVATE KEY/u);
  for (const name of Object.keys(secrets)) expect(snapshots.warnings.join()).toContain(name);
  expect(snapshots.warnings.join()).toContain('Restoring does not bring them back.');

  for (const name of Object.keys(secrets)) writeFiles(root, { [name]: 'changed\n' });
  runRestoreCommand(root, snapshots.createRestoreCommand(id));
  for (const name of Object.keys(secrets)) expect(readFileSync(path.join(root, name), 'utf8')).toBe('changed\n');
});

test('does not copy a secret file without git, but notices a change of the file', async () => {
  const root = createFolder({ '.env': 'TOKEN=hidden\n', 'a.txt': 'a\n' });
  const snapshots = await openSnapshots(root);
  const from = await snapshots.take('1');
  writeFiles(root, { '.env': 'TOKEN=hidden-2\n' });
  const to = await snapshots.take('2');
  expect((await snapshots.difference(from, to)).files.map((file) => file.path)).toEqual(['.env']);
  expect(await snapshots.diff(from, to)).not.toContain('hidden');
  const filesWithToken = execFileSync('grep', ['-rlE', 'TOKEN', '.'], { cwd: root, encoding: 'utf8' });
  expect(filesWithToken.trim()).toBe('./.env');
  expect(snapshots.warnings.join()).toContain('because they look like secrets: .env.');
});

test('leaves out filtered files that are too large, and does not change them when restoring', async () => {
  const root = createProject({ '.gitattributes': '*.bin filter=store\n', 'a.txt': 'a\n' });
  runGit(root, 'config', 'filter.store.clean', 'echo pointer; cat > /dev/null');
  for (const name of ['one.bin', 'two.bin', 'three.bin', 'four.bin', 'five.bin']) {
    writeFileSync(path.join(root, name), '');
    truncateSync(path.join(root, name), 45 * 1024 * 1024);
  }
  commitAll(root, 'first');
  const snapshots = await openSnapshots(root);
  const id = await snapshots.take('1');
  expect(listSnapshotFiles(root, id)).toEqual(['.gitattributes', 'a.txt']);
  expect(snapshots.warnings.join()).toMatch(
    /Not saved in snapshots, because a filter such as Git LFS stores them.*five\.bin, four\.bin/u,
  );
  writeFiles(root, { 'a.txt': 'b\n' });
  runRestoreCommand(root, snapshots.createRestoreCommand(id));
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a\n');
  expect(lstatSync(path.join(root, 'one.bin')).size).toBe(45 * 1024 * 1024);
});

test('keeps a large file if git already has its content', async () => {
  const root = createProject({ 'large.bin': '' });
  truncateSync(path.join(root, 'large.bin'), 51 * 1024 * 1024);
  commitAll(root, 'first');
  expect(listSnapshotFiles(root, await (await openSnapshots(root)).take('1'))).toEqual(['large.bin']);
  truncateSync(path.join(root, 'large.bin'), 52 * 1024 * 1024);
  const snapshots = await openSnapshots(root);
  await snapshots.take('2');
  expect(snapshots.warnings.join()).toContain('larger than 50 MiB and not in git: large.bin.');
});

test('leaves out files behind a link that replaced a folder', async () => {
  const root = createProject({ 'deep/dir/key.txt': 'own\n', 'a.txt': 'a\n' });
  commitAll(root, 'first');
  const elsewhere = createFolder({ 'dir/key.txt': 'of somebody else\n' });
  rmSync(path.join(root, 'deep'), { recursive: true });
  symlinkSync(elsewhere, path.join(root, 'deep'));
  const id = await (await openSnapshots(root)).take('1');
  expect(listSnapshotFiles(root, id)).toEqual(['a.txt', 'deep']);
  expect(runGit(root, 'cat-file', '--batch-all-objects', '--batch')).not.toContain('of somebody else');
});

test('keeps files outside a sparse work tree, but not deleted files', async () => {
  const root = createProject({ 'in/a': '1\n', 'out/b': '1\n', 'gone.txt': '1\n' });
  commitAll(root, 'first');
  runGit(root, 'sparse-checkout', 'set', '--cone', 'in');
  rmSync(path.join(root, 'gone.txt'));
  expect(existsSync(path.join(root, 'out/b'))).toBe(false);
  expect(listSnapshotFiles(root, await (await openSnapshots(root)).take('1'))).toEqual(['in/a', 'out/b']);
});

test('does not use a work tree that settings put elsewhere', async () => {
  const elsewhere = createFolder({ 'private.txt': 'of nobody else\n' });
  const root = path.join(elsewhere, 'clone');
  writeFiles(root, { 'a.txt': 'a\n' });
  runGit(root, 'init', '-q');
  runGit(root, 'config', 'core.worktree', elsewhere);
  const snapshots = await openSnapshots(root);
  expect(snapshots.kind).toBe('copies');
  await snapshots.take('1');
  expect(execFileSync('grep', ['-rl', 'of nobody else', '.'], { cwd: elsewhere, encoding: 'utf8' }).trim()).toBe(
    './private.txt',
  );
});

test('writes an object again that git has pruned', async () => {
  const root = createProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const snapshots = await openSnapshots(root);
  // A stored hash is used only if the file was last changed before it was read.
  const later = { ...io(), now: () => Date.now() + 10_000 };
  await withIo(later, () => snapshots.saveTemporarily());
  runGit(root, 'prune', '--expire=now');
  const id = await snapshots.take('1');
  expect(runGit(root, 'show', `${id}:a.txt`)).toBe('a\n');
  expect(runGit(root, 'fsck', '--full')).not.toContain('missing');
});

test('removes snapshot refs after two weeks, except those of the loop itself', async () => {
  const root = createProject({ 'a.txt': 'a\n' });
  const ownSnapshots = await openSnapshots(root);
  const otherSnapshots = await openGitSnapshots(root, 'ffffffff', '');
  await ownSnapshots.take('1');
  await ownSnapshots.archive('2026');
  await ownSnapshots.take('1');
  await otherSnapshots.take('1');
  const names = () => runGit(root, 'for-each-ref', '--format=%(refname)', 'refs/argus').trimEnd().split('\n');
  const day = 24 * 3_600_000;
  await ownSnapshots.removeExpired(Date.now() + 13 * day);
  expect(names()).toHaveLength(3);
  await ownSnapshots.removeExpired(Date.now() + 15 * day);
  expect(names()).toEqual(['refs/argus/fixes/a1b2c3d4/1']);
});
