/**
 * Projects whose `.git` leads into another repository of the user: nothing of that repository is read, written or
 * removed.
 */

import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { CHECK_SCRIPT, createRepository, fixProblem, runGit } from '../../e2e/fix-loop/fix-loop.ts';
import { createProject } from '../../e2e/harness.ts';

const CHECK_FILES = { 'check.js': CHECK_SCRIPT, 'answer.txt': 'bad\n' };
const LOOP_ARGS = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];

/** Ways in which a project's `.git` can lead into the victim, which is another repository with a waiting loop. */
const BORROWED_GIT_FOLDERS: Readonly<Record<string, (root: string, victim: string) => void>> = {
  'as a file': (root, victim) => writeFileSync(path.join(root, '.git'), `gitdir: ${victim}/.git\n`),
  'as a link': (root, victim) => symlinkSync(path.join(victim, '.git'), path.join(root, '.git')),
  'by its common folder': (root, victim) => {
    mkdirSync(path.join(root, '.git'));
    cpSync(path.join(victim, '.git/HEAD'), path.join(root, '.git/HEAD'));
    writeFileSync(path.join(root, '.git/commondir'), `${victim}/.git\n`);
  },
  'by the common folder of a linked work tree': (root, victim) => {
    mkdirSync(path.join(root, 'evil'));
    cpSync(path.join(victim, '.git/HEAD'), path.join(root, 'evil/HEAD'));
    writeFileSync(path.join(root, 'evil/commondir'), `${victim}/.git\n`);
    writeFileSync(path.join(root, 'evil/gitdir'), `${root}/.git\n`);
    writeFileSync(path.join(root, '.git'), 'gitdir: evil\n');
  },
  'by links in it': (root, victim) => {
    runGit(root, 'init', '-q', '-b', 'main');
    for (const name of ['refs', 'objects']) {
      rmSync(path.join(root, '.git', name), { recursive: true });
      symlinkSync(path.join(victim, '.git', name), path.join(root, '.git', name));
    }
  },
};

const SECRET_ERROR = 'cannot use answer: the merger is on Friday';

const listRefs = (root: string) => runGit(root, 'for-each-ref');
const listObjects = (root: string) =>
  readdirSync(path.join(root, '.git/objects'), { recursive: true }).map(String).sort();

let createdVictim: Promise<string> | undefined;

/** Returns a repository with a loop that waits. All tests use the same repository, because none may change it. */
async function getVictimRepository(): Promise<string> {
  const victim = createRepository(CHECK_FILES);
  runGit(victim, 'commit', '-q', '--allow-empty', '-m', SECRET_ERROR);
  expect((await fixProblem(victim, LOOP_ARGS)).status).toBe(3);
  return victim;
}

test.skipIf(process.platform === 'win32').each(Object.entries(BORROWED_GIT_FOLDERS))(
  'nothing is read through a .git %s',
  async (_, borrow) => {
    createdVictim ??= getVictimRepository();
    const victim = await createdVictim;
    const before = { refs: listRefs(victim), objects: listObjects(victim) };
    expect(before.refs).toContain('refs/argus/fixes/');
    const root = createProject(CHECK_FILES);
    borrow(root, victim);
    expect(runGit(root, 'log', '-1', '--format=%s'), 'the trap is set').toBe(SECRET_ERROR);
    const { status, stdout } = await fixProblem(root, LOOP_ARGS);
    expect(status).toBe(3);
    expect(stdout).toContain('does not list this folder as its work tree');
    expect(stdout).not.toContain(SECRET_ERROR);
    expect((await argus(['clean', '--all', '--project', root])).status).toBe(0);
    expect({ refs: listRefs(victim), objects: listObjects(victim) }).toEqual(before);
  },
);
