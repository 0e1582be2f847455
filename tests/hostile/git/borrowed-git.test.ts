/** Projects whose `.git` leads into another repository of the user: nothing of that is read, written or removed. */

import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { CHECK, fixProblem, git, repository } from '../../e2e/fix-loop/fix-loop.ts';
import { project } from '../../e2e/harness.ts';

const FILES = { 'check.js': CHECK, 'answer.txt': 'bad\n' };
const RUN = ['--command', 'node check.js', '--desired', 'it is well', '--backoff', '0'];

/** Ways in which a project's `.git` can lead into the victim, another repository with a waiting loop. */
const BORROWINGS: Readonly<Record<string, (root: string, victim: string) => void>> = {
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
    git(root, 'init', '-q', '-b', 'main');
    for (const name of ['refs', 'objects']) {
      rmSync(path.join(root, '.git', name), { recursive: true });
      symlinkSync(path.join(victim, '.git', name), path.join(root, '.git', name));
    }
  },
};

const SECRET = 'cannot use answer: the merger is on Friday';

const refsOf = (root: string) => git(root, 'for-each-ref');
const objectsOf = (root: string) =>
  readdirSync(path.join(root, '.git/objects'), { recursive: true }).map(String).sort();

let made: Promise<string> | undefined;

/** A repository with a loop that waits; the same for all tests, because none may change it. */
async function victimRepository(): Promise<string> {
  const victim = repository(FILES);
  git(victim, 'commit', '-q', '--allow-empty', '-m', SECRET);
  expect((await fixProblem(victim, RUN)).status).toBe(3);
  return victim;
}

test.skipIf(process.platform === 'win32').each(Object.entries(BORROWINGS))(
  'nothing is read through a .git %s',
  async (_, borrow) => {
    made ??= victimRepository();
    const victim = await made;
    const before = { refs: refsOf(victim), objects: objectsOf(victim) };
    expect(before.refs).toContain('refs/argus/fixes/');
    const root = project(FILES);
    borrow(root, victim);
    expect(git(root, 'log', '-1', '--format=%s'), 'the trap is set').toBe(SECRET);
    const { status, stdout } = await fixProblem(root, RUN);
    expect(status).toBe(3);
    expect(stdout).toContain('does not name this folder as its work tree');
    expect(stdout).not.toContain(SECRET);
    expect((await argus(['clean', '--all', '--project', root])).status).toBe(0);
    expect({ refs: refsOf(victim), objects: objectsOf(victim) }).toEqual(before);
  },
);
