import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CommittedChange, readCommittedChange } from '../../src/git/changes.ts';
import { commitAll, createFolder, createProject, runGit, writeFiles } from '../project.ts';

/** Returns the change of a commit, by default of HEAD. */
async function readCommitChange(root: string, hash = headCommit(root)): Promise<CommittedChange> {
  const change = await readCommittedChange(root, hash);
  if (typeof change === 'string') throw new Error(change);
  return change;
}

function headCommit(root: string): string {
  return runGit(root, 'rev-parse', 'HEAD').trim();
}

describe('a committed change', () => {
  test('a committed change has a title, files and hunks', async () => {
    const root = createProject({ 'src/a.js': 'one\n', 'b.js': 'same\n' });
    commitAll(root, 'begin');
    expect(await readCommitChange(root)).toMatchObject({ title: 'begin', files: ['b.js', 'src/a.js'], moreFiles: 0 });
    writeFiles(root, { 'src/a.js': 'two\n' });
    commitAll(root, 'mend it\n\nwith a body');
    const change = await readCommitChange(root);
    expect(change).toMatchObject({ title: 'mend it', files: ['src/a.js'], secretFiles: 0, cut: false });
    expect(change.hunks).toContain('-one\n+two\n');
  });

  test('the change of a merge is relative to its first parent', async () => {
    const root = createProject({ 'a.js': 'one\n' });
    commitAll(root, 'begin');
    runGit(root, 'switch', '-q', '-c', 'side');
    writeFiles(root, { 'b.js': 'two\n' });
    commitAll(root, 'beside');
    runGit(root, 'switch', '-q', 'trunk');
    writeFiles(root, { 'c.js': 'three\n' });
    commitAll(root, 'on');
    runGit(root, 'merge', '-q', '--no-ff', '-m', 'together', 'side');
    expect(await readCommitChange(root)).toMatchObject({ title: 'together', files: ['b.js'] });
  });

  test('files with names of secret files are left out', async () => {
    const root = createProject({ '.env': 'KEY=1\n', 'keys/server.pem': 'x\n', 'a.js': 'one\n' });
    commitAll(root, 'begin');
    const change = await readCommitChange(root);
    expect(change).toMatchObject({ files: ['a.js'], secretFiles: 2 });
    expect(change.hunks).not.toContain('KEY=1');
  });

  test('a long change is shortened and marked as cut', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.js`, `${'long '.repeat(99)}\n`]));
    const root = createProject(many);
    commitAll(root, 'begin');
    const change = await readCommitChange(root);
    expect(change).toMatchObject({ moreFiles: 10, cut: true });
    expect(change.files).toHaveLength(20);
    expect(change.hunks.length).toBeLessThanOrEqual(8 * 1024);
    expect(change.hunks).toMatch(/\n$/u);
  });

  test('reading a change starts no program that the repository names', async () => {
    const root = createProject({ '.gitattributes': '*.js diff=evil filter=evil\n', 'a.js': 'one\n' });
    commitAll(root, 'begin');
    const mark = path.join(root, 'started');
    for (const name of ['diff.evil.command', 'diff.evil.textconv', 'diff.external', 'filter.evil.smudge']) {
      runGit(root, 'config', name, `touch ${mark}`);
    }
    expect((await readCommitChange(root)).hunks).toContain('+one');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a commit cannot be shown', () => {
  const ELSEWHERE = '1'.repeat(40);

  test.each([
    ['--output=x', /does not name a full commit hash/u],
    ['HEAD', /does not name a full commit hash/u],
    [ELSEWHERE, /This clone does not have the commit/u],
  ])('a commit cannot be shown if its name is %s', async (hash, why) => {
    const root = createProject({ a: '1' });
    commitAll(root, 'begin');
    expect(await readCommittedChange(root, hash)).toMatch(why);
  });

  test('a commit cannot be shown without a repository', async () => {
    expect(await readCommittedChange(createFolder(), ELSEWHERE)).toMatch(/not a git repository/u);
  });

  test('a commit that a shallow clone lacks cannot be shown', async () => {
    const root = createProject({ a: '1' });
    commitAll(root, 'begin');
    const first = headCommit(root);
    writeFiles(root, { a: '2' });
    commitAll(root, 'mend it');
    const clone = path.join(createFolder(), 'clone');
    runGit(root, 'clone', '-q', '--depth', '1', `file://${root}`, clone);
    expect(await readCommittedChange(clone, first)).toMatch(/may be shallow/u);
    expect(await readCommittedChange(clone, headCommit(clone))).toMatch(/does not have the whole commit/u);
  });
});
