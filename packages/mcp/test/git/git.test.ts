import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Git, runGit } from '../../src/git/git.ts';
import { findRepository, findTrackedPaths } from '../../src/git/repository.ts';
import { createDriverOptions } from '../../src/git/settings.ts';
import { findProgram } from '../../src/system/programs.ts';
import { commitAll, createFolder, createProject, writeFiles } from '../project.ts';

const ORIGINAL_PATH = process.env.PATH ?? '';
afterEach(() => {
  process.env.PATH = ORIGINAL_PATH;
});

describe('finding the git program', () => {
  function addFakeGit(root: string, folder: string): void {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'git'), '#!/bin/sh\necho theirs\n');
    chmodSync(path.join(root, folder, 'git'), 0o755);
  }

  test('git is never a program that the project contains', async () => {
    const root = createProject({ a: '1' });
    for (const place of ['.', 'bin', 'node_modules/.bin']) addFakeGit(root, place);
    const theirs = ['', '.', 'bin', root, path.join(root, 'bin'), path.join(root, 'node_modules/.bin')];
    process.env.PATH = [...theirs, ORIGINAL_PATH].join(path.delimiter);
    expect(path.dirname(findProgram('git', root) ?? '')).not.toContain(root);
    expect(findProgram('git', path.join(root, 'sub'))).not.toContain('node_modules');
    expect((await runGit(root, ['version'])).stdout).toMatch(/^git version/u);
  });

  test('git may be in the home folder even if the home folder is a project', () => {
    const home = createProject();
    addFakeGit(home, 'bin');
    const homeBefore = process.env.HOME;
    process.env.HOME = home;
    try {
      process.env.PATH = path.join(home, 'bin');
      expect(findProgram('git', home)).toBe(path.join(home, 'bin/git'));
    } finally {
      process.env.HOME = homeBefore;
    }
  });

  test.skipIf(process.platform === 'win32')('a slow git is reported as a timeout', async () => {
    const root = createProject();
    const bin = createFolder();
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\nsleep 30\n');
    chmodSync(path.join(bin, 'git'), 0o755);
    process.env.PATH = [bin, ORIGINAL_PATH].join(path.delimiter);
    const problem = 'git did not answer within 0.1 s';
    // Git's settings are read first, with the same timeout.
    expect(await new Git(root, 100).run(['status'])).toMatchObject({ problem });
    // A timeout is reported differently from a missing repository.
    expect(await findRepository(root, undefined, 100)).toBe(problem);
  });

  test('git may be missing', async () => {
    const root = createProject();
    process.env.PATH = '';
    expect(await runGit(root, ['version'])).toMatchObject({ stdout: '', problem: 'git is not installed' });
  });
});

describe('reading the lines of a long output', () => {
  const log: [command: 'log', ...string[]] = ['log', '--format=%s'];

  async function readGitLines(root: string, maxLines: number, timeoutMs = 5_000): Promise<string[]> {
    const lines: string[] = [];
    await new Git(root).forEachLine(log, (line) => lines.push(line) < maxLines, { timeoutMs });
    return lines;
  }

  test('lines arrive up to the requested number', async () => {
    const root = createProject();
    for (const message of ['one', 'zwölf']) commitAll(root, message);
    expect(await readGitLines(root, 9)).toEqual(['zwölf', 'one']);
    expect(await readGitLines(root, 1)).toEqual(['zwölf']);
  });

  test.skipIf(process.platform === 'win32')('reading lines fails if git fails', async () => {
    const root = createProject();
    await expect(readGitLines(root, 9)).rejects.toThrow(/does not have any commits/u);
    const bin = createFolder();
    process.env.PATH = [bin, ORIGINAL_PATH].join(path.delimiter);
    for (const [end, problem, timeoutMs] of [
      ['kill -9 $$', /was ended by a signal/u, 5_000],
      ['exec sleep 60', /did not answer within/u, 300],
    ] as const) {
      writeFileSync(
        path.join(bin, 'git'),
        `#!/bin/sh\necho half\n[ "$*" = "\${*%--name-only*}" ] || exit 0\n${end}\n`,
        {
          mode: 0o755,
        },
      );
      await expect(readGitLines(root, 9, timeoutMs)).rejects.toThrow(problem);
    }
  });
});

test('overrides each configured diff and merge driver by its name', () => {
  const drivers = ['filter.lfs.clean', 'filter.lfs.required', 'filter.a=b.process', 'diff.x y.textconv'];
  const listed = ['core.bare', ...drivers, 'filter.x\u2028y.smudge', 'user.name'];
  expect(createDriverOptions(listed)).toEqual([
    ...['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.required=false'],
    '--config-env=filter.a=b.process=ARGUS_GIT_NOTHING',
    ...['-c', 'diff.x y.textconv='],
    ...['-c', 'filter.x\u2028y.smudge='],
  ]);
});

test('finds tracked files', async () => {
  const root = createProject({ 'a.txt': '1', '.argus/argus.db': '1', 'odd[1]*.txt': '1' });
  commitAll(root, 'first');
  writeFiles(root, { 'new.txt': '1', 'oddx.txt': '1' });
  const paths = ['a.txt', 'A.TXT', '.argus', '.argus/argus.db', '.argus/config', 'odd[1]*.txt', 'oddx.txt', 'new.txt'];
  const allPaths = [...paths, path.join(root, 'a.txt'), '/somewhere/else', '../outside'];
  const tracked = ['a.txt', 'A.TXT', '.argus', '.argus/argus.db', 'odd[1]*.txt', path.join(root, 'a.txt')];
  expect(await findTrackedPaths(root, allPaths)).toEqual(new Set(tracked));
  expect(await findTrackedPaths(root, [])).toEqual(new Set());
  expect(await findTrackedPaths(createFolder(), ['a'])).toEqual(new Set());
});
