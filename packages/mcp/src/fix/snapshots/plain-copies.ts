/**
 * Snapshots without git: copies of the project's files, with a single copy for equal contents. Very large files, and
 * folders that can be installed again, are not copied. For a file that is not copied, a snapshot only shows whether it
 * changed.
 */

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { getSystemCode } from '../../errors.ts';
import { readBytes, readText } from '../../system/files/read.ts';
import { isPrivateKeyFile, isSecretFile } from '../../system/files/secret-files.ts';
import { withWriteAdvice } from '../state/state-folder.ts';
import { createSnapshotGoneError } from './refs.ts';
import {
  type ChangedFile,
  createTextDiff,
  type Difference,
  formatSecretsWarning,
  MAX_DIFF_CHARACTERS,
  MAX_FILE_DIFF_CHARACTERS,
  type Snapshots,
} from './snapshots.ts';

/** Larger files are not copied. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 20_000;
/** Limit for a list of MAX_FILES names. */
const MAX_TREE_BYTES = 256 * 1024 * 1024;

/** Folders that tools can create again. */
const SKIPPED_FOLDERS = new Set([
  '.git',
  '.hg',
  '.svn',
  '.argus',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  'target',
  '.gradle',
  '.next',
  '.cache',
]);

/**
 * Test runners search every folder except one with this name. In another folder, `node --test` would run the tests of a
 * copy.
 */
const FOLDER_HIDDEN_FROM_RUNNERS = 'node_modules';

/** A file in a snapshot. */
interface FileEntry {
  /** SHA-256 of the content, with a suffix for executable files. For a file that is not copied, its size and time. */
  content: string;
  copied: boolean;
}

type FileTree = Map<string, FileEntry>;

/** A file that was hashed before, so that it is not read again if it did not change. */
interface HashedFile {
  size: number;
  mtimeMs: number;
  entry: FileEntry;
}

export class PlainCopies implements Snapshots {
  readonly kind = 'copies';
  readonly warnings: string[] = [];
  readonly #root: string;
  readonly #folder: string;
  readonly #seen = new Map<string, HashedFile>();
  readonly #secrets = new Set<string>();

  /** `refusal` is the reason why the repository of the project is not used. */
  constructor(root: string, stateFolder: string, refusal?: string) {
    this.#root = root;
    const why = refusal === undefined ? 'This is not a git repository' : `The git repository is not used (${refusal})`;
    this.#warn(`${why}, so files are copied before each attempt, up to a limit.`);
    this.#folder = path.join(stateFolder, 'copies');
  }

  /** Also creates a folder that people can open and copy back. Files with the same content are hard links. */
  async take(name: string): Promise<string> {
    const id = await this.saveTemporarily();
    // Remove an incomplete snapshot first, because writing into its files would change the contents that snapshots
    // share.
    const folder = this.#getVisibleFolder(name);
    withWriteAdvice(folder, () => {
      rmSync(folder, { recursive: true, force: true });
      for (const [file, { content, copied }] of this.#readTree(id)) {
        if (!copied) continue;
        const target = path.join(folder, file);
        mkdirSync(path.dirname(target), { recursive: true });
        linkOrCopy(this.#getContentPath(content), target);
      }
    });
    return `${name}:${id}`;
  }

  async saveTemporarily(): Promise<string> {
    for (const name of ['objects', 'trees']) {
      withWriteAdvice(this.#folder, () => mkdirSync(path.join(this.#folder, name), { recursive: true, mode: 0o700 }));
    }
    const scan = { tree: new Map<string, FileEntry>(), bytes: 0, left: MAX_FILES };
    this.#scan('', scan);
    if (this.#secrets.size > 0) this.#warn(formatSecretsWarning([...this.#secrets]));
    const entries = [...scan.tree].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify(entries);
    const id = createHash('sha256').update(text).digest('hex');
    this.#write(this.#getTreePath(id), text);
    return id;
  }

  /** Writes a file completely or not at all, so that the content of a file always matches the hash in its name. */
  #write(file: string, data: string | Buffer, mode = 0o600): void {
    const draft = path.join(this.#folder, 'draft');
    withWriteAdvice(file, () => {
      rmSync(draft, { force: true });
      writeFileSync(draft, data, { mode });
      renameSync(draft, file);
    });
  }

  async difference(from: string, to: string): Promise<Difference> {
    const files = this.#listChanges(from, to);
    if (files.length === 0) return { digest: null, files };
    const hash = createHash('sha256');
    for (const { path: file, from: before, to: after } of files) {
      hash.update(this.#diffFile(file, before, after).replaceAll(/^@@ .*$/gmu, ''));
      if (!before?.copied || !after?.copied) hash.update(`${file}\0${before?.content}\0${after?.content}\n`);
    }
    return { digest: hash.digest('hex'), files: files.map(({ path, change }) => ({ path, change })) };
  }

  async diff(from: string, to: string, context?: 'whole'): Promise<string> {
    let text = '';
    for (const { path: file, from: before, to: after } of this.#listChanges(from, to)) {
      text += this.#diffFile(file, before, after, context).slice(0, MAX_FILE_DIFF_CHARACTERS);
      if (text.length > MAX_DIFF_CHARACTERS) break;
    }
    return text;
  }

  async areEqual(from: string, to: string): Promise<boolean> {
    return getTreeId(from) === getTreeId(to);
  }

  /** Does nothing, because the copies move with the folder of the loop. */
  async archive(): Promise<void> {}

  /** Does nothing, because the copies are removed with the folder of the loop. */
  async removeExpired(): Promise<void> {}

  createRestoreCommand(id: string): string {
    const [name = ''] = id.split(':');
    return `cp -R ${path.relative(this.#root, this.#getVisibleFolder(name))}/. .`;
  }

  #scan(folder: string, scan: { tree: FileTree; bytes: number; left: number }): void {
    for (const item of listFolder(path.join(this.#root, folder))) {
      const file = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory() && !SKIPPED_FOLDERS.has(item.name) && file !== '.claude/fixes') this.#scan(file, scan);
      if (!item.isFile()) continue;
      if (scan.left-- <= 0) {
        this.#warn(`The project has more than ${MAX_FILES} files. The other files are neither saved nor compared.`);
        return;
      }
      const entry = this.#readEntry(file, scan.bytes);
      if (entry === undefined) continue;
      scan.tree.set(file, entry.entry);
      scan.bytes += entry.entry.copied ? entry.size : 0;
    }
  }

  #readEntry(file: string, bytes: number): HashedFile | undefined {
    const full = path.join(this.#root, file);
    const stats = lstatSync(full, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { size, mtimeMs } = stats;
    const known = this.#seen.get(file);
    if (known?.size === size && known.mtimeMs === mtimeMs) return known;
    const seen = { size, mtimeMs, entry: this.#copyFile(file, stats, bytes) };
    this.#seen.set(file, seen);
    return seen;
  }

  #copyFile(file: string, { size, mtimeMs, mode }: Stats, bytes: number): FileEntry {
    const full = path.join(this.#root, file);
    if (isSecretFile(file) || isPrivateKeyFile(full, size)) {
      this.#secrets.add(file);
      return createUncopiedEntry(size, mtimeMs);
    }
    if (size > MAX_FILE_BYTES || bytes + size > MAX_TOTAL_BYTES) return createUncopiedEntry(size, mtimeMs);
    try {
      const bytes = readBytes(full, { maxBytes: MAX_FILE_BYTES, links: 'refused' });
      const hash = createHash('sha256').update(bytes).digest('hex');
      const content = (mode & 0o100) === 0 ? hash : `${hash}-x`;
      const object = this.#getContentPath(content);
      if (!existsSync(object)) this.#write(object, bytes, mode);
      return { content, copied: true };
    } catch {
      this.#warn(`Not saved, because it could not be read or copied: ${file}.`);
      return createUncopiedEntry(size, mtimeMs);
    }
  }

  #listChanges(from: string, to: string): (ChangedFile & { from: FileEntry | undefined; to: FileEntry | undefined })[] {
    const [before, after] = [this.#readTree(from), this.#readTree(to)];
    const names = [...new Set([...before.keys(), ...after.keys()])].sort();
    return names.flatMap((name) => {
      const [earlier, later] = [before.get(name), after.get(name)];
      if (earlier?.content === later?.content) return [];
      const change = earlier === undefined ? 'added' : later === undefined ? 'deleted' : 'modified';
      return [{ path: name, change, from: earlier, to: later }];
    });
  }

  #diffFile(file: string, from: FileEntry | undefined, to: FileEntry | undefined, context?: 'whole'): string {
    if (from?.copied === false || to?.copied === false) return `Binary files a/${file} and b/${file} differ\n`;
    return createTextDiff(file, this.#readContent(from), this.#readContent(to), context);
  }

  #readContent(entry: FileEntry | undefined): string | undefined {
    return entry === undefined
      ? undefined
      : readText(this.#getContentPath(entry.content), { maxBytes: MAX_FILE_BYTES, links: 'refused' });
  }

  #readTree(id: string): FileTree {
    try {
      const entries: [string, FileEntry][] = JSON.parse(
        readText(this.#getTreePath(getTreeId(id)), { maxBytes: MAX_TREE_BYTES, links: 'refused' }),
      );
      return new Map(entries);
    } catch (thrown) {
      throw getSystemCode(thrown) === 'ENOENT' ? createSnapshotGoneError(thrown) : thrown;
    }
  }

  /** Returns the folder of a snapshot that people can open. */
  #getVisibleFolder(name: string): string {
    return path.join(this.#folder, FOLDER_HIDDEN_FROM_RUNNERS, name);
  }

  #getContentPath(content: string): string {
    return path.join(this.#folder, 'objects', content);
  }

  #getTreePath(id: string): string {
    return path.join(this.#folder, 'trees', `${id}.json`);
  }

  #warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }
}

/** Removes the name before the id of a named snapshot. */
function getTreeId(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

function createUncopiedEntry(size: number, mtimeMs: number): FileEntry {
  return { content: `size ${size}, changed ${mtimeMs}`, copied: false };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
