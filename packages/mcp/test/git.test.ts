import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runGit } from '../src/git/git.ts';
import { driverSettings } from '../src/git/settings.ts';
import { trackedFiles } from '../src/git/tracked.ts';
import { findProgram } from '../src/programs.ts';
import { commit, folder, project, put } from './fix-project.ts';

const PATH = process.env.PATH ?? '';
afterEach(() => {
  process.env.PATH = PATH;
});

describe('which git', () => {
  function withGitIn(root: string, folder: string): void {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'git'), '#!/bin/sh\necho theirs\n');
    chmodSync(path.join(root, folder, 'git'), 0o755);
  }

  test('is never one that the project brings', async () => {
    const root = project({ a: '1' });
    for (const place of ['.', 'bin', 'node_modules/.bin']) withGitIn(root, place);
    const theirs = ['', '.', 'bin', root, path.join(root, 'bin'), path.join(root, 'node_modules/.bin')];
    process.env.PATH = [...theirs, PATH].join(path.delimiter);
    expect(path.dirname(findProgram('git', root) ?? '')).not.toContain(root);
    expect(findProgram('git', path.join(root, 'sub'))).not.toContain('node_modules');
    expect((await runGit(root, ['version'])).stdout).toMatch(/^git version/u);
  });

  test('may be in the home folder, though a project is there too', () => {
    const home = project();
    withGitIn(home, 'bin');
    const before = process.env.HOME;
    process.env.HOME = home;
    try {
      process.env.PATH = path.join(home, 'bin');
      expect(findProgram('git', home)).toBe(path.join(home, 'bin/git'));
    } finally {
      process.env.HOME = before;
    }
  });

  test('none is an answer', async () => {
    const root = project();
    process.env.PATH = '';
    expect(await runGit(root, ['version'])).toMatchObject({ stdout: '', problem: 'git is not installed' });
  });
});

test('each configured driver is answered by its own name, whatever that is', () => {
  const drivers = ['filter.lfs.clean', 'filter.lfs.required', 'filter.a=b.process', 'diff.x y.textconv'];
  const listed = ['core.bare', ...drivers, 'filter.x\u2028y.smudge', 'user.name'];
  expect(driverSettings(listed)).toEqual([
    ...['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.required=false'],
    '--config-env=filter.a=b.process=ARGUS_GIT_NOTHING',
    ...['-c', 'diff.x y.textconv='],
    ...['-c', 'filter.x\u2028y.smudge='],
  ]);
});

test('what git tracks', async () => {
  const root = project({ 'a.txt': '1', '.argus/argus.db': '1', 'odd[1]*.txt': '1' });
  commit(root, 'first');
  put(root, { 'new.txt': '1', 'oddx.txt': '1' });
  const paths = ['a.txt', 'A.TXT', '.argus', '.argus/argus.db', '.argus/config', 'odd[1]*.txt', 'oddx.txt', 'new.txt'];
  const all = [...paths, path.join(root, 'a.txt'), '/somewhere/else', '../outside'];
  const tracked = ['a.txt', 'A.TXT', '.argus', '.argus/argus.db', 'odd[1]*.txt', path.join(root, 'a.txt')];
  expect(await trackedFiles(root, all)).toEqual(new Set(tracked));
  expect(await trackedFiles(root, [])).toEqual(new Set());
  expect(await trackedFiles(folder(), ['a'])).toEqual(new Set());
});
