/**
 * Computes the id of the files in a work tree: the id that git would give to the tree if all files were committed
 * unchanged. A clean work tree has the id of its commit's tree, and uncommitted work keeps its id when it is committed.
 * Files are read without filters, and nothing is written.
 *
 * Only folders that contain a change get another id, so only these folders are read from the commit. Trees and blobs
 * have git's format (Documentation/gitformat-pack, "git hash-object").
 */

import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { EditedFile } from 'argus-engine';
import { computeDigest } from '../git/changes.ts';
import { decodePath, type Git, type GitOptions } from '../git/git.ts';
import { isWithin, resolveRealPath, tryLstat } from '../system/files/path-safety.ts';
import { readBytes, tryReadText } from '../system/files/read.ts';
import { isSecretFile } from '../system/files/secret-files.ts';

/** Maximum number of changed files that are read to compute the id. */
const MAX_CHANGED_FILES = 5_000;
const MAX_CHANGED_BYTES = 64 * 1024 * 1024;

/** A file, a link, a submodule, or an unchanged folder. */
interface TreeEntry {
  /** Mode in git: `100644`, `100755`, `120000` for a link, `160000` for a submodule, `40000` for a folder. */
  mode: string;
  id: string;
}

/** A folder that contains a change: its entries by their names as latin1 bytes. */
type Folder = Map<string, TreeEntry | Folder>;

const FOLDER_MODE = '40000';
const SUBMODULE_MODE = '160000';
const SHA1_BYTES = 20;

/** The folders of the last commit that contain changes. */
interface CommittedFolders {
  algorithm: 'sha1' | 'sha256';
  root: Folder;
}

/**
 * Files that differ from the last commit, by their paths from the top as latin1 bytes. Undefined for a deleted file.
 */
type ChangedFiles = ReadonlyMap<string, ChangedFile | undefined>;

/** The mode of the entry and the content of the blob. For a link, the content is the target. */
interface ChangedFile {
  mode: string;
  content: Buffer;
}

/** Reads the changed files. Returns undefined if they are too large. */
export function readChangedFiles(top: string, changed: ReadonlySet<string>): ChangedFiles | undefined {
  if (changed.size > MAX_CHANGED_FILES) return undefined;
  const files = new Map<string, ChangedFile | undefined>();
  let bytes = 0;
  for (const name of changed) {
    const file = readChangedFile(path.join(top, ...decodePath(name).split('/')), MAX_CHANGED_BYTES - bytes);
    if (file === 'too large') return undefined;
    bytes += file?.content.length ?? 0;
    files.set(name, file);
  }
  return files;
}

/** A submodule with changed files or with another commit. */
interface ChangedSubmoduleTree {
  name: string;
  facts: { commit?: string | null | undefined; dirty?: boolean | null | undefined; tree?: string | null | undefined };
}

/**
 * Returns the id of the work tree, or undefined if the folders of the commit or the files of a submodule cannot be
 * read. `commit` is the last commit, or null if there is none. Git has no id for a submodule with uncommitted work, so
 * the entry of the submodule gets a hash of the id of its tree.
 */
export async function computeWorkTreeId(
  git: Git,
  commit: string | null,
  files: ChangedFiles,
  submodules: readonly ChangedSubmoduleTree[],
  options: GitOptions,
): Promise<string | undefined> {
  const names = [...files.keys(), ...submodules.map(({ name }) => name)];
  const committed = await readCommittedFolders(git, commit, names, options);
  if (committed === undefined) return undefined;
  const { algorithm, root } = committed;
  for (const [name, file] of files) {
    const entry = file && { mode: file.mode, id: computeObjectId(algorithm, 'blob', file.content) };
    setEntry(root, name, entry);
  }
  for (const { name, facts } of submodules) {
    const content = facts.dirty === true ? facts.tree : facts.commit;
    if (content == null) return undefined;
    const id = facts.dirty === true ? computeObjectId(algorithm, 'blob', Buffer.from(content)) : content;
    setEntry(root, name, { mode: SUBMODULE_MODE, id });
  }
  return computeFolderId(algorithm, root);
}

async function readCommittedFolders(
  git: Git,
  commit: string | null,
  names: readonly string[],
  options: GitOptions,
): Promise<CommittedFolders | undefined> {
  if (commit === null) return { algorithm: 'sha1', root: new Map() };
  const folders = listFoldersAround(names);
  // Each query is a line.
  if (folders.some((name) => name.includes('\n'))) return undefined;
  const stdin = Buffer.from(folders.map((name) => `${commit}:${name}\n`).join(''), 'latin1');
  const { stdout, problem, cut } = await git.run(['cat-file', '--batch'], { ...options, stdin });
  if (problem !== null || cut) return undefined;
  let root: Folder = new Map();
  let idBytes = SHA1_BYTES;
  let offset = 0;
  for (const name of folders) {
    const end = stdout.indexOf('\n', offset);
    // If the commit does not contain the folder, git answers with this line only.
    const [, id = '', type, bytes] = /^([0-9a-f]+) (\w+) (\d+)$/u.exec(stdout.slice(offset, end)) ?? [];
    offset = end + 1;
    if (bytes === undefined) continue;
    const content = stdout.slice(offset, offset + Number(bytes));
    offset += content.length + 1;
    if (type !== 'tree') continue;
    idBytes = id.length / 2;
    const folder = parseTree(content, idBytes);
    if (name === '') root = folder;
    else setEntry(root, name, folder);
  }
  return { algorithm: idBytes === SHA1_BYTES ? 'sha1' : 'sha256', root };
}

/** Returns the folders that contain these paths, outer folders first. The top has an empty name. */
function listFoldersAround(paths: Iterable<string>): string[] {
  const folders = new Set(['']);
  for (const name of paths) {
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) folders.add(name.slice(0, at));
  }
  return [...folders].sort();
}

/** Parses a raw tree. Each entry is mode, a space, name, a NUL and the bytes of the id. */
function parseTree(raw: string, idBytes: number): Folder {
  const folder: Folder = new Map();
  for (let offset = 0; offset < raw.length; ) {
    const space = raw.indexOf(' ', offset);
    const nul = raw.indexOf('\0', space);
    const end = nul + 1 + idBytes;
    const id = Buffer.from(raw.slice(nul + 1, end), 'latin1').toString('hex');
    folder.set(raw.slice(space + 1, nul), { mode: raw.slice(offset, space), id });
    offset = end;
  }
  return folder;
}

/** Sets or removes an entry. A missing file at the path of a submodule does not remove the submodule. */
function setEntry(root: Folder, name: string, entry: TreeEntry | Folder | undefined): void {
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
  const existing = folder.get(last);
  const isSubmodule = existing !== undefined && 'mode' in existing && existing.mode === SUBMODULE_MODE;
  if (isSubmodule && !(entry !== undefined && 'mode' in entry && entry.mode === SUBMODULE_MODE)) return;
  if (entry !== undefined) folder.set(last, entry);
  // If a file has replaced a folder, the removal of the files in the folder must not remove the new file.
  else if (!(existing instanceof Map)) folder.delete(last);
}

/** Returns undefined if git would store nothing for the path. */
function readChangedFile(file: string, maxBytes: number): ChangedFile | 'too large' | undefined {
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

function computeFolderId(algorithm: string, folder: Folder): string {
  const parts = [...folder].flatMap(([name, entry]) => {
    // Git stores no empty folder.
    if (entry instanceof Map && isEmpty(entry)) return [];
    const { mode, id } = entry instanceof Map ? { mode: FOLDER_MODE, id: computeFolderId(algorithm, entry) } : entry;
    const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
    // Git sorts a folder as if its name ended with a slash.
    return [{ key: mode === FOLDER_MODE ? `${name}/` : name, bytes }];
  });
  parts.sort((one, other) => (one.key < other.key ? -1 : 1));
  return computeObjectId(algorithm, 'tree', Buffer.concat(parts.map(({ bytes }) => bytes)));
}

function isEmpty(folder: Folder): boolean {
  return [...folder.values()].every((entry) => entry instanceof Map && isEmpty(entry));
}

function computeObjectId(algorithm: string, kind: 'blob' | 'tree', content: Buffer): string {
  return createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest('hex');
}

/* Distinguishes untracked files that a person edited from files that tools created. */

/** Folders that tools fill: installed packages, environments, caches and results. */
const TOOL_FOLDERS = new Set(
  (
    'node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .nyc_output ' +
    '.cache .parcel-cache .turbo .next .nuxt .svelte-kit .gradle .idea .vscode coverage htmlcov .eggs'
  ).split(' '),
);
const TOOL_FILE = /(?:\.(?:log|pyc|pyo|swp|tmp)|~|\.egg-info\/.*)$|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\.coverage)$/u;

/**
 * Returns true if a tool created the untracked file. Such a file does not count as an edit, even if no `.gitignore`
 * names it.
 */
export function isToolOutputFile(name: string): boolean {
  return TOOL_FILE.test(name) || name.split('/').some((part) => TOOL_FOLDERS.has(part));
}

/**
 * Lists untracked files inside the project.
 * @param files files that differ from the commit, by their names from the top of the work tree as latin1 bytes
 */
export function listUntrackedFiles(
  files: ChangedFiles | undefined,
  context: { tracked: ReadonlySet<string>; projectFolder: string },
): EditedFile[] {
  const prefix = context.projectFolder === '' ? '' : `${context.projectFolder}/`;
  return [...(files ?? [])].flatMap(([name, file]) => {
    const full = decodePath(name);
    if (file === undefined || context.tracked.has(name) || !full.startsWith(prefix) || isSecretFile(full)) return [];
    return [{ path: full.slice(prefix.length), digest: computeDigest(file.content), untracked: true }];
  });
}

/*
 * Finds submodules that are checked out in a work tree. Git must not read them itself, because it would use their
 * settings, which can start programs. Each submodule is read as a separate repository.
 */

/** Maximum number of submodules, because reading each of them starts processes. */
const MAX_SUBMODULES = 16;
const MAX_GITMODULES_BYTES = 64 * 1024;

export interface Submodule {
  /** Path from the top of the work tree, as latin1 bytes. */
  name: string;
  folder: string;
  /** The commit of the submodule in the last commit of the work tree. */
  commit: string;
}

/** Returns the submodules that are both in `.gitmodules` and in the last commit. */
export async function findSubmodules(git: Git, top: string, options: GitOptions): Promise<Submodule[]> {
  const text = tryReadText(path.join(top, '.gitmodules'), { maxBytes: MAX_GITMODULES_BYTES, links: 'refused' }) ?? '';
  const declaredNames = [...text.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gmu)].map(([, name = '']) => name);
  const checkedOut = declaredNames.filter((name) => isCheckedOut(top, name)).slice(0, MAX_SUBMODULES);
  if (checkedOut.length === 0) return [];
  const { stdout, problem } = await git.run(['ls-tree', '-z', '--full-tree', 'HEAD', '--', ...checkedOut], options);
  if (problem !== null) return [];
  return [...stdout.matchAll(/160000 commit ([0-9a-f]+)\t([^\0]+)\0/gu)].map(([, commit = '', name = '']) => {
    return { name, folder: path.join(top, ...decodePath(name).split('/')), commit };
  });
}

/** Returns false if a link in the path leads outside the work tree. */
function isCheckedOut(top: string, name: string): boolean {
  const folder = path.join(top, name);
  const isInside =
    folder !== top &&
    isWithin(resolveRealPath(folder), resolveRealPath(top)) &&
    resolveRealPath(folder) !== resolveRealPath(top);
  return isInside && tryLstat(path.join(folder, '.git')) !== undefined;
}
