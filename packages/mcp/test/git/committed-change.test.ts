import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CommittedChange, committedChange } from '../../src/git/committed-change.ts';
import { commit, folder, git, project, put } from '../project.ts';

/** The change of a commit, by default of HEAD. */
async function shown(root: string, hash = head(root)): Promise<CommittedChange> {
  const change = await committedChange(root, hash);
  if (typeof change === 'string') throw new Error(change);
  return change;
}

function head(root: string): string {
  return git(root, 'rev-parse', 'HEAD').trim();
}

describe('a committed change', () => {
  test('has a title, files and hunks', async () => {
    const root = project({ 'src/a.js': 'one\n', 'b.js': 'same\n' });
    commit(root, 'begin');
    expect(await shown(root)).toMatchObject({ title: 'begin', files: ['b.js', 'src/a.js'], moreFiles: 0 });
    put(root, { 'src/a.js': 'two\n' });
    commit(root, 'mend it\n\nwith a body');
    const change = await shown(root);
    expect(change).toMatchObject({ title: 'mend it', files: ['src/a.js'], secretFiles: 0, cut: false });
    expect(change.hunks).toContain('-one\n+two\n');
  });

  test('of a merge compares with the first parent', async () => {
    const root = project({ 'a.js': 'one\n' });
    commit(root, 'begin');
    git(root, 'switch', '-q', '-c', 'side');
    put(root, { 'b.js': 'two\n' });
    commit(root, 'beside');
    git(root, 'switch', '-q', 'trunk');
    put(root, { 'c.js': 'three\n' });
    commit(root, 'on');
    git(root, 'merge', '-q', '--no-ff', '-m', 'together', 'side');
    expect(await shown(root)).toMatchObject({ title: 'together', files: ['b.js'] });
  });

  test('leaves out files with names of secret files', async () => {
    const root = project({ '.env': 'KEY=1\n', 'keys/server.pem': 'x\n', 'a.js': 'one\n' });
    commit(root, 'begin');
    const change = await shown(root);
    expect(change).toMatchObject({ files: ['a.js'], secretFiles: 2 });
    expect(change.hunks).not.toContain('KEY=1');
  });

  test('is limited and marked as cut', async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}.js`, `${'long '.repeat(99)}\n`]));
    const root = project(many);
    commit(root, 'begin');
    const change = await shown(root);
    expect(change).toMatchObject({ moreFiles: 10, cut: true });
    expect(change.files).toHaveLength(20);
    expect(change.hunks.length).toBeLessThanOrEqual(8 * 1024);
    expect(change.hunks).toMatch(/\n$/u);
  });

  test('starts no program that the repository names', async () => {
    const root = project({ '.gitattributes': '*.js diff=evil filter=evil\n', 'a.js': 'one\n' });
    commit(root, 'begin');
    const mark = path.join(root, 'started');
    for (const name of ['diff.evil.command', 'diff.evil.textconv', 'diff.external', 'filter.evil.smudge']) {
      git(root, 'config', name, `touch ${mark}`);
    }
    expect((await shown(root)).hunks).toContain('+one');
    expect(existsSync(mark)).toBe(false);
  });
});

describe('a commit is not shown', () => {
  const ELSEWHERE = '1'.repeat(40);

  test.each([
    ['--output=x', /no whole commit/u],
    ['HEAD', /no whole commit/u],
    [ELSEWHERE, /This clone does not have the commit/u],
  ])('if its name is %s', async (hash, why) => {
    const root = project({ a: '1' });
    commit(root, 'begin');
    expect(await committedChange(root, hash)).toMatch(why);
  });

  test('without a repository', async () => {
    expect(await committedChange(folder(), ELSEWHERE)).toMatch(/no git repository/u);
  });

  test('if a shallow clone does not have it', async () => {
    const root = project({ a: '1' });
    commit(root, 'begin');
    const first = head(root);
    put(root, { a: '2' });
    commit(root, 'mend it');
    const clone = path.join(folder(), 'clone');
    git(root, 'clone', '-q', '--depth', '1', `file://${root}`, clone);
    expect(await committedChange(clone, first)).toMatch(/may be shallow/u);
    expect(await committedChange(clone, head(clone))).toMatch(/does not have all of the commit/u);
  });
});
