/**
 * Computes the id of the files in a work tree: the id that git would give to its tree if all files were committed
 * unchanged. A clean work tree has the id of its commit's tree, and uncommitted work keeps its id when it is committed.
 * Files are read without filters, and nothing is written.
 *
 * Only folders around a change get another id, so only these are read from the commit. Trees and blobs have the
 * format of git (Documentation/gitformat-pack, "git hash-object").
 */

import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { asText, type Git, type GitOptions } from '../git/git.ts';
import { readBytes } from '../system/files/read.ts';

/** Maximum number of changed files that are read for the id. */
const MAX_CHANGED_FILES = 5_000;
const MAX_CHANGED_BYTES = 64 * 1024 * 1024;

/** A file, a link, a submodule, or an unchanged folder. */
interface Entry {
  /** Mode in git: `100644`, `100755`, `120000` for a link, `160000` for a submodule, `40000` for a folder. */
  mode: string;
  id: string;
}

/** A folder around a change, by the names of its entries as latin1 bytes. */
type Folder = Map<string, Entry | Folder>;

const FOLDER_MODE = '40000';
const SUBMODULE_MODE = '160000';
const SHA1_BYTES = 20;

/** The folders of the last commit around the changes. */
interface Committed {
  algorithm: 'sha1' | 'sha256';
  root: Folder;
}

/** Files that differ from the last commit, by latin1 paths from the top. Undefined for a deleted file. */
export type ChangedFiles = ReadonlyMap<string, ChangedFile | undefined>;

/** Mode of the entry, and content of the blob. For a link, the content is its target. */
interface ChangedFile {
  mode: string;
  content: Buffer;
}

/** Returns undefined if the changes are too large to read. */
export function changedFiles(top: string, changed: ReadonlySet<string>): ChangedFiles | undefined {
  if (changed.size > MAX_CHANGED_FILES) return undefined;
  const files = new Map<string, ChangedFile | undefined>();
  let bytes = 0;
  for (const name of changed) {
    const file = readChanged(path.join(top, ...asText(name).split('/')), MAX_CHANGED_BYTES - bytes);
    if (file === 'too large') return undefined;
    bytes += file?.content.length ?? 0;
    files.set(name, file);
  }
  return files;
}

/** A submodule with changed files or another commit. */
export interface ChangedTree {
  name: string;
  facts: { commit?: string | null | undefined; dirty?: boolean | null | undefined; tree?: string | null | undefined };
}

/**
 * Returns the id of the work tree, or undefined if the folders of the commit or the files of a submodule cannot be
 * read. `commit` is the last commit, or null before the first. Git has no id for a submodule with uncommitted work, so
 * its entry gets a hash of the id of its tree.
 */
export async function workTreeId(
  git: Git,
  commit: string | null,
  files: ChangedFiles,
  submodules: readonly ChangedTree[],
  asking: GitOptions,
): Promise<string | undefined> {
  const names = [...files.keys(), ...submodules.map(({ name }) => name)];
  const committed = await committedFolders(git, commit, names, asking);
  if (committed === undefined) return undefined;
  const { algorithm, root } = committed;
  for (const [name, file] of files) {
    const entry = file && { mode: file.mode, id: objectId(algorithm, 'blob', file.content) };
    setEntry(root, name, entry);
  }
  for (const { name, facts } of submodules) {
    const content = facts.dirty === true ? facts.tree : facts.commit;
    if (content == null) return undefined;
    const id = facts.dirty === true ? objectId(algorithm, 'blob', Buffer.from(content)) : content;
    setEntry(root, name, { mode: SUBMODULE_MODE, id });
  }
  return folderId(algorithm, root);
}

async function committedFolders(
  git: Git,
  commit: string | null,
  names: readonly string[],
  asking: GitOptions,
): Promise<Committed | undefined> {
  if (commit === null) return { algorithm: 'sha1', root: new Map() };
  const folders = foldersAround(names);
  // Each query is a line.
  if (folders.some((name) => name.includes('\n'))) return undefined;
  const stdin = Buffer.from(folders.map((name) => `${commit}:${name}\n`).join(''), 'latin1');
  const { stdout, problem, cut } = await git.run(['cat-file', '--batch'], { ...asking, stdin });
  if (problem !== null || cut) return undefined;
  let root: Folder = new Map();
  let idBytes = SHA1_BYTES;
  let at = 0;
  for (const name of folders) {
    const end = stdout.indexOf('\n', at);
    // If the commit does not have the folder, the answer is only that line.
    const [, id = '', type, bytes] = /^([0-9a-f]+) (\w+) (\d+)$/u.exec(stdout.slice(at, end)) ?? [];
    at = end + 1;
    if (bytes === undefined) continue;
    const content = stdout.slice(at, at + Number(bytes));
    at += content.length + 1;
    if (type !== 'tree') continue;
    idBytes = id.length / 2;
    const folder = parseTree(content, idBytes);
    if (name === '') root = folder;
    else setEntry(root, name, folder);
  }
  return { algorithm: idBytes === SHA1_BYTES ? 'sha1' : 'sha256', root };
}

/** Folders on the way to these paths, outer folders first. The top has an empty name. */
function foldersAround(paths: Iterable<string>): string[] {
  const folders = new Set(['']);
  for (const name of paths) {
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at));
  }
  return [...folders].sort();
}

/** Parses a raw tree. Each entry is mode, a space, name, a NUL and the bytes of the id. */
function parseTree(raw: string, idBytes: number): Folder {
  const folder: Folder = new Map();
  for (let at = 0; at < raw.length; ) {
    const space = raw.indexOf(' ', at);
    const nul = raw.indexOf('\0', space);
    const end = nul + 1 + idBytes;
    const id = Buffer.from(raw.slice(nul + 1, end), 'latin1').toString('hex');
    folder.set(raw.slice(space + 1, nul), { mode: raw.slice(at, space), id });
    at = end;
  }
  return folder;
}

/** Sets or removes an entry. A missing file in place of a submodule does not remove the submodule. */
function setEntry(root: Folder, name: string, entry: Entry | Folder | undefined): void {
  const parts = name.split('/');
  const last = parts.pop() ?? '';
  let folder = root;
  for (const part of parts) {
    const inner = folder.get(part);
    const next: Folder = inner instanceof Map ? inner : new Map();
    // A file may have become a folder.
    if (next !== inner && entry !== undefined) folder.set(part, next);
    folder = next;
  }
  const before = folder.get(last);
  const isSubmodule = before !== undefined && 'mode' in before && before.mode === SUBMODULE_MODE;
  if (isSubmodule && !(entry !== undefined && 'mode' in entry && entry.mode === SUBMODULE_MODE)) return;
  if (entry !== undefined) folder.set(last, entry);
  // If a folder became a file, removed files of the folder do not remove the new file.
  else if (!(before instanceof Map)) folder.delete(last);
}

/** Returns undefined if git would not store anything. */
function readChanged(file: string, maxBytes: number): ChangedFile | 'too large' | undefined {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return { mode: '120000', content: readlinkSync(file, { encoding: 'buffer' }) };
    if (!stats.isFile()) return undefined;
    if (stats.size > maxBytes) return 'too large';
    return {
      mode: (stats.mode & 0o100) === 0 ? '100644' : '100755',
      content: readBytes(file, { maxBytes, links: 'refused' }),
    };
  } catch {
    return undefined;
  }
}

function folderId(algorithm: string, folder: Folder): string {
  const parts = [...folder].flatMap(([name, entry]) => {
    // Git stores no empty folder.
    if (entry instanceof Map && isEmpty(entry)) return [];
    const { mode, id } = entry instanceof Map ? { mode: FOLDER_MODE, id: folderId(algorithm, entry) } : entry;
    const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
    // Git sorts a folder as if its name ended with a slash.
    return [{ key: mode === FOLDER_MODE ? `${name}/` : name, bytes }];
  });
  parts.sort((one, other) => (one.key < other.key ? -1 : 1));
  return objectId(algorithm, 'tree', Buffer.concat(parts.map(({ bytes }) => bytes)));
}

function isEmpty(folder: Folder): boolean {
  return [...folder.values()].every((entry) => entry instanceof Map && isEmpty(entry));
}

function objectId(algorithm: string, kind: 'blob' | 'tree', content: Buffer): string {
  return createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest('hex');
}
