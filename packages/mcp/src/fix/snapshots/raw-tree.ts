/**
 * Creates a git tree object with the exact bytes of a work tree's files: no filter runs, no line ending is converted,
 * and the repository's index is only read. work-tree.ts selects the files.
 */

import { lstatSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Git, GitError } from '../../git/git.ts';
import { readPart } from '../../system/files/read.ts';
import { createTemporaryFolder } from '../../system/files/temporary.ts';

/** The first snapshot of a large tree takes long. */
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** If more files are unreadable, the cause is probably another problem. */
const MAX_UNREADABLE_FILES = 100;

/**
 * A file in a tree. File names are bytes, so `name` has a character for each byte: the output of git is read as
 * `latin1`, and `toBytes` converts a name back.
 */
export interface TreeFile {
  name: string;
  /** Mode as git writes it: `100644`, `100755`, `120000`, `160000`. */
  mode: string;
  /** Null to use the content in the work tree. */
  oid: string | null;
}

export function toBytes(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

/** Returns the name as text for people. */
export function toReadableName(name: string): string {
  return toBytes(name).toString('utf8');
}

/** Returns the path of a file: a string on Windows, where names are text, otherwise bytes. */
export function toPath(top: string, name: string): string | Buffer {
  if (process.platform === 'win32') return path.join(top, toReadableName(name));
  return Buffer.concat([Buffer.from(`${top}/`), toBytes(name)]);
}

export interface WrittenTree {
  tree: string;
  /** Ids of the files that had no id. */
  oids: Map<string, string>;
  unreadable: { name: string; reason: string }[];
}

/**
 * Writes the tree. `git` must run at the top of the work tree. `partial` is true if the contents of some files are
 * missing in the repository, for example in a partial clone with a sparse work tree. Throws if the repository cannot be
 * written.
 */
export async function writeTree(git: Git, files: readonly TreeFile[], partial: boolean): Promise<WrittenTree> {
  const temporary = createTemporaryFolder('index');
  const folder = temporary.path;
  try {
    const { oids, unreadable } = await writeMissingBlobs(git, files, folder);
    const rows = files.flatMap(({ name, mode, oid }) => {
      const id = oid ?? oids.get(name);
      return id === undefined ? [] : [`${mode} ${id} 0\t${name}\0`];
    });
    // A separate index leaves the staged changes of the repository as they are.
    const env = { GIT_INDEX_FILE: path.join(folder, 'index') };
    const options = { env, timeoutMs: TIMEOUT_MS };
    await git.readText(['update-index', '-z', '--index-info'], { ...options, stdin: toBytes(rows.join('')) });
    const tree = await git.readText(['write-tree', ...(partial ? ['--missing-ok'] : [])], options);
    return { tree, oids, unreadable };
  } finally {
    temporary.remove();
  }
}

/** Writes the content of all files that have no id yet. */
async function writeMissingBlobs(
  git: Git,
  files: readonly TreeFile[],
  folder: string,
): Promise<Omit<WrittenTree, 'tree'>> {
  const waiting = files.filter(({ oid }) => oid === null);
  const lines = waiting.map(
    (file, index) => `${quotePath(prepareContentFile(git.root, file, path.join(folder, `link-${index}`)))}\n`,
  );
  const oids = new Map<string, string>();
  const unreadable: WrittenTree['unreadable'] = [];
  for (let next = 0; next < waiting.length; next += 1) {
    const stdin = toBytes(lines.slice(next).join(''));
    const options = { stdin, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { stdout, problem } = await git.run(['hash-object', '-w', '--stdin-paths'], options);
    for (const id of stdout.split('\n').filter(Boolean)) oids.set(waiting[next++]?.name ?? '', id);
    const stopped = waiting[next];
    if (stopped === undefined) break;
    // git stops at the first file that it cannot read, for example a file of another user, or a file that was removed a
    // moment ago.
    const isFileProblem = /could not open|short read|read error/u.test(problem ?? '');
    if (!isFileProblem || unreadable.length >= MAX_UNREADABLE_FILES) throw new GitError(problem ?? 'git stopped early');
    unreadable.push({ name: stopped.name, reason: problem ?? '' });
  }
  return { oids, unreadable };
}

/**
 * Returns the file whose content is stored. For a link, writes a file that contains its target, because a snapshot
 * stores the link and not the file that it leads to.
 */
function prepareContentFile(top: string, { name, mode }: TreeFile, copy: string): string {
  if (mode !== '120000') return name;
  writeFileSync(copy, readLinkTarget(top, name));
  return Buffer.from(copy).toString('latin1');
}

/** Longer than any path that operating systems accept. */
const LINK_TARGET_READ_OPTIONS = { maxBytes: 64 * 1024, links: 'refused' } as const;

/** Reads the target of a link. In a checkout without symbolic links, a regular file contains the target. */
function readLinkTarget(top: string, name: string): Buffer {
  const file = toPath(top, name);
  return lstatSync(file).isSymbolicLink()
    ? readlinkSync(file, 'buffer')
    : readPart(file, LINK_TARGET_READ_OPTIONS, 'beginning');
}

/** Returns a line for `--stdin-paths`. Git unquotes quoted names. */
function quotePath(name: string): string {
  if (!/["\\\r\n]/u.test(name)) return name;
  return `"${name.replaceAll(/["\\]/gu, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}
