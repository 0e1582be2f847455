/** What identifies a work tree is what git would call its tree, and nothing is written to find it out. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withoutHunks } from '../../src/git/uncommitted-change.ts';
import { ciFacts, gitFacts, givenFacts, lookAtGit } from '../../src/run/git-state.ts';
import { ciCheckout } from '../../src/system/ci.ts';

let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-work-tree-')));
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  write('src/sum.js', 'export const sum = (a, b) => a + b;\n');
  write('src/deep/er.js', '1\n');
  write('src.txt', 'sorts between src and its files\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: top, encoding: 'utf8' }).trim();
}

function write(name: string, content: string | Buffer): void {
  mkdirSync(path.dirname(path.join(top, name)), { recursive: true });
  writeFileSync(path.join(top, name), content);
}

/** What git itself calls it, once all of it is committed. */
function committed(): string {
  git('add', '-A');
  git('commit', '-qm', 'next', '--allow-empty');
  return git('rev-parse', 'HEAD^{tree}');
}

test('a clean tree has the id of its commit', async () => {
  const facts = await gitFacts(top);
  const tree = git('rev-parse', 'HEAD^{tree}');
  expect(facts).toMatchObject({ dirty: false, branch: 'main', tree });
  expect(facts?.commits).toEqual([{ commit: git('rev-parse', 'HEAD'), tree, parents: [] }]);
});

test('uncommitted work has the id that it keeps when it is committed', async () => {
  write('src/sum.js', Buffer.from([0, 255, 10, 13, 10]));
  write('src/new file.js', 'untracked\n');
  write('über/ñ.txt', 'names in more than ASCII\n');
  write('run.sh', '#!/bin/sh\n');
  chmodSync(path.join(top, 'run.sh'), 0o755);
  symlinkSync('sum.js', path.join(top, 'src/link.js'));
  rmSync(path.join(top, 'src/deep'), { recursive: true });
  git('mv', 'src.txt', 'moved.txt');
  const index = execFileSync('git', ['ls-files', '--stage'], { cwd: top, encoding: 'utf8' });
  const objects = readdirSync(path.join(top, '.git/objects')).length;
  const facts = await gitFacts(path.join(top, 'src'));
  expect(execFileSync('git', ['ls-files', '--stage'], { cwd: top, encoding: 'utf8' })).toBe(index);
  expect(readdirSync(path.join(top, '.git/objects'))).toHaveLength(objects);
  expect(facts).toMatchObject({ dirty: true, tree: committed() });
});

test('a folder called .git that is no repository is passed by', async () => {
  mkdirSync(path.join(top, 'src/.git'));
  write('src/sum.js', 'edited\n');
  const facts = await gitFacts(path.join(top, 'src'));
  expect(facts).toMatchObject({ dirty: true, tree: committed() });
});

test('where settings put the work tree, its files count', async () => {
  const elsewhere = path.join(top, 'elsewhere');
  write('elsewhere/src/sum.js', 'edited\n');
  git('config', 'core.worktree', elsewhere);
  const facts = await gitFacts(top);
  expect(facts).toMatchObject({ dirty: true, tree: committed() });
});

test('a file may become a folder, a folder a file, and a submodule stays what the commit says', async () => {
  write('both/deep/a', '1\n');
  write('both/deep/b', '2\n');
  write('plain', 'a file\n');
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},vendored/lib`);
  git('add', 'both', 'plain');
  git('commit', '-qm', 'more');
  mkdirSync(path.join(top, 'vendored/lib'), { recursive: true });
  rmSync(path.join(top, 'both/deep'), { recursive: true });
  write('both/deep', 'a file now\n');
  rmSync(path.join(top, 'plain'));
  write('plain/inner/file', 'a folder now\n');
  write('vendored/other', 'beside the submodule\n');
  rmSync(path.join(top, 'src/deep'), { recursive: true });
  const facts = await gitFacts(top);
  git('add', 'both', 'plain', 'src', 'vendored/other');
  expect(facts).toMatchObject({ dirty: true, tree: git('write-tree') });
});

test('before the first commit, and with ids of SHA-256, it is as git has it', async () => {
  rmSync(path.join(top, '.git'), { recursive: true });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  expect((await gitFacts(top))?.tree).toBe(committed());
  rmSync(path.join(top, '.git'), { recursive: true });
  git('init', '-q', '-b', 'main', '--object-format=sha256');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  committed();
  write('src/deep/er.js', 'changed\n');
  const tree = (await gitFacts(top))?.tree;
  expect(tree).toMatch(/^[0-9a-f]{64}$/u);
  expect(tree).toBe(committed());
});

test('what the tree was when it was seen counts, whatever is written or committed after that', async () => {
  write('src/sum.js', 'changed\n');
  write('new.js', 'untracked\n');
  const look = lookAtGit(top);
  await look.treeSeen;
  const [seen, commit] = [committed(), git('rev-parse', 'HEAD~1')];
  write('src/deep/er.js', 'changed as well\n');
  rmSync(path.join(top, 'new.js'));
  committed();
  const facts = await look.facts();
  expect(facts).toMatchObject({ commit, dirty: true, tree: seen });
  expect(facts?.commits?.map((one) => one.commit)).toEqual([commit]);
  expect(facts?.edits?.map((edit) => edit.path)).toEqual(['src/sum.js']);
});

test('what is ignored, and what Argus keeps, is no part of it', async () => {
  const before = (await gitFacts(top))?.tree;
  write('.git/info/exclude', 'ignored/\n');
  write('ignored/file', 'x');
  write('.argus/argus.db', 'x');
  expect((await gitFacts(top))?.tree).toBe(before);
});

test('a filter of the repository is not run', async () => {
  write('.gitattributes', '*.js filter=shout\n');
  git('config', 'filter.shout.clean', `touch ${path.join(top, 'ran')}; tr a-z A-Z`);
  write('src/sum.js', 'changed\n');
  const tree = (await gitFacts(top))?.tree;
  expect(tree).toMatch(/^[0-9a-f]{40}$/u);
  expect(readdirSync(top)).not.toContain('ran');
});

test('merges say all of their parents, and the newest commit comes first', async () => {
  git('checkout', '-qb', 'side');
  write('side', '1');
  committed();
  git('checkout', '-q', 'main');
  write('main', '1');
  committed();
  git('merge', '-q', '--no-edit', 'side');
  const [newest] = (await gitFacts(top))?.commits ?? [];
  const [commit, tree, ...parents] = git('log', '-1', '--format=%H %T %P').split(' ');
  expect(newest).toEqual({ commit, tree, parents });
});

test('commits say the files that they touched, relative to the project', async () => {
  write('src/new file.js', 'spaces\n');
  write('über/ñ.txt', 'names in more than ASCII\n');
  write('outside.txt', '1\n');
  git('mv', 'src/sum.js', 'src/add.js');
  committed();
  write('src/tab\there.js', 'quoted by git\n');
  rmSync(path.join(top, 'src/deep'), { recursive: true });
  committed();
  for (let at = 0; at < 80; at += 1) write(`many/${at}`, `${at}`);
  committed();
  const files = async (root: string) => (await gitFacts(root))?.commits?.map((commit) => commit.files);
  expect(await files(top)).toEqual([
    undefined,
    ['src/deep/er.js'],
    ['outside.txt', 'src/add.js', 'src/new file.js', 'src/sum.js', 'über/ñ.txt'],
    undefined,
  ]);
  expect(await files(path.join(top, 'src'))).toEqual([
    undefined,
    ['deep/er.js'],
    ['add.js', 'new file.js', 'sum.js'],
    undefined,
  ]);
});

test('what Argus keeps is said of a commit that touched nothing else', async () => {
  const share = (from: number) => {
    for (let at = from; at < from + 80; at += 1) write(`.argus-shared/fixes/fix-${at}.json`, `${at}`);
  };
  share(0);
  committed();
  share(100);
  write('src/sum.js', 'export const sum = 0;\n');
  committed();
  share(200);
  write('src/tab\there.js', 'quoted by git\n');
  committed();
  const commits = (await gitFacts(top))?.commits?.map((commit) => commit.files);
  expect(commits).toEqual([undefined, ['src/sum.js'], ['.argus-shared/fixes/fix-0.json'], undefined]);
});

test('a clone without the folders of its commits says the commits alone', async () => {
  write('src/sum.js', 'later\n');
  committed();
  git('config', 'uploadpack.allowFilter', 'true');
  const clone = path.join(top, 'clone');
  git('clone', '-q', '--no-local', '--filter=tree:0', `file://${top}`, clone);
  const facts = await gitFacts(clone);
  expect(facts?.commits).toHaveLength(2);
  expect(facts?.commits?.[0]?.commit).toBe(git('rev-parse', 'HEAD'));
});

test('without a commit, and outside a repository, there is none', async () => {
  rmSync(path.join(top, '.git'), { recursive: true });
  expect(await gitFacts(top)).toBeNull();
  git('init', '-q');
  expect(await gitFacts(top)).toMatchObject({ commit: null, commits: [], dirty: true });
});

test('of a run elsewhere the repository adds what it knows of the commit', async () => {
  const first = git('rev-parse', 'HEAD');
  const tree = git('rev-parse', 'HEAD^{tree}');
  write('src/sum.js', 'later\n');
  committed();
  expect(await givenFacts(top, { commit: first, branch: 'side' })).toEqual({
    commit: first,
    branch: 'side',
    dirty: false,
    tree,
    commits: [{ commit: first, tree, parents: [] }],
  });
  const unknown = { commit: 'f'.repeat(40), dirty: true, tree: 'e'.repeat(40) };
  expect(await givenFacts(top, unknown)).toEqual({ ...unknown, branch: null, commits: [] });
  expect(await givenFacts(top, { commit: '--output=x' }), 'is no option of git').toMatchObject({ commits: [] });
  expect(await givenFacts(top, {}), 'nothing is said of it').toBeNull();
});

const SHA = 'ab'.repeat(20);

test.each([
  [
    'GitHub Actions',
    { GITHUB_ACTIONS: 'true', GITHUB_HEAD_REF: '', GITHUB_REF_NAME: 'main', GITHUB_SHA: SHA },
    { branch: 'main', commit: SHA },
  ],
  [
    'a pull request there',
    { GITHUB_ACTIONS: 'true', GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge', GITHUB_SHA: SHA },
    { branch: 'fix', commit: SHA },
  ],
  ['GitLab', { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main', CI_COMMIT_SHA: SHA }, { branch: 'main', commit: SHA }],
  [
    'Jenkins',
    { JENKINS_URL: 'http://ci', BRANCH_NAME: 'PR-7', CHANGE_BRANCH: 'fix', GIT_COMMIT: SHA },
    { branch: 'fix', commit: SHA },
  ],
  [
    'Buildkite',
    { BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: SHA },
    { branch: 'main', commit: SHA },
  ],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_SHA1: SHA }, { branch: 'main', commit: SHA }],
  ['a service without them', { BUILDKITE: 'true', GITHUB_SHA: SHA }, { branch: null, commit: null }],
  [
    'none of them',
    { GITHUB_REF_NAME: 'main', CI_COMMIT_REF_NAME: 'main', GIT_COMMIT: SHA },
    { branch: null, commit: null },
  ],
])('what is checked out in %s', (_, env, checkout) => {
  expect(ciCheckout(env)).toEqual(checkout);
});

test('where git cannot be asked, the commit is the one that CI names', () => {
  const known = { branch: 'main', dirty: false, tree: null, commits: [] };
  const buildkite = (commit: string) =>
    ciFacts({ BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: commit });
  expect(buildkite(SHA)).toEqual({ ...known, commit: SHA });
  expect(buildkite('ab'.repeat(32)), 'a repository of SHA-256').toEqual({ ...known, commit: 'ab'.repeat(32) });
  for (const none of ['HEAD', SHA.slice(1), `${SHA}\n`, `--${SHA.slice(2)}`, '']) expect(buildkite(none)).toBeNull();
  expect(ciFacts({})).toBeNull();
});

test('what was edited in tracked files is known, and nothing of others or of secrets', async () => {
  write('.env', 'KEY=1\n');
  write('.gitattributes', '*.js diff=loud filter=loud\n');
  git('add', '-A');
  git('commit', '-qm', 'with a secret');
  expect((await gitFacts(top))?.edits, 'nothing differs').toBeUndefined();
  const marker = path.join(top, 'started');
  git('config', 'diff.loud.textconv', `touch ${marker}; cat`);
  git('config', 'diff.loud.command', `touch ${marker}`);
  git('config', 'filter.loud.clean', `touch ${marker}; cat`);
  write('src/sum.js', 'export const sum = (a, b) => a - b;\n');
  write('.env', 'KEY=2\n');
  write('src/deep/er.js', '-----BEGIN PRIVATE KEY-----\n');
  write('untracked.js', 'new\n');
  rmSync(path.join(top, 'src.txt'));
  const edits = (await gitFacts(top))?.edits ?? [];
  expect(edits.map((edit) => edit.path)).toEqual(['src.txt', 'src/sum.js']);
  expect(edits[1]?.hunks).toContain('-export const sum = (a, b) => a + b;\n+export const sum = (a, b) => a - b;\n');
  expect(existsSync(marker)).toBe(false);
  const below = (await gitFacts(path.join(top, 'src')))?.edits ?? [];
  expect(
    below.map((edit) => edit.path),
    'relative to the project',
  ).toEqual(['sum.js']);
  expect(below[0]?.digest).not.toBe('');
});

test('of a large change the name is kept, and its digest', async () => {
  write('src/sum.js', `${'x'.repeat(79)}\n`.repeat(200));
  const [edit] = (await gitFacts(top))?.edits ?? [];
  expect(edit).toEqual({ path: 'src/sum.js', digest: expect.stringMatching(/^[0-9a-f]{16}$/u) });
  write('src/sum.js', `const key = \`\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n\`;\n`);
  expect((await gitFacts(top))?.edits?.[0], 'nor is a key in it').not.toHaveProperty('hunks');
  const git = { commit: null, branch: null, dirty: true, edits: [{ path: 'a', digest: 'd', hunks: 'text' }] };
  expect(withoutHunks(git).edits).toEqual([{ path: 'a', digest: 'd' }]);
});
