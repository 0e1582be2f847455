/**
 * Makes a git tree object with the exact bytes of a work tree's files: no filter runs, no line end is converted, and
 * the repository's index is only read. work-tree.ts chooses the files.
 */

import { lstatSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Git, GitError } from '../../git/git.ts';
import { readPart } from '../../system/files/read.ts';
import { temporaryFolder } from '../../system/files/temporary.ts';

/** The first snapshot of a large tree takes long. */
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** More unreadable files indicate another problem. */
const MAX_UNREADABLE = 100;

/**
 * A file in a tree. `name` holds one character for each byte, because file names are bytes. Git's output is read as
 * `latin1`, and `bytesOf` converts back.
 */
export interface TreeFile {
  name: string;
  /** Mode in git's form: `100644`, `100755`, `120000`, `160000`. */
  mode: string;
  /** Null to use the content in the work tree. */
  oid: string | null;
}

export function bytesOf(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

/** Returns the name for people. */
export function shownName(name: string): string {
  return bytesOf(name).toString('utf8');
}

/** Returns the path of a file: a text on Windows, where names are texts, otherwise bytes. */
export function pathOf(top: string, name: string): string | Buffer {
  if (process.platform === 'win32') return path.join(top, shownName(name));
  return Buffer.concat([Buffer.from(`${top}/`), bytesOf(name)]);
}

export interface WrittenTree {
  tree: string;
  /** Ids of the files that had none. */
  oids: Map<string, string>;
  unreadable: { name: string; reason: string }[];
}

/**
 * Writes the tree. `git` must run at the top of the work tree. `partial` is true if the content of some files is
 * missing, for example in a partial clone with a sparse work tree. Throws if the repository cannot be written.
 */
export async function writeTree(git: Git, files: readonly TreeFile[], partial: boolean): Promise<WrittenTree> {
  const temporary = temporaryFolder('index');
  const folder = temporary.path;
  try {
    const { oids, unreadable } = await hashed(git, files, folder);
    const rows = files.flatMap(({ name, mode, oid }) => {
      const id = oid ?? oids.get(name);
      return id === undefined ? [] : [`${mode} ${id} 0\t${name}\0`];
    });
    // A separate index keeps the staged changes of the repository.
    const env = { GIT_INDEX_FILE: path.join(folder, 'index') };
    const options = { env, timeoutMs: TIMEOUT_MS };
    await git.text(['update-index', '-z', '--index-info'], { ...options, stdin: bytesOf(rows.join('')) });
    const tree = await git.text(['write-tree', ...(partial ? ['--missing-ok'] : [])], options);
    return { tree, oids, unreadable };
  } finally {
    temporary.remove();
  }
}

/** Writes the content of all files that have no id yet. */
async function hashed(git: Git, files: readonly TreeFile[], folder: string): Promise<Omit<WrittenTree, 'tree'>> {
  const waiting = files.filter(({ oid }) => oid === null);
  const lines = waiting.map(
    (file, index) => `${asLine(sourceOf(git.root, file, path.join(folder, `link-${index}`)))}\n`,
  );
  const oids = new Map<string, string>();
  const unreadable: WrittenTree['unreadable'] = [];
  for (let next = 0; next < waiting.length; next += 1) {
    const stdin = bytesOf(lines.slice(next).join(''));
    const options = { stdin, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { stdout, problem } = await git.run(['hash-object', '-w', '--stdin-paths'], options);
    for (const id of stdout.split('\n').filter(Boolean)) oids.set(waiting[next++]?.name ?? '', id);
    const stopped = waiting[next];
    if (stopped === undefined) break;
    // git stops at the first file that it cannot read, for example a file of another user, or a file that was just
    // removed.
    const isOfTheFile = /could not open|short read|read error/u.test(problem ?? '');
    if (!isOfTheFile || unreadable.length >= MAX_UNREADABLE) throw new GitError(problem ?? 'git stopped early');
    unreadable.push({ name: stopped.name, reason: problem ?? '' });
  }
  return { oids, unreadable };
}

/** For a link, writes a copy with its target, because a snapshot keeps the link and not the file behind it. */
function sourceOf(top: string, { name, mode }: TreeFile, copy: string): string {
  if (mode !== '120000') return name;
  writeFileSync(copy, linkTarget(top, name));
  return Buffer.from(copy).toString('latin1');
}

/** Systems do not accept a longer path. */
const TARGET = { maxBytes: 64 * 1024, links: 'refused' } as const;

/** A checkout without symbolic links has a file with the target instead. */
function linkTarget(top: string, name: string): Buffer {
  const file = pathOf(top, name);
  return lstatSync(file).isSymbolicLink() ? readlinkSync(file, 'buffer') : readPart(file, TARGET, 'beginning');
}

/** Returns a line of `--stdin-paths`. Git unquotes quoted names. */
function asLine(name: string): string {
  if (!/["\\\r\n]/u.test(name)) return name;
  return `"${name.replaceAll(/["\\]/gu, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}
