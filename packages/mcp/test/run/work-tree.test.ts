/** Tests that the id of a work tree equals the id that git would compute, and that nothing is written. */

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
import { removeHunks } from '../../src/git/changes.ts';
import { completeGivenFacts, createCiFacts, readGitFacts, startReadingGit } from '../../src/run/git-state.ts';
import { readCiCheckout } from '../../src/system/ci.ts';

/** A repository with a single commit. */
class TestRepository {
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

  /** Commits all files, and returns the id of the tree that git created. */
  commitAll(): string {
    this.git('add', '-A');
    this.git('commit', '-qm', 'next', '--allow-empty');
    return this.git('rev-parse', 'HEAD^{tree}');
  }
}

test('gives a clean tree the id of its commit', async () => {
  const repository = new TestRepository();
  const facts = await readGitFacts(repository.top);
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  expect(facts).toMatchObject({ dirty: false, branch: 'main', tree });
  const authoredAt = Number(repository.git('log', '-1', '--format=%at')) * 1_000;
  expect(facts?.commits).toEqual([{ commit: repository.git('rev-parse', 'HEAD'), tree, parents: [], authoredAt }]);
});

test('gives uncommitted work the id that it has after its commit', async () => {
  const repository = new TestRepository();
  repository.write('src/sum.js', Buffer.from([0, 255, 10, 13, 10]));
  repository.write('src/new file.js', 'untracked\n');
  repository.write('über/ñ.txt', 'names in more than ASCII\n');
  repository.write('run.sh', '#!/bin/sh\n');
  chmodSync(path.join(repository.top, 'run.sh'), 0o755);
  symlinkSync('sum.js', path.join(repository.top, 'src/link.js'));
  repository.remove('src/deep');
  repository.git('mv', 'src.txt', 'moved.txt');
  const index = repository.git('ls-files', '--stage');
  const objects = readdirSync(path.join(repository.top, '.git/objects')).length;
  const facts = await readGitFacts(repository.src);
  expect(repository.git('ls-files', '--stage')).toBe(index);
  expect(readdirSync(path.join(repository.top, '.git/objects'))).toHaveLength(objects);
  expect(facts).toMatchObject({ dirty: true, tree: repository.commitAll() });
});

test.each<[string, (repository: TestRepository) => unknown]>([
  ['a folder with the name .git is not a repository', (repository) => mkdirSync(path.join(repository.src, '.git'))],
  [
    'settings of git name another work tree',
    (repository) => repository.git('config', 'core.worktree', path.join(repository.top, 'elsewhere')),
  ],
])('uses the files of the work tree if %s', async (_, change) => {
  const repository = new TestRepository();
  repository.write('elsewhere/src/sum.js', 'edited\n');
  change(repository);
  expect(await readGitFacts(repository.src)).toMatchObject({ dirty: true, tree: repository.commitAll() });
});

test('handles a file that becomes a folder, a folder that becomes a file, and an unchanged submodule', async () => {
  const repository = new TestRepository();
  repository.write('both/deep/a', '1\n');
  repository.write('both/deep/b', '2\n');
  repository.write('plain', 'a file\n');
  repository.git('update-index', '--add', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD')},vendored/lib`);
  repository.git('add', 'both', 'plain');
  repository.git('commit', '-qm', 'more');
  mkdirSync(path.join(repository.top, 'vendored/lib'), { recursive: true });
  repository.remove('both/deep');
  repository.write('both/deep', 'a file now\n');
  repository.remove('plain');
  repository.write('plain/inner/file', 'a folder now\n');
  repository.write('vendored/other', 'beside the submodule\n');
  repository.remove('src/deep');
  const facts = await readGitFacts(repository.top);
  repository.git('add', 'both', 'plain', 'src', 'vendored/other');
  expect(facts).toMatchObject({ dirty: true, tree: repository.git('write-tree') });
});

describe('a submodule', () => {
  const createSubmodule = () => {
    const [repository, lib] = [new TestRepository(), new TestRepository()];
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.top, 'src/lib');
    repository.git('commit', '-qm', 'library');
    return { repository, lib: path.join(repository.top, 'src/lib') };
  };

  test('is clean without changes', async () => {
    const { repository } = createSubmodule();
    expect(await readGitFacts(repository.top)).toMatchObject({
      dirty: false,
      tree: repository.git('rev-parse', 'HEAD^{tree}'),
    });
  });

  test('has a different tree for each content of its files', async () => {
    const { repository } = createSubmodule();
    const committed = repository.git('rev-parse', 'HEAD^{tree}');
    const trees = [];
    for (const text of ['one', 'two', 'one']) {
      repository.write('src/lib/src/sum.js', `${text}\n`);
      const facts = await readGitFacts(repository.top);
      expect(facts).toMatchObject({ dirty: true, edits: [{ path: 'src/lib/src/sum.js' }] });
      expect((await readGitFacts(repository.src))?.edits).toMatchObject([{ path: 'lib/src/sum.js' }]);
      trees.push(facts?.tree);
    }
    expect(trees[0]).toBe(trees[2]);
    expect(new Set([committed, ...trees]).size).toBe(3);
    repository.git('-C', 'src/lib', 'checkout', '-q', '.');
    repository.write('src/lib/new.js', 'new\n');
    expect(await readGitFacts(repository.top)).toMatchObject({
      untrackedOnly: true,
      edits: [{ path: 'src/lib/new.js', untracked: true }],
    });
  });

  test('counts as an edit if it is at another commit, and the tree stays equal when it is committed', async () => {
    const { repository } = createSubmodule();
    repository.git(
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
    const facts = await readGitFacts(repository.top);
    repository.git('add', 'src/lib');
    expect(facts).toMatchObject({ dirty: true, tree: repository.git('write-tree'), edits: [{ path: 'src/lib' }] });
    expect((await readGitFacts(repository.top))?.tree, 'staged').toBe(facts?.tree);
  });

  test('is ignored if its folder is a link', async () => {
    const { repository, lib } = createSubmodule();
    const elsewhere = new TestRepository();
    elsewhere.write('secret.js', 'x\n');
    repository.remove('src/lib');
    symlinkSync(elsewhere.top, lib);
    expect((await readGitFacts(repository.top))?.edits).toBeUndefined();
  });
});

test('equals the id of git before the first commit and with SHA-256', async () => {
  const repository = new TestRepository();
  repository.init();
  expect((await readGitFacts(repository.top))?.tree).toBe(repository.commitAll());
  repository.init('--object-format=sha256');
  repository.commitAll();
  repository.write('src/deep/er.js', 'changed\n');
  const tree = (await readGitFacts(repository.top))?.tree;
  expect(tree).toMatch(/^[0-9a-f]{64}$/u);
  expect(tree).toBe(repository.commitAll());
});

test('uses the tree at the time of the call, despite later writes and commits', async () => {
  const repository = new TestRepository();
  repository.write('src/sum.js', 'changed\n');
  repository.write('new.js', 'untracked\n');
  const gitState = startReadingGit(repository.top);
  await gitState.treeRead;
  const [treeAtStart, commit] = [repository.commitAll(), repository.git('rev-parse', 'HEAD~1')];
  repository.write('src/deep/er.js', 'changed as well\n');
  repository.remove('new.js');
  repository.commitAll();
  const facts = await gitState.readFacts();
  expect(facts).toMatchObject({ commit, dirty: true, tree: treeAtStart });
  expect(facts?.commits?.map((one) => one.commit)).toEqual([commit]);
  expect(facts?.edits?.map((edit) => edit.path)).toEqual(['src/sum.js', 'new.js']);
});

test('the id does not depend on ignored files and files of Argus', async () => {
  const repository = new TestRepository();
  const idWithoutFiles = (await readGitFacts(repository.top))?.tree;
  repository.write('.git/info/exclude', 'ignored/\n');
  repository.write('ignored/file', 'x');
  repository.write('.argus/argus.db', 'x');
  expect((await readGitFacts(repository.top))?.tree).toBe(idWithoutFiles);
});

test('lists the newest commit first, and all parents of a merge', async () => {
  const repository = new TestRepository();
  repository.git('checkout', '-qb', 'side');
  repository.write('side', '1');
  repository.commitAll();
  repository.git('checkout', '-q', 'main');
  repository.write('main', '1');
  repository.commitAll();
  repository.git('merge', '-q', '--no-edit', 'side');
  const [newest] = (await readGitFacts(repository.top))?.commits ?? [];
  const [commit, tree, ...parents] = repository.git('log', '-1', '--format=%H %T %P').split(' ');
  expect(newest).toMatchObject({ commit, tree, parents });
});

test('lists the files of commits relative to the project', async () => {
  const repository = new TestRepository();
  repository.write('src/new file.js', 'spaces\n');
  repository.write('über/ñ.txt', 'names in more than ASCII\n');
  repository.write('outside.txt', '1\n');
  repository.git('mv', 'src/sum.js', 'src/add.js');
  repository.commitAll();
  repository.write('src/tab\there.js', 'quoted by git\n');
  repository.remove('src/deep');
  repository.commitAll();
  for (let at = 0; at < 80; at += 1) repository.write(`many/${at}`, `${at}`);
  repository.commitAll();
  const files = async (root: string) => (await readGitFacts(root))?.commits?.map((commit) => commit.files);
  expect(await files(repository.top)).toEqual([
    undefined,
    ['src/deep/er.js'],
    ['outside.txt', 'src/add.js', 'src/new file.js', 'src/sum.js', 'über/ñ.txt'],
    undefined,
  ]);
  expect(await files(repository.src)).toEqual([
    undefined,
    ['deep/er.js'],
    ['add.js', 'new file.js', 'sum.js'],
    undefined,
  ]);
});

test('lists files of Argus only for a commit without other files', async () => {
  const repository = new TestRepository();
  const share = (from: number) => {
    for (let at = from; at < from + 80; at += 1) repository.write(`.argus-shared/fixes/fix-${at}.json`, `${at}`);
  };
  share(0);
  repository.commitAll();
  share(100);
  repository.write('src/sum.js', 'export const sum = 0;\n');
  repository.commitAll();
  share(200);
  repository.write('src/tab\there.js', 'quoted by git\n');
  repository.commitAll();
  const commits = (await readGitFacts(repository.top))?.commits?.map((commit) => commit.files);
  expect(commits).toEqual([undefined, ['src/sum.js'], ['.argus-shared/fixes/fix-0.json'], undefined]);
});

test('lists commits without files in a clone that lacks the folders of commits', async () => {
  const repository = new TestRepository();
  repository.write('src/sum.js', 'later\n');
  repository.commitAll();
  repository.git('config', 'uploadpack.allowFilter', 'true');
  const clone = path.join(repository.top, 'clone');
  repository.git('clone', '-q', '--no-local', '--filter=tree:0', `file://${repository.top}`, clone);
  const facts = await readGitFacts(clone);
  expect(facts?.commits).toHaveLength(2);
  expect(facts?.commits?.[0]?.commit).toBe(repository.git('rev-parse', 'HEAD'));
});

test('returns no commit in an empty repository and null outside a repository', async () => {
  const repository = new TestRepository();
  repository.remove('.git');
  expect(await readGitFacts(repository.top)).toBeNull();
  repository.git('init', '-q');
  expect(await readGitFacts(repository.top)).toMatchObject({ commit: null, commits: [], dirty: true });
});

test('adds local facts about the commit to a run on another machine', async () => {
  const repository = new TestRepository();
  const first = repository.git('rev-parse', 'HEAD');
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  repository.write('src/sum.js', 'later\n');
  repository.commitAll();
  expect(await completeGivenFacts(repository.top, { commit: first, branch: 'side' })).toEqual({
    commit: first,
    branch: 'side',
    dirty: false,
    tree,
    commits: [expect.objectContaining({ commit: first, tree, parents: [] })],
  });
  const unknown = { commit: 'f'.repeat(40), dirty: true, tree: 'e'.repeat(40) };
  expect(await completeGivenFacts(repository.top, unknown)).toEqual({ ...unknown, branch: null, commits: [] });
  expect(
    await completeGivenFacts(repository.top, { commit: '--output=x' }),
    'a commit is never read as an option of git',
  ).toMatchObject({
    commits: [],
  });
  expect(await completeGivenFacts(repository.top, {}), 'no fact is given').toBeNull();
});

const SHA = 'ab'.repeat(20);

const GITHUB_VARIABLES = { GITHUB_ACTIONS: 'true', GITHUB_SHA: SHA };
const CHECKOUT_OF_FIX = { branch: 'fix', commit: SHA };
const CHECKOUT_OF_MAIN = { branch: 'main', commit: SHA };
const NO_CHECKOUT = { branch: null, commit: null };

test.each([
  ['GitHub Actions', { ...GITHUB_VARIABLES, GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main' }, CHECKOUT_OF_MAIN],
  [
    'a pull request on GitHub Actions',
    { ...GITHUB_VARIABLES, GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge' },
    CHECKOUT_OF_FIX,
  ],
  ['GitLab', { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main', CI_COMMIT_SHA: SHA }, CHECKOUT_OF_MAIN],
  ['Jenkins', { JENKINS_URL: 'x', BRANCH_NAME: 'PR-7', CHANGE_BRANCH: 'fix', GIT_COMMIT: SHA }, CHECKOUT_OF_FIX],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: SHA }, CHECKOUT_OF_MAIN],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_SHA1: SHA }, CHECKOUT_OF_MAIN],
  ['a service without variables for the checkout', { BUILDKITE: 'true', GITHUB_SHA: SHA }, NO_CHECKOUT],
  ['no CI service', { GITHUB_REF_NAME: 'main', CI_COMMIT_REF_NAME: 'main', GIT_COMMIT: SHA }, NO_CHECKOUT],
])('reads the checkout of %s', (_, env, checkout) => {
  expect(readCiCheckout(env)).toEqual(checkout);
});

test('uses the commit of CI if git is not available', () => {
  const commonFacts = { branch: 'main', dirty: false, tree: null, commits: [] };
  const buildkite = (commit: string) =>
    createCiFacts({ BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: commit });
  expect(buildkite(SHA)).toEqual({ ...commonFacts, commit: SHA });
  expect(buildkite('ab'.repeat(32)), 'a repository with SHA-256').toEqual({ ...commonFacts, commit: 'ab'.repeat(32) });
  for (const invalidCommit of ['HEAD', SHA.slice(1), `${SHA}\n`, `--${SHA.slice(2)}`, ''])
    expect(buildkite(invalidCommit)).toBeNull();
  expect(createCiFacts({})).toBeNull();
});

test('lists edits with hunks and untracked files with digests, but no secrets or files of tools', async () => {
  const repository = new TestRepository();
  repository.write('.env', 'KEY=1\n');
  repository.commitAll();
  expect((await readGitFacts(repository.top))?.edits, 'nothing differs').toBeUndefined();
  repository.write('src/sum.js', 'export const sum = (a, b) => a - b;\n');
  repository.write('.env', 'KEY=2\n');
  repository.write('src/deep/er.js', '-----BEGIN PRIVATE KEY-----\n');
  repository.write('untracked.js', 'new\n');
  repository.write('.env.local', 'KEY=3\n');
  repository.write('out.log', 'line\n');
  repository.write('.venv/lib/site.py', 'installed\n');
  repository.remove('src.txt');
  const edits = (await readGitFacts(repository.top))?.edits ?? [];
  expect(edits.map((edit) => edit.path)).toEqual(['src.txt', 'src/sum.js', 'untracked.js']);
  expect(edits[2]).toEqual({ path: 'untracked.js', digest: expect.stringMatching(/^[0-9a-f]{16}$/u), untracked: true });
  expect(edits[1]?.hunks).toContain('-export const sum = (a, b) => a + b;\n+export const sum = (a, b) => a - b;\n');
  const below = (await readGitFacts(repository.src))?.edits;
  expect(below, 'relative to the project').toMatchObject([{ path: 'sum.js', digest: expect.stringMatching(/./u) }]);
});

test('adds the diffs of the newest commits, without large diffs, secrets and merges', async () => {
  const repository = new TestRepository();
  const commitAndReadHunks = async (file: string, content: string) => {
    repository.write(file, content);
    repository.commitAll();
    return (await readGitFacts(repository.top))?.commits?.[0]?.hunks;
  };
  expect(await commitAndReadHunks('src/sum.js', 'export const sum = 1;\n')).toContain('+export const sum = 1;');
  expect(await commitAndReadHunks('src/sum.js', `${'x'.repeat(79)}\n`.repeat(200)), 'is large').toBeUndefined();
  expect(await commitAndReadHunks('.env', 'KEY=1\n'), 'may be secret').toBeUndefined();
  expect(await commitAndReadHunks('src/key.js', '-----BEGIN PRIVATE KEY-----\n'), 'has a key').toBeUndefined();
  for (const content of ['1\n', '2\n', '3\n', '4\n']) await commitAndReadHunks('src/small.js', content);
  const { commits = [], ...git } = (await readGitFacts(repository.top)) ?? {};
  expect(commits.map(({ hunks }) => hunks !== undefined)).toEqual([
    true,
    true,
    true,
    ...commits.slice(3).map(() => false),
  ]);
  expect(JSON.stringify(removeHunks({ commit: null, branch: null, dirty: null, ...git, commits }))).not.toContain(
    'hunks',
  );
});

test('keeps only the name and the digest of a large change', async () => {
  const repository = new TestRepository();
  repository.write('src/sum.js', `${'x'.repeat(79)}\n`.repeat(200));
  const [edit] = (await readGitFacts(repository.top))?.edits ?? [];
  expect(edit).toEqual({ path: 'src/sum.js', digest: expect.stringMatching(/^[0-9a-f]{16}$/u) });
  repository.write(
    'src/sum.js',
    `const key = \`\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n\`;\n`,
  );
  expect((await readGitFacts(repository.top))?.edits?.[0], 'omits hunks that contain a key').not.toHaveProperty(
    'hunks',
  );
  const git = { commit: null, branch: null, dirty: true, edits: [{ path: 'a', digest: 'd', hunks: 'text' }] };
  expect(removeHunks(git).edits).toEqual([{ path: 'a', digest: 'd' }]);
});
