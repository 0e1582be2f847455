/**
 * Reads uncommitted changes, the newest commits and single commits, as far as they may be stored or shown. Reading
 * fetches nothing and starts no program (see `settings.ts`), and files that may contain secrets are skipped.
 * `removeHunks` removes the diffs before anything leaves this machine.
 */

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { CommitFacts, EditedFile, GitFacts } from 'argus-engine';
import { tryLstat } from '../system/files/path-safety.ts';
import { isPrivateKeyFile, isSecretFile } from '../system/files/secret-files.ts';
import { decodePath, Git } from './git.ts';
import { readFewDiffs } from './history.ts';
import { findRepository } from './repository.ts';

/** Maximum number of changed files that are stored. */
export const MAX_STORED_EDITS = 20;
/**
 * Limit for all diffs together. The diff of a file is stored completely or not at all, because a cut diff may end in
 * the middle of a secret, which would then not be recognized.
 */
const MAX_HUNKS_BYTES = 8 * 1024;
/**
 * Limit for the diffs that are read. It is larger than the limit for storing, because digests distinguish changes even
 * if their diffs are not stored.
 */
const MAX_DIFF_BYTES = 1024 * 1024;
const TIMEOUT_MS = 1_000;
/** Older commits are stored without a diff. */
const MAX_COMMIT_DIFFS = 3;

const DIGEST_CHARS = 16;
/**
 * The redactor may miss a private key whose lines have the prefix of a diff, so diffs with such a key are rejected
 * here.
 */
const PRIVATE_KEY_BLOCK = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/u;
const DIFF_HEADER = 'diff --git ';

/**
 * Reads the diff of tracked files with uncommitted changes. `parseEditedFiles` parses it later, after the tests have
 * started.
 * @param names tracked files that differ from the commit, relative to `top`, as bytes in latin1
 * @returns an empty text if git does not answer in time
 */
export async function readUncommittedDiff(git: Git, top: string, names: Iterable<string>): Promise<string> {
  const allowed = [...names].filter((name) => mayBeStored(top, name)).slice(0, MAX_STORED_EDITS);
  if (allowed.length === 0) return '';
  const paths = allowed.map((name) => `:(top,literal)${decodePath(name)}`);
  const args = ['diff-index', '-p', '--no-renames', '--relative', 'HEAD', '--', ...paths] as const;
  const diff = await git.run(args, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_DIFF_BYTES });
  return diff.problem !== null || diff.cut ? '' : diff.stdout;
}

export function parseEditedFiles(diff: string): EditedFile[] {
  let remainingBytes = MAX_HUNKS_BYTES;
  return diff
    .split(/^(?=diff --git )/mu)
    .filter((text) => text.startsWith(DIFF_HEADER))
    .flatMap((text) => {
      const file = parseFileName(text);
      if (file === undefined) return [];
      const bytes = Buffer.byteLength(text);
      const isKept = bytes <= remainingBytes && !PRIVATE_KEY_BLOCK.test(text);
      if (isKept) remainingBytes -= bytes;
      return [{ path: file, digest: computeDigest(text), ...(isKept ? { hunks: text } : {}) }];
    });
}

/**
 * Adds the diffs of the newest commits. A diff is added completely or not at all. Merges, and commits that change a
 * file that may contain secrets, get no diff. If git does not answer in time, no commit gets a diff.
 */
export async function addCommitDiffs(git: Git, commits: readonly CommitFacts[]): Promise<CommitFacts[]> {
  const newest = commits.slice(0, MAX_COMMIT_DIFFS).filter(({ parents }) => parents.length === 1);
  if (newest.length === 0) return [...commits];
  const diffs = await readFewDiffs(
    git,
    newest.map(({ commit }) => commit),
    { timeoutMs: TIMEOUT_MS, maxBytes: MAX_DIFF_BYTES },
  );
  let remainingBytes = MAX_HUNKS_BYTES;
  return commits.map((facts) => {
    const diff = diffs.get(facts.commit) ?? '';
    const bytes = Buffer.byteLength(diff);
    if (
      diff === '' ||
      bytes > remainingBytes ||
      PRIVATE_KEY_BLOCK.test(diff) ||
      !listDiffFiles(diff).every(isNotSecret)
    )
      return facts;
    remainingBytes -= bytes;
    return { ...facts, hunks: diff };
  });
}

function listDiffFiles(diff: string): (string | undefined)[] {
  return diff
    .split(/^(?=diff --git )/mu)
    .flatMap((text) => (text.startsWith(DIFF_HEADER) ? [parseFileName(text)] : []));
}

function isNotSecret(file: string | undefined): boolean {
  return file !== undefined && !isSecretFile(file);
}

/** Returns a digest that is equal for equal contents. */
export function computeDigest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARS);
}

/** Removes the diffs and keeps the names of changed files. */
export function removeHunks({ edits, commits, ...git }: GitFacts): GitFacts {
  const removeFrom = <T extends { hunks?: string }>(all: readonly T[]) => all.map(({ hunks: _, ...one }) => one);
  return {
    ...git,
    ...(edits ? { edits: removeFrom(edits) } : {}),
    ...(commits ? { commits: removeFrom(commits) } : {}),
  };
}

function mayBeStored(top: string, name: string): boolean {
  const file = decodePath(name);
  if (isSecretFile(file)) return false;
  const absolute = path.join(top, ...file.split('/'));
  const stats = tryLstat(absolute);
  return !(stats?.isFile() && isPrivateKeyFile(absolute, stats.size));
}

/**
 * Returns the file of a diff. Both sides of the header have the same name. Returns undefined if git quotes the name.
 */
export function parseFileName(text: string): string | undefined {
  const sides = text.slice(DIFF_HEADER.length, text.indexOf('\n'));
  const half = (sides.length - 1) / 2;
  const name = sides.slice(2, half);
  return sides === `a/${name} b/${name}` ? name : undefined;
}

/** Enough for a reader. The commit has the rest. */
const MAX_FILES = 20;
const MAX_NAMES_BYTES = 256 * 1024;
const MAX_TITLE_BYTES = 1_024;
/** Enough for the tree and the parents at the beginning of a commit. */
const MAX_HEADER_BYTES = 4_096;

/** Hashes of the empty tree in SHA-1 and SHA-256, by length. They replace the parent of a commit without a parent. */
const EMPTY_TREES = new Map([
  [40, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  [64, '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'],
]);

export interface CommittedChange {
  title: string;
  /** Paths relative to the root of the repository. At most 20. */
  files: string[];
  /** Number of files that are not listed in `files`. */
  moreFiles: number;
  /** Number of files whose names suggest that they contain secrets. Neither their names nor their diffs are shown. */
  secretFiles: number;
  /** The diff, at most 8 KiB. */
  hunks: string;
  /** True if hunks or files are left out. */
  cut: boolean;
}

/**
 * Reads the change of a commit. Returns a text with the reason if the commit cannot be shown. The texts come from the
 * repository, so callers must clean them before showing them.
 */
export async function readCommittedChange(
  root: string,
  commit: string,
  signal?: AbortSignal,
): Promise<CommittedChange | string> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(commit)) return 'It does not name a full commit hash.';
  const repository = await findRepository(root, signal);
  if (repository === undefined) return 'This is not a git repository.';
  if (typeof repository === 'string') return `The git repository cannot be read: ${repository}.`;
  const git = new Git(repository.top);
  const kind = await git.run(['cat-file', '-t', commit], { signal, maxBytes: 64 });
  if (kind.stdout.trim() !== 'commit') {
    return 'This clone does not have the commit. It may be shallow, or the commit may be in another clone or lost after a rebase.';
  }
  // Read the raw commit, because `git log` in a shallow clone shows the oldest commit without its parent.
  const rawCommit = await git.run(['cat-file', '-p', commit], { signal, maxBytes: MAX_HEADER_BYTES });
  const parent =
    /^tree [0-9a-f]+\nparent ([0-9a-f]+)\n/u.exec(rawCommit.stdout)?.[1] ?? EMPTY_TREES.get(commit.length) ?? '';
  const title = await git.run(['log', '-1', '--no-patch', '--format=%s', commit], {
    signal,
    maxBytes: MAX_TITLE_BYTES,
  });
  const names = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', parent, commit] as const;
  const changed = await git.run(names, { signal, maxBytes: MAX_NAMES_BYTES });
  if (changed.problem !== null) {
    return `This clone does not have the whole commit, for example because it is shallow or partial: ${changed.problem}.`;
  }
  const all = changed.stdout.split('\0').filter((name) => name !== '');
  const shown = all.filter((name) => !isSecretFile(name));
  const files = shown.slice(0, MAX_FILES);
  const { hunks, cut } = await readHunks(git, parent, commit, files, signal);
  return {
    title: title.stdout.trim(),
    files,
    moreFiles: shown.length - files.length,
    secretFiles: all.length - shown.length,
    hunks,
    cut: cut || shown.length > files.length,
  };
}

async function readHunks(git: Git, before: string, commit: string, files: readonly string[], signal?: AbortSignal) {
  if (files.length === 0) return { hunks: '', cut: false };
  const paths = files.map((file) => `:(top,literal)${file}`);
  const args = ['diff-tree', '-r', '-p', '--no-renames', before, commit, '--', ...paths] as const;
  const { stdout, cut, problem } = await git.run(args, { signal, maxBytes: MAX_HUNKS_BYTES });
  if (problem !== null) return { hunks: '', cut: true };
  // Remove the incomplete last line, because the redactor would not recognize the first half of a secret.
  return { hunks: cut ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : stdout, cut };
}
