/**
 * What a commit changed, as far as it may be shown: its title, its files and their hunks, read from the repository that
 * is here. Nothing is fetched and nothing is started by it: settings.ts. The texts are somebody else's and are made fit to
 * show by who asks.
 */

import { isSecretFile } from '../system/files/secret-files.ts';
import { Git } from './git.ts';
import { repositoryOf } from './repository.ts';

/** A reader looks at so many files; the commit has the rest. */
const MAX_FILES = 20;
const MAX_HUNKS_BYTES = 8 * 1024;
const MAX_NAMES_BYTES = 256 * 1024;
const MAX_TITLE_BYTES = 1_024;
/** A commit's tree and parents come first. */
const MAX_HEADER_BYTES = 4_096;

/** The empty tree, for a commit that has no parent. */
const EMPTY_TREES = new Map([
  [40, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  [64, '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'],
]);

export interface CommittedChange {
  title: string;
  /** From the root of the repository; at most 20. */
  files: string[];
  /** Files beyond those. */
  moreFiles: number;
  /** Files that hold secrets by their names; nothing of them is shown. */
  secretFiles: number;
  /** At most 8 KB. */
  hunks: string;
  /** There is more of them. */
  cut: boolean;
}

/** A text: why it cannot be shown. */
export async function committedChange(
  root: string,
  commit: string,
  signal?: AbortSignal,
): Promise<CommittedChange | string> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(commit)) return 'It names no whole commit.';
  const repository = await repositoryOf(root, signal);
  if (repository === undefined) return 'There is no git repository here to read it from.';
  if (typeof repository === 'string') return `The git repository here is not read: ${repository}.`;
  const git = new Git(repository.top);
  const kind = await git.run(['cat-file', '-t', commit], { signal, maxBytes: 64 });
  if (kind.stdout.trim() !== 'commit') {
    return 'This clone does not have the commit: it may be shallow, or the commit may be of another clone or be gone after a rebase.';
  }
  // As it is written: a shallow clone says of its oldest commit that it has no parent.
  const written = await git.run(['cat-file', '-p', commit], { signal, maxBytes: MAX_HEADER_BYTES });
  const before =
    /^tree [0-9a-f]+\nparent ([0-9a-f]+)\n/u.exec(written.stdout)?.[1] ?? EMPTY_TREES.get(commit.length) ?? '';
  const title = await git.run(['log', '-1', '--no-patch', '--format=%s', commit], {
    signal,
    maxBytes: MAX_TITLE_BYTES,
  });
  const names = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, commit] as const;
  const changed = await git.run(names, { signal, maxBytes: MAX_NAMES_BYTES });
  if (changed.problem !== null) {
    return `This clone does not have all of the commit, such as a shallow or partial one: ${changed.problem}.`;
  }
  const all = changed.stdout.split('\0').filter((name) => name !== '');
  const shown = all.filter((name) => !isSecretFile(name));
  const files = shown.slice(0, MAX_FILES);
  const { hunks, cut } = await hunksOf(git, before, commit, files, signal);
  return {
    title: title.stdout.trim(),
    files,
    moreFiles: shown.length - files.length,
    secretFiles: all.length - shown.length,
    hunks,
    cut: cut || shown.length > files.length,
  };
}

async function hunksOf(git: Git, before: string, commit: string, files: readonly string[], signal?: AbortSignal) {
  if (files.length === 0) return { hunks: '', cut: false };
  const paths = files.map((file) => `:(top,literal)${file}`);
  const args = ['diff-tree', '-r', '-p', '--no-renames', before, commit, '--', ...paths] as const;
  const { stdout, cut, problem } = await git.run(args, { signal, maxBytes: MAX_HUNKS_BYTES });
  if (problem !== null) return { hunks: '', cut: true };
  // A line that is cut off may be half of a secret, which nothing recognises.
  return { hunks: cut ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : stdout, cut };
}
