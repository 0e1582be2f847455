/** Finds the project to which a folder belongs. Inside a repository, git decides. */

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findProject } from '../../src/owner/project.ts';
import { findWorkTreeTop, listFoldersUpToWorkTree } from '../../src/system/files/path-safety.ts';
import { createProject, runGit } from '../project.ts';

test.each<[string, (folder: string) => void, boolean]>([
  ['nothing', () => undefined, false],
  ['an empty folder', (folder) => mkdirSync(path.join(folder, '.git')), false],
  ['a link that leads nowhere', (folder) => symlinkSync('absent', path.join(folder, '.git')), false],
  ['a repository', (folder) => runGit(folder, 'init', '-q'), true],
  ['a repository whose HEAD is a link', (folder) => replaceHeadByLink(folder), true],
  [
    'the file of a submodule',
    (folder) => writeFileSync(path.join(folder, '.git'), 'gitdir: ../.git/modules/a\n'),
    true,
  ],
])('finds the project with %s as .git', async (_, make, isTop) => {
  const root = realpathSync.native(createProject({ 'inner/deep/a.txt': '' }));
  const inner = path.join(root, 'inner');
  make(inner);
  const folder = path.join(inner, 'deep');
  const top = isTop ? inner : root;
  expect(findWorkTreeTop(folder)).toBe(top);
  expect(await findProject(folder)).toEqual({ root: folder, top, home: top });
  expect(listFoldersUpToWorkTree(folder)).toEqual(isTop ? [folder, inner] : [folder, inner, root]);
});

function replaceHeadByLink(folder: string): void {
  mkdirSync(path.join(folder, '.git', 'objects'), { recursive: true });
  mkdirSync(path.join(folder, '.git', 'refs'));
  symlinkSync('refs/heads/trunk', path.join(folder, '.git', 'HEAD'));
}
