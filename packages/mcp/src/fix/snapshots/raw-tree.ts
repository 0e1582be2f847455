/**
 * Makes a tree object of a work tree with the very bytes of its files: no filter runs, no line end is converted, and
 * the repository's own index is only read. What belongs into it: work-tree.ts.
 */

import { lstatSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Git, GitError } from '../../git/git.ts';
import { readPart } from '../../system/files/read.ts';
import { temporaryFolder } from '../../system/files/temporary.ts';

/** A large tree takes a while the first time. */
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** More files than that which cannot be read are no accident. */
const MAX_UNREADABLE = 100;

/** Names of files are bytes: one letter each, which git's `latin1` output is and `bytesOf` gives back. */
export interface TreeFile {
  name: string;
  /** As git writes it: `100644`, `100755`, `120000`, `160000`. */
  mode: string;
  /** Null: of what lies in the work tree. */
  oid: string | null;
}

export function bytesOf(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}

/** As people read it. */
export function shownName(name: string): string {
  return bytesOf(name).toString('utf8');
}

/** How a file is reached: of text on Windows, which has no other names, of bytes elsewhere. */
export function pathOf(top: string, name: string): string | Buffer {
  if (process.platform === 'win32') return path.join(top, shownName(name));
  return Buffer.concat([Buffer.from(`${top}/`), bytesOf(name)]);
}

export interface WrittenTree {
  tree: string;
  /** Of the files that had none. */
  oids: Map<string, string>;
  unreadable: { name: string; reason: string }[];
}

/**
 * `git` runs at the top of the work tree. `partial`: the content of some is nowhere, as of what a sparse work tree of a
 * partial clone leaves out. Throws where the repository cannot be written.
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
    // An index of its own: what a repository has staged stays as it is.
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
    // It stops at the first file that it cannot read: one of another user, or one that has just gone.
    const isOfTheFile = /could not open|short read|read error/u.test(problem ?? '');
    if (!isOfTheFile || unreadable.length >= MAX_UNREADABLE) throw new GitError(problem ?? 'git stopped early');
    unreadable.push({ name: stopped.name, reason: problem ?? '' });
  }
  return { oids, unreadable };
}

/** Of a link its target is kept, not what is there. */
function sourceOf(top: string, { name, mode }: TreeFile, copy: string): string {
  if (mode !== '120000') return name;
  writeFileSync(copy, linkTarget(top, name));
  return Buffer.from(copy).toString('latin1');
}

/** The system takes no longer path. */
const TARGET = { maxBytes: 64 * 1024, links: 'refused' } as const;

/** Without symbolic links a checkout has a file with the target in it. */
function linkTarget(top: string, name: string): Buffer {
  const file = pathOf(top, name);
  return lstatSync(file).isSymbolicLink() ? readlinkSync(file, 'buffer') : readPart(file, TARGET, 'beginning');
}

/** A line of `--stdin-paths`: git takes a quoted name for what is in it. */
function asLine(name: string): string {
  if (!/["\\\r\n]/u.test(name)) return name;
  return `"${name.replaceAll(/["\\]/gu, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}
