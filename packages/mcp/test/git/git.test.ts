import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Git, runGit } from '../../src/git/git.ts';
import { repositoryOf } from '../../src/git/repository.ts';
import { driverSettings } from '../../src/git/settings.ts';
import { trackedFiles } from '../../src/git/tracked.ts';
import { findProgram } from '../../src/system/programs.ts';
import { commit, folder, project, put } from '../project.ts';

const PATH = process.env.PATH ?? '';
afterEach(() => {
  process.env.PATH = PATH;
});

describe('the git program', () => {
  function withGitIn(root: string, folder: string): void {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'git'), '#!/bin/sh\necho theirs\n');
    chmodSync(path.join(root, folder, 'git'), 0o755);
  }

  test('is never a program that the project contains', async () => {
    const root = project({ a: '1' });
    for (const place of ['.', 'bin', 'node_modules/.bin']) withGitIn(root, place);
    const theirs = ['', '.', 'bin', root, path.join(root, 'bin'), path.join(root, 'node_modules/.bin')];
    process.env.PATH = [...theirs, PATH].join(path.delimiter);
    expect(path.dirname(findProgram('git', root) ?? '')).not.toContain(root);
    expect(findProgram('git', path.join(root, 'sub'))).not.toContain('node_modules');
    expect((await runGit(root, ['version'])).stdout).toMatch(/^git version/u);
  });

  test('may be in the home folder even if the home folder is a project', () => {
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

  test.skipIf(process.platform === 'win32')('reports a timeout if it is slow', async () => {
    const root = project();
    const bin = folder();
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\nsleep 30\n');
    chmodSync(path.join(bin, 'git'), 0o755);
    process.env.PATH = [bin, PATH].join(path.delimiter);
    const problem = 'git did not answer within 0.1 s';
    // The settings are read first, with the same timeout.
    expect(await new Git(root, 100).run(['status'])).toMatchObject({ problem });
    // A timeout differs from a missing repository.
    expect(await repositoryOf(root, undefined, 100)).toBe(problem);
  });

  test('may be missing', async () => {
    const root = project();
    process.env.PATH = '';
    expect(await runGit(root, ['version'])).toMatchObject({ stdout: '', problem: 'git is not installed' });
  });
});

describe('the lines of a long output', () => {
  const log: [command: 'log', ...string[]] = ['log', '--format=%s'];

  async function linesOf(root: string, most: number, timeoutMs = 5_000): Promise<string[]> {
    const lines: string[] = [];
    await new Git(root).eachLine(log, (line) => lines.push(line) < most, { timeoutMs });
    return lines;
  }

  test('arrive up to the wanted number', async () => {
    const root = project();
    for (const message of ['one', 'zwölf']) commit(root, message);
    expect(await linesOf(root, 9)).toEqual(['zwölf', 'one']);
    expect(await linesOf(root, 1)).toEqual(['zwölf']);
  });

  test.skipIf(process.platform === 'win32')('are rejected if git fails', async () => {
    const root = project();
    await expect(linesOf(root, 9)).rejects.toThrow(/does not have any commits/u);
    const bin = folder();
    process.env.PATH = [bin, PATH].join(path.delimiter);
    for (const [end, problem, timeoutMs] of [
      ['kill -9 $$', /ended with exit code of a signal/u, 5_000],
      ['exec sleep 60', /did not answer within/u, 300],
    ] as const) {
      writeFileSync(
        path.join(bin, 'git'),
        `#!/bin/sh\necho half\n[ "$*" = "\${*%--name-only*}" ] || exit 0\n${end}\n`,
        {
          mode: 0o755,
        },
      );
      await expect(linesOf(root, 9, timeoutMs)).rejects.toThrow(problem);
    }
  });
});

test('overrides each configured driver by its name', () => {
  const drivers = ['filter.lfs.clean', 'filter.lfs.required', 'filter.a=b.process', 'diff.x y.textconv'];
  const listed = ['core.bare', ...drivers, 'filter.x\u2028y.smudge', 'user.name'];
  expect(driverSettings(listed)).toEqual([
    ...['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.required=false'],
    '--config-env=filter.a=b.process=ARGUS_GIT_NOTHING',
    ...['-c', 'diff.x y.textconv='],
    ...['-c', 'filter.x\u2028y.smudge='],
  ]);
});

test('finds tracked files', async () => {
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
