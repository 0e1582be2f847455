/**
 * What identifies the files of a work tree: the id that git would give its tree if all of it were committed as it lies
 * there. So a clean one has the id of its commit's tree, and uncommitted work has the id that it keeps when it is
 * committed. Files are read as they are, without filters, and nothing is written.
 *
 * The format of trees and blobs is git's own (Documentation/gitformat-pack, "git hash-object").
 */

import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/** More changes than these are not read for the sake of a name. */
const MAX_CHANGED_FILES = 5_000;
const MAX_CHANGED_BYTES = 64 * 1024 * 1024;

/** A part of `git ls-files --stage`: what lies under a path. Paths are in bytes, as latin1. */
interface Entry {
  /** `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  mode: string;
  id: string;
}

interface Folder {
  entries: Map<string, Entry | Folder>;
}

const FOLDER_MODE = '40000';
const SUBMODULE_MODE = '160000';

/**
 * Its id; undefined where so much has changed that it is not read.
 *
 * @param staged `git ls-files --stage -z` of the whole work tree, as latin1
 * @param changed paths that differ from the index or are not in it, as latin1 and from the top
 */
export async function workTreeId(
  top: string,
  staged: string,
  changed: ReadonlySet<string>,
): Promise<string | undefined> {
  if (changed.size > MAX_CHANGED_FILES) return undefined;
  const entries = parseStaged(staged);
  const algorithm = [...entries.values()].some(({ id }) => id.length === 64) ? 'sha256' : 'sha1';
  let bytes = 0;
  for (const name of changed) {
    if (entries.get(name)?.mode === SUBMODULE_MODE) continue;
    const there = await readEntry(path.join(top, ...asText(name).split('/')), MAX_CHANGED_BYTES - bytes);
    if (there === 'too large') return undefined;
    entries.delete(name);
    if (there === undefined) continue;
    bytes += there.content.length;
    entries.set(name, { mode: there.mode, id: objectId(algorithm, 'blob', there.content) });
  }
  return folderId(algorithm, foldersOf(entries));
}

function parseStaged(staged: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const line of staged.split('\0')) {
    const [, mode, id, name] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/su.exec(line) ?? [];
    if (mode !== undefined && id !== undefined && name !== undefined) entries.set(name, { mode, id });
  }
  return entries;
}

/** Undefined: nothing is there that git would keep. */
async function readEntry(
  file: string,
  maxBytes: number,
): Promise<{ mode: string; content: Buffer } | 'too large' | undefined> {
  try {
    const stats = await lstat(file);
    if (stats.isSymbolicLink()) return { mode: '120000', content: await readlink(file, { encoding: 'buffer' }) };
    if (!stats.isFile()) return undefined;
    if (stats.size > maxBytes) return 'too large';
    return { mode: (stats.mode & 0o100) === 0 ? '100644' : '100755', content: await readFile(file) };
  } catch {
    return undefined;
  }
}

function foldersOf(entries: ReadonlyMap<string, Entry>): Folder {
  const root: Folder = { entries: new Map() };
  for (const [name, entry] of entries) {
    const parts = name.split('/');
    const last = parts.pop() ?? '';
    let folder = root;
    for (const part of parts) {
      const inner = folder.entries.get(part);
      const next = inner !== undefined && 'entries' in inner ? inner : { entries: new Map() };
      folder.entries.set(part, next);
      folder = next;
    }
    folder.entries.set(last, entry);
  }
  return root;
}

function folderId(algorithm: string, { entries }: Folder): string {
  const parts = [...entries].map(([name, entry]) => {
    const isFolder = 'entries' in entry;
    const mode = isFolder ? FOLDER_MODE : entry.mode;
    const id = isFolder ? folderId(algorithm, entry) : entry.id;
    const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
    // Git sorts a folder as if its name ended with a slash.
    return { key: isFolder ? `${name}/` : name, bytes };
  });
  parts.sort((one, other) => (one.key < other.key ? -1 : 1));
  return objectId(algorithm, 'tree', Buffer.concat(parts.map(({ bytes }) => bytes)));
}

function objectId(algorithm: string, kind: 'blob' | 'tree', content: Buffer): string {
  return createHash(algorithm).update(`${kind} ${content.length}\0`).update(content).digest('hex');
}

/** Bytes that were kept apart as latin1. */
export function asText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
