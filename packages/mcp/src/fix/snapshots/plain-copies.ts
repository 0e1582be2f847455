/**
 * Snapshots without git: copies of the project's files, a single copy for each content. Very large files, and folders
 * that can be installed again, are not copied. For large files only a change is noticed.
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
import { systemCodeOf } from '../../errors.ts';
import { readBytes, readText } from '../../system/files/read.ts';
import { isKeyFile, isSecretFile } from '../../system/files/secret-files.ts';
import { guarded } from '../state/state-folder.ts';
import { secretsWarning } from './not-kept.ts';
import { snapshotGone } from './refs.ts';
import type { Difference, FileChanged, Snapshots } from './snapshots.ts';
import { MAX_DIFF_CHARACTERS, MAX_FILE_DIFF_CHARACTERS, textDiff } from './text-diff.ts';

/** Larger files are not copied. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 20_000;
/** Limit for a list of MAX_FILES names. */
const MAX_TREE_BYTES = 256 * 1024 * 1024;

/** Folders that tools can create again. */
const NOT_COPIED = new Set([
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

/** Test runners search every folder except this one. Otherwise `node --test` would run the tests of a copy. */
const HIDDEN_FROM_RUNNERS = 'node_modules';

/** A file in a snapshot. */
interface Entry {
  /** SHA-256 of the content, with a suffix for executable files. For a file that is not copied: its size and time. */
  content: string;
  copied: boolean;
}

type Tree = Map<string, Entry>;

/** A hashed file, so that it is not read again. */
interface Seen {
  size: number;
  mtimeMs: number;
  entry: Entry;
}

export class PlainCopies implements Snapshots {
  readonly kind = 'copies';
  readonly warnings: string[] = [];
  readonly #root: string;
  readonly #folder: string;
  readonly #seen = new Map<string, Seen>();
  readonly #secrets = new Set<string>();

  /** `refusal` is the reason why the existing repository is not used. */
  constructor(root: string, stateFolder: string, refusal?: string) {
    this.#root = root;
    const why =
      refusal === undefined ? 'There is no git repository here' : `The git repository is not used (${refusal})`;
    this.#warn(`${why}: files are copied as they were before each attempt, up to a limit.`);
    this.#folder = path.join(stateFolder, 'copies');
  }

  /** Also creates a folder that people can look into and copy back. Files with the same content are hard links. */
  async take(name: string): Promise<string> {
    const id = await this.now();
    // Remove an incomplete snapshot first, because writing into it would change the shared contents.
    const folder = this.#shown(name);
    guarded(folder, () => {
      rmSync(folder, { recursive: true, force: true });
      for (const [file, { content, copied }] of this.#tree(id)) {
        if (!copied) continue;
        const target = path.join(folder, file);
        mkdirSync(path.dirname(target), { recursive: true });
        linkOrCopy(this.#object(content), target);
      }
    });
    return `${name}:${id}`;
  }

  async now(): Promise<string> {
    for (const name of ['objects', 'trees']) {
      guarded(this.#folder, () => mkdirSync(path.join(this.#folder, name), { recursive: true, mode: 0o700 }));
    }
    const scan = { tree: new Map<string, Entry>(), bytes: 0, left: MAX_FILES };
    this.#scan('', scan);
    if (this.#secrets.size > 0) this.#warn(secretsWarning([...this.#secrets]));
    const entries = [...scan.tree].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify(entries);
    const id = createHash('sha256').update(text).digest('hex');
    this.#write(this.#treeFile(id), text);
    return id;
  }

  /** Writes a whole file or nothing, so that a file always has the content that its name promises. */
  #write(file: string, data: string | Buffer, mode = 0o600): void {
    const draft = path.join(this.#folder, 'draft');
    guarded(file, () => {
      rmSync(draft, { force: true });
      writeFileSync(draft, data, { mode });
      renameSync(draft, file);
    });
  }

  async difference(from: string, to: string): Promise<Difference> {
    const files = this.#changed(from, to);
    if (files.length === 0) return { digest: null, files };
    const hash = createHash('sha256');
    for (const { path: file, from: before, to: after } of files) {
      hash.update(this.#fileDiff(file, before, after).replaceAll(/^@@ .*$/gmu, ''));
      if (!before?.copied || !after?.copied) hash.update(`${file}\0${before?.content}\0${after?.content}\n`);
    }
    return { digest: hash.digest('hex'), files: files.map(({ path, change }) => ({ path, change })) };
  }

  async diff(from: string, to: string, context?: 'whole'): Promise<string> {
    let text = '';
    for (const { path: file, from: before, to: after } of this.#changed(from, to)) {
      text += this.#fileDiff(file, before, after, context).slice(0, MAX_FILE_DIFF_CHARACTERS);
      if (text.length > MAX_DIFF_CHARACTERS) break;
    }
    return text;
  }

  async same(from: string, to: string): Promise<boolean> {
    return treeId(from) === treeId(to);
  }

  /** Nothing to do, because the copies move with the folder of the loop. */
  async archive(): Promise<void> {}

  /** Nothing to do, because the copies are removed with the folder of the loop. */
  async expire(): Promise<void> {}

  howToGoBack(id: string): string {
    const [name = ''] = id.split(':');
    return `cp -R ${path.relative(this.#root, this.#shown(name))}/. .`;
  }

  #scan(folder: string, scan: { tree: Tree; bytes: number; left: number }): void {
    for (const item of listed(path.join(this.#root, folder))) {
      const file = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory() && !NOT_COPIED.has(item.name) && file !== '.claude/fixes') this.#scan(file, scan);
      if (!item.isFile()) continue;
      if (scan.left-- <= 0) {
        this.#warn(`More than ${MAX_FILES} files: the others are neither kept nor compared.`);
        return;
      }
      const entry = this.#entry(file, scan.bytes);
      if (entry === undefined) continue;
      scan.tree.set(file, entry.entry);
      scan.bytes += entry.entry.copied ? entry.size : 0;
    }
  }

  #entry(file: string, bytes: number): Seen | undefined {
    const full = path.join(this.#root, file);
    const stats = lstatSync(full, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { size, mtimeMs } = stats;
    const known = this.#seen.get(file);
    if (known?.size === size && known.mtimeMs === mtimeMs) return known;
    const seen = { size, mtimeMs, entry: this.#kept(file, stats, bytes) };
    this.#seen.set(file, seen);
    return seen;
  }

  #kept(file: string, { size, mtimeMs, mode }: Stats, bytes: number): Entry {
    const full = path.join(this.#root, file);
    if (isSecretFile(file) || isKeyFile(full, size)) {
      this.#secrets.add(file);
      return notCopied(size, mtimeMs);
    }
    if (size > MAX_FILE_BYTES || bytes + size > MAX_TOTAL_BYTES) return notCopied(size, mtimeMs);
    try {
      const bytes = readBytes(full, { maxBytes: MAX_FILE_BYTES, links: 'refused' });
      const hash = createHash('sha256').update(bytes).digest('hex');
      const content = (mode & 0o100) === 0 ? hash : `${hash}-x`;
      const object = this.#object(content);
      if (!existsSync(object)) this.#write(object, bytes, mode);
      return { content, copied: true };
    } catch {
      this.#warn(`Not kept, for it could not be read or copied: ${file}.`);
      return notCopied(size, mtimeMs);
    }
  }

  #changed(from: string, to: string): (FileChanged & { from: Entry | undefined; to: Entry | undefined })[] {
    const [before, after] = [this.#tree(from), this.#tree(to)];
    const names = [...new Set([...before.keys(), ...after.keys()])].sort();
    return names.flatMap((name) => {
      const [earlier, later] = [before.get(name), after.get(name)];
      if (earlier?.content === later?.content) return [];
      const change = earlier === undefined ? 'added' : later === undefined ? 'deleted' : 'modified';
      return [{ path: name, change, from: earlier, to: later }];
    });
  }

  #fileDiff(file: string, from: Entry | undefined, to: Entry | undefined, context?: 'whole'): string {
    if (from?.copied === false || to?.copied === false) return `Binary files a/${file} and b/${file} differ\n`;
    return textDiff(file, this.#text(from), this.#text(to), context);
  }

  #text(entry: Entry | undefined): string | undefined {
    return entry === undefined
      ? undefined
      : readText(this.#object(entry.content), { maxBytes: MAX_FILE_BYTES, links: 'refused' });
  }

  #tree(id: string): Tree {
    try {
      const entries: [string, Entry][] = JSON.parse(
        readText(this.#treeFile(treeId(id)), { maxBytes: MAX_TREE_BYTES, links: 'refused' }),
      );
      return new Map(entries);
    } catch (thrown) {
      throw systemCodeOf(thrown) === 'ENOENT' ? snapshotGone(thrown) : thrown;
    }
  }

  /** Returns the folder of a snapshot that people see. */
  #shown(name: string): string {
    return path.join(this.#folder, HIDDEN_FROM_RUNNERS, name);
  }

  #object(content: string): string {
    return path.join(this.#folder, 'objects', content);
  }

  #treeFile(id: string): string {
    return path.join(this.#folder, 'trees', `${id}.json`);
  }

  #warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }
}

/** Removes the name before the id of a named snapshot. */
function treeId(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

function notCopied(size: number, mtimeMs: number): Entry {
  return { content: `size ${size}, changed ${mtimeMs}`, copied: false };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
