/**
 * The parts of a commit that may be shown: title, files and hunks, read from the local repository. Reading fetches
 * nothing and starts no program (see `settings.ts`). The texts are foreign, so callers must clean them before they show
 * them.
 */

import { isSecretFile } from '../system/files/secret-files.ts';
import { Git } from './git.ts';
import { repositoryOf } from './repository.ts';

/** Enough for a reader. The commit has the rest. */
const MAX_FILES = 20;
const MAX_HUNKS_BYTES = 8 * 1024;
const MAX_NAMES_BYTES = 256 * 1024;
const MAX_TITLE_BYTES = 1_024;
/** Enough for the tree and parents at the beginning of a commit. */
const MAX_HEADER_BYTES = 4_096;

/** Hashes of the empty tree in SHA-1 and SHA-256, by length. They replace the parent of a first commit. */
const EMPTY_TREES = new Map([
  [40, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'],
  [64, '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'],
]);

export interface CommittedChange {
  title: string;
  /** Relative to the root of the repository. At most 20. */
  files: string[];
  /** The number of further files. */
  moreFiles: number;
  /** The number of files that hold secrets according to their names. Nothing of them is shown. */
  secretFiles: number;
  /** At most 8 KB. */
  hunks: string;
  /** True if hunks or files are left out. */
  cut: boolean;
}

/** Returns a text with the reason if the commit cannot be shown. */
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
  // Reads the raw commit, because `git log` in a shallow clone shows the oldest commit without its parent.
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
  // Removes an incomplete line, because redaction would not recognize half a secret.
  return { hunks: cut ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : stdout, cut };
}
