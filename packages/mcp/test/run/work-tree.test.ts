/** The id of a work tree equals the id that git would compute, and computing it writes nothing. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withoutHunks } from '../../src/git/uncommitted-change.ts';
import { ciFacts, gitFacts, givenFacts, lookAtGit } from '../../src/run/git-state.ts';
import { ciCheckout } from '../../src/system/ci.ts';

/** A repository with a single commit. */
class WorkTree {
  readonly top = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-work-tree-')));
  readonly src = path.join(this.top, 'src');

  constructor() {
    onTestFinished(() => rmSync(this.top, { recursive: true, force: true }));
    this.init();
    this.write('src/sum.js', 'export const sum = (a, b) => a + b;\n');
    this.write('src/deep/er.js', '1\n');
    this.write('src.txt', 'sorts between src and its files\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'first');
  }

  init(...options: string[]): void {
    rmSync(path.join(this.top, '.git'), { recursive: true, force: true });
    this.git('init', '-q', '-b', 'main', ...options);
    this.git('config', 'user.email', 'ada@example.com');
    this.git('config', 'user.name', 'Ada');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.top, encoding: 'utf8' }).trim();
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(path.dirname(path.join(this.top, name)), { recursive: true });
    writeFileSync(path.join(this.top, name), content);
  }

  remove(name: string): void {
    rmSync(path.join(this.top, name), { recursive: true });
  }

  /** The tree that git creates when all files are committed. */
  committed(): string {
    this.git('add', '-A');
    this.git('commit', '-qm', 'next', '--allow-empty');
    return this.git('rev-parse', 'HEAD^{tree}');
  }
}

test('gives a clean tree the id of its commit', async () => {
  const it = new WorkTree();
  const facts = await gitFacts(it.top);
  const tree = it.git('rev-parse', 'HEAD^{tree}');
  expect(facts).toMatchObject({ dirty: false, branch: 'main', tree });
  expect(facts?.commits).toEqual([{ commit: it.git('rev-parse', 'HEAD'), tree, parents: [] }]);
});

test('gives uncommitted work the id that it has after its commit', async () => {
  const it = new WorkTree();
  it.write('src/sum.js', Buffer.from([0, 255, 10, 13, 10]));
  it.write('src/new file.js', 'untracked\n');
  it.write('über/ñ.txt', 'names in more than ASCII\n');
  it.write('run.sh', '#!/bin/sh\n');
  chmodSync(path.join(it.top, 'run.sh'), 0o755);
  symlinkSync('sum.js', path.join(it.top, 'src/link.js'));
  it.remove('src/deep');
  it.git('mv', 'src.txt', 'moved.txt');
  const index = it.git('ls-files', '--stage');
  const objects = readdirSync(path.join(it.top, '.git/objects')).length;
  const facts = await gitFacts(it.src);
  expect(it.git('ls-files', '--stage')).toBe(index);
  expect(readdirSync(path.join(it.top, '.git/objects'))).toHaveLength(objects);
  expect(facts).toMatchObject({ dirty: true, tree: it.committed() });
});

test.each<[string, (it: WorkTree) => unknown]>([
  ['a folder called .git is no repository', (it) => mkdirSync(path.join(it.src, '.git'))],
  ['settings put the work tree elsewhere', (it) => it.git('config', 'core.worktree', path.join(it.top, 'elsewhere'))],
])('uses the files of the work tree if %s', async (_, make) => {
  const it = new WorkTree();
  it.write('elsewhere/src/sum.js', 'edited\n');
  make(it);
  expect(await gitFacts(it.src)).toMatchObject({ dirty: true, tree: it.committed() });
});

test('handles a file that becomes a folder, the reverse, and an unchanged submodule', async () => {
  const it = new WorkTree();
  it.write('both/deep/a', '1\n');
  it.write('both/deep/b', '2\n');
  it.write('plain', 'a file\n');
  it.git('update-index', '--add', '--cacheinfo', `160000,${it.git('rev-parse', 'HEAD')},vendored/lib`);
  it.git('add', 'both', 'plain');
  it.git('commit', '-qm', 'more');
  mkdirSync(path.join(it.top, 'vendored/lib'), { recursive: true });
  it.remove('both/deep');
  it.write('both/deep', 'a file now\n');
  it.remove('plain');
  it.write('plain/inner/file', 'a folder now\n');
  it.write('vendored/other', 'beside the submodule\n');
  it.remove('src/deep');
  const facts = await gitFacts(it.top);
  it.git('add', 'both', 'plain', 'src', 'vendored/other');
  expect(facts).toMatchObject({ dirty: true, tree: it.git('write-tree') });
});

describe('a submodule', () => {
  const withSubmodule = () => {
    const [it, lib] = [new WorkTree(), new WorkTree()];
    it.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.top, 'src/lib');
    it.git('commit', '-qm', 'library');
    return { it, lib: path.join(it.top, 'src/lib') };
  };

  test('is clean without changes', async () => {
    const { it } = withSubmodule();
    expect(await gitFacts(it.top)).toMatchObject({ dirty: false, tree: it.git('rev-parse', 'HEAD^{tree}') });
  });

  test('reports edits of its files, each with a different tree', async () => {
    const { it } = withSubmodule();
    const committed = it.git('rev-parse', 'HEAD^{tree}');
    const trees = [];
    for (const text of ['one', 'two', 'one']) {
      it.write('src/lib/src/sum.js', `${text}\n`);
      const facts = await gitFacts(it.top);
      expect(facts).toMatchObject({ dirty: true, edits: [{ path: 'src/lib/src/sum.js' }] });
      expect((await gitFacts(it.src))?.edits).toMatchObject([{ path: 'lib/src/sum.js' }]);
      trees.push(facts?.tree);
    }
    expect(trees[0]).toBe(trees[2]);
    expect(new Set([committed, ...trees]).size).toBe(3);
    it.git('-C', 'src/lib', 'checkout', '-q', '.');
    it.write('src/lib/new.js', 'new\n');
    expect(await gitFacts(it.top)).toMatchObject({
      untrackedOnly: true,
      edits: [{ path: 'src/lib/new.js', untracked: true }],
    });
  });

  test('is an edit at another commit, with the tree that it has after its commit', async () => {
    const { it } = withSubmodule();
    it.git(
      '-C',
      'src/lib',
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'later',
    );
    const facts = await gitFacts(it.top);
    it.git('add', 'src/lib');
    expect(facts).toMatchObject({ dirty: true, tree: it.git('write-tree'), edits: [{ path: 'src/lib' }] });
    expect((await gitFacts(it.top))?.tree, 'staged').toBe(facts?.tree);
  });

  test('is ignored behind a link', async () => {
    const { it, lib } = withSubmodule();
    const elsewhere = new WorkTree();
    elsewhere.write('secret.js', 'x\n');
    it.remove('src/lib');
    symlinkSync(elsewhere.top, lib);
    expect((await gitFacts(it.top))?.edits).toBeUndefined();
  });
});

test('equals the id of git before the first commit and with SHA-256', async () => {
  const it = new WorkTree();
  it.init();
  expect((await gitFacts(it.top))?.tree).toBe(it.committed());
  it.init('--object-format=sha256');
  it.committed();
  it.write('src/deep/er.js', 'changed\n');
  const tree = (await gitFacts(it.top))?.tree;
  expect(tree).toMatch(/^[0-9a-f]{64}$/u);
  expect(tree).toBe(it.committed());
});

test('uses the tree at the time of the look, despite later writes and commits', async () => {
  const it = new WorkTree();
  it.write('src/sum.js', 'changed\n');
  it.write('new.js', 'untracked\n');
  const look = lookAtGit(it.top);
  await look.treeSeen;
  const [seen, commit] = [it.committed(), it.git('rev-parse', 'HEAD~1')];
  it.write('src/deep/er.js', 'changed as well\n');
  it.remove('new.js');
  it.committed();
  const facts = await look.facts();
  expect(facts).toMatchObject({ commit, dirty: true, tree: seen });
  expect(facts?.commits?.map((one) => one.commit)).toEqual([commit]);
  expect(facts?.edits?.map((edit) => edit.path)).toEqual(['src/sum.js', 'new.js']);
});

test('excludes ignored files and files of Argus', async () => {
  const it = new WorkTree();
  const before = (await gitFacts(it.top))?.tree;
  it.write('.git/info/exclude', 'ignored/\n');
  it.write('ignored/file', 'x');
  it.write('.argus/argus.db', 'x');
  expect((await gitFacts(it.top))?.tree).toBe(before);
});

test('lists the newest commit first, and all parents of a merge', async () => {
  const it = new WorkTree();
  it.git('checkout', '-qb', 'side');
  it.write('side', '1');
  it.committed();
  it.git('checkout', '-q', 'main');
  it.write('main', '1');
  it.committed();
  it.git('merge', '-q', '--no-edit', 'side');
  const [newest] = (await gitFacts(it.top))?.commits ?? [];
  const [commit, tree, ...parents] = it.git('log', '-1', '--format=%H %T %P').split(' ');
  expect(newest).toEqual({ commit, tree, parents });
});

test('lists the files of commits relative to the project', async () => {
  const it = new WorkTree();
  it.write('src/new file.js', 'spaces\n');
  it.write('über/ñ.txt', 'names in more than ASCII\n');
  it.write('outside.txt', '1\n');
  it.git('mv', 'src/sum.js', 'src/add.js');
  it.committed();
  it.write('src/tab\there.js', 'quoted by git\n');
  it.remove('src/deep');
  it.committed();
  for (let at = 0; at < 80; at += 1) it.write(`many/${at}`, `${at}`);
  it.committed();
  const files = async (root: string) => (await gitFacts(root))?.commits?.map((commit) => commit.files);
  expect(await files(it.top)).toEqual([
    undefined,
    ['src/deep/er.js'],
    ['outside.txt', 'src/add.js', 'src/new file.js', 'src/sum.js', 'über/ñ.txt'],
    undefined,
  ]);
  expect(await files(it.src)).toEqual([undefined, ['deep/er.js'], ['add.js', 'new file.js', 'sum.js'], undefined]);
});

test('lists files of Argus only for a commit without other files', async () => {
  const it = new WorkTree();
  const share = (from: number) => {
    for (let at = from; at < from + 80; at += 1) it.write(`.argus-shared/fixes/fix-${at}.json`, `${at}`);
  };
  share(0);
  it.committed();
  share(100);
  it.write('src/sum.js', 'export const sum = 0;\n');
  it.committed();
  share(200);
  it.write('src/tab\there.js', 'quoted by git\n');
  it.committed();
  const commits = (await gitFacts(it.top))?.commits?.map((commit) => commit.files);
  expect(commits).toEqual([undefined, ['src/sum.js'], ['.argus-shared/fixes/fix-0.json'], undefined]);
});

test('lists commits without files in a clone without their folders', async () => {
  const it = new WorkTree();
  it.write('src/sum.js', 'later\n');
  it.committed();
  it.git('config', 'uploadpack.allowFilter', 'true');
  const clone = path.join(it.top, 'clone');
  it.git('clone', '-q', '--no-local', '--filter=tree:0', `file://${it.top}`, clone);
  const facts = await gitFacts(clone);
  expect(facts?.commits).toHaveLength(2);
  expect(facts?.commits?.[0]?.commit).toBe(it.git('rev-parse', 'HEAD'));
});

test('returns no commit in an empty repository and null outside a repository', async () => {
  const it = new WorkTree();
  it.remove('.git');
  expect(await gitFacts(it.top)).toBeNull();
  it.git('init', '-q');
  expect(await gitFacts(it.top)).toMatchObject({ commit: null, commits: [], dirty: true });
});

test('adds known facts about the commit to a run elsewhere', async () => {
  const it = new WorkTree();
  const first = it.git('rev-parse', 'HEAD');
  const tree = it.git('rev-parse', 'HEAD^{tree}');
  it.write('src/sum.js', 'later\n');
  it.committed();
  expect(await givenFacts(it.top, { commit: first, branch: 'side' })).toEqual({
    commit: first,
    branch: 'side',
    dirty: false,
    tree,
    commits: [{ commit: first, tree, parents: [] }],
  });
  const unknown = { commit: 'f'.repeat(40), dirty: true, tree: 'e'.repeat(40) };
  expect(await givenFacts(it.top, unknown)).toEqual({ ...unknown, branch: null, commits: [] });
  expect(await givenFacts(it.top, { commit: '--output=x' }), 'is no option of git').toMatchObject({ commits: [] });
  expect(await givenFacts(it.top, {}), 'nothing is said of it').toBeNull();
});

const SHA = 'ab'.repeat(20);

const GITHUB = { GITHUB_ACTIONS: 'true', GITHUB_SHA: SHA };
const OF_CHANGE = { branch: 'fix', commit: SHA };
const OF_MAIN = { branch: 'main', commit: SHA };
const UNKNOWN = { branch: null, commit: null };

test.each([
  ['GitHub Actions', { ...GITHUB, GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main' }, OF_MAIN],
  ['a pull request there', { ...GITHUB, GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge' }, OF_CHANGE],
  ['GitLab', { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main', CI_COMMIT_SHA: SHA }, OF_MAIN],
  ['Jenkins', { JENKINS_URL: 'x', BRANCH_NAME: 'PR-7', CHANGE_BRANCH: 'fix', GIT_COMMIT: SHA }, OF_CHANGE],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: SHA }, OF_MAIN],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_SHA1: SHA }, OF_MAIN],
  ['a service without them', { BUILDKITE: 'true', GITHUB_SHA: SHA }, UNKNOWN],
  ['none of them', { GITHUB_REF_NAME: 'main', CI_COMMIT_REF_NAME: 'main', GIT_COMMIT: SHA }, UNKNOWN],
])('reads the checkout of %s', (_, env, checkout) => {
  expect(ciCheckout(env)).toEqual(checkout);
});

test('uses the commit of CI if git is not available', () => {
  const known = { branch: 'main', dirty: false, tree: null, commits: [] };
  const buildkite = (commit: string) =>
    ciFacts({ BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: commit });
  expect(buildkite(SHA)).toEqual({ ...known, commit: SHA });
  expect(buildkite('ab'.repeat(32)), 'a repository of SHA-256').toEqual({ ...known, commit: 'ab'.repeat(32) });
  for (const none of ['HEAD', SHA.slice(1), `${SHA}\n`, `--${SHA.slice(2)}`, '']) expect(buildkite(none)).toBeNull();
  expect(ciFacts({})).toBeNull();
});

test('lists edits with hunks, untracked files with digests, and no secrets or files of tools', async () => {
  const it = new WorkTree();
  it.write('.env', 'KEY=1\n');
  it.committed();
  expect((await gitFacts(it.top))?.edits, 'nothing differs').toBeUndefined();
  it.write('src/sum.js', 'export const sum = (a, b) => a - b;\n');
  it.write('.env', 'KEY=2\n');
  it.write('src/deep/er.js', '-----BEGIN PRIVATE KEY-----\n');
  it.write('untracked.js', 'new\n');
  it.write('.env.local', 'KEY=3\n');
  it.write('out.log', 'line\n');
  it.write('.venv/lib/site.py', 'installed\n');
  it.remove('src.txt');
  const edits = (await gitFacts(it.top))?.edits ?? [];
  expect(edits.map((edit) => edit.path)).toEqual(['src.txt', 'src/sum.js', 'untracked.js']);
  expect(edits[2]).toEqual({ path: 'untracked.js', digest: expect.stringMatching(/^[0-9a-f]{16}$/u), untracked: true });
  expect(edits[1]?.hunks).toContain('-export const sum = (a, b) => a + b;\n+export const sum = (a, b) => a - b;\n');
  const below = (await gitFacts(it.src))?.edits;
  expect(below, 'relative to the project').toMatchObject([{ path: 'sum.js', digest: expect.stringMatching(/./u) }]);
});

test('keeps only name and digest of a large change', async () => {
  const it = new WorkTree();
  it.write('src/sum.js', `${'x'.repeat(79)}\n`.repeat(200));
  const [edit] = (await gitFacts(it.top))?.edits ?? [];
  expect(edit).toEqual({ path: 'src/sum.js', digest: expect.stringMatching(/^[0-9a-f]{16}$/u) });
  it.write('src/sum.js', `const key = \`\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n\`;\n`);
  expect((await gitFacts(it.top))?.edits?.[0], 'nor is a key in it').not.toHaveProperty('hunks');
  const git = { commit: null, branch: null, dirty: true, edits: [{ path: 'a', digest: 'd', hunks: 'text' }] };
  expect(withoutHunks(git).edits).toEqual([{ path: 'a', digest: 'd' }]);
});
