/**
 * Chooses the content of a snapshot of a git work tree: all files that git tracks or could add, as they are on the
 * disk, but no secrets, and not too much data that git does not have yet. raw-tree.ts writes the objects.
 */

import { type BigIntStats, lstatSync } from 'node:fs';
import { type Git, runGit } from '../../git/git.ts';
import { NOT_OURS } from '../../git/settings.ts';
import { isKeyFile, isSecretFile } from '../../system/files/secret-files.ts';
import { io } from '../../system/io.ts';
import { notKeptWarning, secretsWarning } from './not-kept.ts';
import { pathOf, shownName, type TreeFile, writeTree } from './raw-tree.ts';

/** Larger untracked files are data sets or builds, which would fill the repository. */
const MAX_NEW_BYTES = 50 * 1024 * 1024;

/** A repository around the project may be a user's home folder, so untracked files outside the project have a limit. */
const MAX_SURROUNDINGS_BYTES = 200 * 1024 * 1024;
const MAX_SURROUNDINGS_FILES = 20_000;

/** Filters such as Git LFS keep content out of the repository. In the repository it would need far more space. */
const MAX_FILTERED_BYTES = 200 * 1024 * 1024;

const LISTING = { encoding: 'latin1', timeoutMs: 120_000, maxBytes: 256 * 1024 * 1024 } as const;

/** A file that changes within this time after it was read may keep the same times. */
const RACY_MS = 2_000;

interface Tracked {
  mode: string;
  oid: string;
  /** True if a sparse work tree leaves the file out. */
  skipped: boolean;
  /** True if git was told to assume that the file is unchanged. */
  assumed: boolean;
}

/** What git knows about tracked files. Git reads only files whose times changed. */
interface Known {
  /** Files that differ from the index, or that may differ. */
  changed: ReadonlySet<string>;
  /** Files for which attributes name a filter. */
  filtered: ReadonlySet<string>;
  /** Files for which attributes name an encoding. */
  encoded: ReadonlySet<string>;
  /** Sizes of the contents in the index. */
  sizes: ReadonlyMap<string, string>;
}

/** A file on the disk that may become part of the tree. */
interface Candidate extends TreeFile {
  stats: BigIntStats | null;
}

interface Seen {
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  ino: bigint;
  oid: string;
}

/** Hashes of files by work tree, so that this process does not read a file twice. */
const seenIn = new Map<string, Map<string, Seen>>();

export class WorkTree {
  readonly #git: Git;
  /** Path of the project in the repository, with `/` at its end. Empty if the project is the whole repository. */
  readonly #prefix: string;
  readonly #warn: (text: string) => void;
  readonly #seen: Map<string, Seen>;

  constructor(git: Git, prefix: string, warn: (text: string) => void) {
    this.#git = git;
    this.#prefix = Buffer.from(prefix).toString('latin1');
    this.#warn = warn;
    this.#seen = seenIn.get(git.root) ?? new Map();
    seenIn.set(git.root, this.#seen);
  }

  /** Returns the id of a tree object with the current work tree. */
  async tree(): Promise<string> {
    try {
      return await this.#write();
    } catch (thrown) {
      // Git may have removed an object that was hashed before.
      if (this.#seen.size === 0) throw thrown;
      this.#seen.clear();
      return this.#write();
    }
  }

  async #write(): Promise<string> {
    const tracked = await this.#tracked();
    const linked = new Map<string, boolean>();
    const onDisk = [...tracked].flatMap(([name, entry]) => this.#trackedFile(name, entry, linked));
    const known = await this.#known(onDisk, tracked);
    const announced = onDisk.filter((file) => isAnnounced(file, known));
    const kept = this.#withoutHeavy(onDisk, known).filter((file) => !announced.includes(file));
    const found = [...kept.map((file) => withKnownId(file, known, tracked)), ...(await this.#untracked(announced))];
    const files: Candidate[] = [];
    // Run one after another, because there may be any number of nested repositories.
    for (const file of found) files.push(...(file.mode === '160000' ? await this.#withHead(file) : [file]));
    const since = io().now();
    const remembered = files.map((file) => this.#remembered(file));
    const partial = files.some(({ stats }) => stats === null);
    const { tree, oids, unreadable } = await writeTree(this.#git, remembered, partial);
    this.#remember(files, oids, since);
    for (const { name, reason } of unreadable) {
      this.#warn(`Some files are not in the snapshot: ${shownName(name)}: ${reason.replace(/^\w+: /u, '')}`);
    }
    return tree;
  }

  async #tracked(): Promise<Map<string, Tracked>> {
    const listed = await this.#git.text(
      ['ls-files', '-z', '--stage', '-v', '--cached', '--', ':(top)', ...NOT_OURS],
      LISTING,
    );
    const tracked = new Map<string, Tracked>();
    for (const row of listed.split('\0')) {
      const [, tag, mode, oid, name] = /^(\w) (\d+) ([0-9a-f]+) \d\t(.+)$/su.exec(row) ?? [];
      // During a merge, a name has several entries. The file on the disk counts.
      if (!tag || !mode || !oid || !name || tracked.has(name)) continue;
      tracked.set(name, { mode, oid, skipped: /s/iu.test(tag), assumed: /[a-z]/u.test(tag) });
    }
    return tracked;
  }

  #trackedFile(name: string, { mode, oid, skipped }: Tracked, linked: Map<string, boolean>): Candidate[] {
    const stats = this.#isBeyondLink(name, linked) ? null : this.#statsOf(name);
    if (stats === null) return skipped ? [{ name, mode, oid, stats }] : [];
    if (stats.isDirectory()) return mode === '160000' ? [{ name, mode, oid, stats }] : [];
    return this.#onDisk(name, stats, mode);
  }

  /** True if a parent folder is a link now, because files behind it do not belong to the project. */
  #isBeyondLink(name: string, linked: Map<string, boolean>): boolean {
    const slash = name.lastIndexOf('/');
    if (slash < 0) return false;
    const folder = name.slice(0, slash);
    const known = linked.get(folder);
    if (known !== undefined) return known;
    const isLink = this.#isBeyondLink(folder, linked) || this.#statsOf(folder)?.isSymbolicLink() === true;
    linked.set(folder, isLink);
    return isLink;
  }

  /** Windows has no executable bit and usually no links, so there git's mode counts. */
  #onDisk(name: string, stats: BigIntStats, known: string | undefined): Candidate[] {
    if (stats.isSymbolicLink()) return [{ name, mode: '120000', oid: null, stats }];
    if (!stats.isFile()) return [];
    const isProgram = (stats.mode & 0o100n) !== 0n;
    const seen = isProgram ? '100755' : '100644';
    const mode = process.platform === 'win32' && known !== undefined && known !== '160000' ? known : seen;
    return [{ name, mode, oid: null, stats }];
  }

  async #known(files: readonly Candidate[], tracked: ReadonlyMap<string, Tracked>): Promise<Known> {
    const names = files.filter(({ oid }) => oid === null).map(({ name }) => name);
    if (names.length === 0) return { changed: new Set(), filtered: new Set(), encoded: new Set(), sizes: new Map() };
    const ids = names.map((name) => `${tracked.get(name)?.oid ?? ''}\n`).join('');
    const stdin = Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
    const [changed, attributes, sizes] = await Promise.all([
      this.#git.text(['diff-files', '--name-only', '-z'], LISTING),
      this.#git.text(['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding'], { ...LISTING, stdin }),
      this.#git.text(['cat-file', '--batch-check=%(objectsize)'], { ...LISTING, stdin: ids }),
    ]);
    const rows = sizes.split('\n');
    const assumed = [...tracked].filter(([, entry]) => entry.assumed).map(([name]) => name);
    return {
      changed: new Set([...changed.split('\0'), ...assumed]),
      ...readAttributes(attributes),
      sizes: new Map(names.map((name, index) => [name, rows[index] ?? ''])),
    };
  }

  /** Leaves out files that git does not have and that are too large for the repository. */
  #withoutHeavy(files: readonly Candidate[], { filtered, sizes }: Known): Candidate[] {
    const behind = files.filter(({ name, stats }) => stats?.isFile() && filtered.has(name));
    const bytes = behind.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n);
    const left = new Set(bytes > MAX_FILTERED_BYTES ? behind : []);
    if (left.size > 0) this.#notKept('they are kept by a filter, such as that of Git LFS, and too much', [...left]);
    // A large file with the size of its content in git is assumed to be that content. If it differs, it is kept anyway.
    const isUnknown = (file: Candidate) => isLarge(file) && sizes.get(file.name) !== String(file.stats?.size);
    const unknown = new Set(files.filter((file) => !left.has(file) && isUnknown(file)));
    if (unknown.size > 0) this.#notKept('they are larger than 50 MiB and unknown to git', [...unknown]);
    return files.filter((file) => !left.has(file) && !unknown.has(file));
  }

  /** Returns the untracked files to keep. `announced` are files that git lists as tracked but does not have. */
  async #untracked(announced: readonly Candidate[]): Promise<Candidate[]> {
    const asked = ['-z', '--others', '--exclude-standard', '--', ':(top)', ...NOT_OURS];
    const names = (await this.#git.text(['ls-files', ...asked], LISTING)).split('\0').filter(Boolean);
    const all = [...announced, ...names.flatMap((name) => this.#untrackedFile(name))];
    const secret = new Set(all.filter((file) => this.#isSecret(file)));
    if (secret.size > 0) this.#warn(secretsWarning([...secret].map(nameOf)));
    const open = all.filter((file) => !secret.has(file));
    const large = open.filter(isLarge);
    if (large.length > 0) this.#notKept('they are larger than 50 MiB and unknown to git', large);
    return this.#withoutSurroundings(open.filter((file) => !isLarge(file)));
  }

  /** Git lists a nested repository as a folder. */
  #untrackedFile(name: string): Candidate[] {
    const stats = this.#statsOf(name);
    if (stats === null) return [];
    if (stats.isDirectory()) return [{ name: name.replace(/\/$/u, ''), mode: '160000', oid: null, stats }];
    return this.#onDisk(name, stats, undefined);
  }

  #withoutSurroundings(files: readonly Candidate[]): Candidate[] {
    const around = files.filter(({ name }) => !name.startsWith(this.#prefix));
    const bytes = around.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n);
    if (around.length <= MAX_SURROUNDINGS_FILES && bytes <= MAX_SURROUNDINGS_BYTES) return [...files];
    const where = shownName(this.#prefix);
    this.#warn(`Files around ${where} that git does not know are not kept in snapshots; there are too many.`);
    return files.filter(({ name }) => name.startsWith(this.#prefix));
  }

  #isSecret({ name, mode, stats }: Candidate): boolean {
    if (mode === '160000') return false;
    if (isSecretFile(shownName(name))) return true;
    return stats?.isFile() === true && isKeyFile(pathOf(this.#git.root, name), Number(stats.size));
  }

  /** Replaces a nested repository by its current commit. Returns nothing if it has no commit or is not a repository. */
  async #withHead(file: Candidate): Promise<Candidate[]> {
    if (file.stats === null) return [file];
    const inside = pathOf(this.#git.root, file.name).toString();
    const { stdout, problem } = await runGit(inside, ['rev-parse', '--show-prefix', 'HEAD^{commit}']);
    const [prefix, head = ''] = stdout.split('\n');
    const oid = problem === null && prefix === '' ? head : file.oid;
    return oid === null ? [] : [{ ...file, oid }];
  }

  #remembered(file: Candidate): TreeFile {
    const seen = file.oid === null ? this.#seen.get(file.name) : undefined;
    if (seen === undefined || file.stats === null) return file;
    const isSame = (['size', 'mtimeNs', 'ctimeNs', 'ino'] as const).every(
      (field) => file.stats?.[field] === seen[field],
    );
    return isSame ? { ...file, oid: seen.oid } : file;
  }

  #remember(files: readonly Candidate[], oids: ReadonlyMap<string, string>, since: number): void {
    for (const { name, stats } of files) {
      const oid = oids.get(name);
      if (oid === undefined || stats === null) continue;
      const { size, mtimeNs, ctimeNs, ino, ctimeMs } = stats;
      if (Number(ctimeMs) < since - RACY_MS) this.#seen.set(name, { size, mtimeNs, ctimeNs, ino, oid });
    }
  }

  #statsOf(name: string): BigIntStats | null {
    return lstatSync(pathOf(this.#git.root, name), { bigint: true, throwIfNoEntry: false }) ?? null;
  }

  #notKept(why: string, files: readonly Candidate[]): void {
    this.#warn(notKeptWarning(why, files.map(nameOf)));
  }
}

/** True for a file from `git add --intent-to-add`: its content in the index is empty. */
function isAnnounced({ name, stats }: Candidate, { sizes }: Known): boolean {
  return stats?.isFile() === true && stats.size > 0n && sizes.get(name) === '0';
}

/**
 * Uses the id in the index for an unchanged file without conversions, so that it is not read. A conversion of line ends
 * or keywords changes the size.
 */
function withKnownId(file: Candidate, known: Known, tracked: ReadonlyMap<string, Tracked>): Candidate {
  const { name, stats } = file;
  const isSame = known.sizes.get(name) === String(stats?.size) && !known.changed.has(name);
  const isPlain = !known.filtered.has(name) && !known.encoded.has(name);
  return file.oid === null && isSame && isPlain ? { ...file, oid: tracked.get(name)?.oid ?? null } : file;
}

/** Parses the output of `check-attr -z`: name, attribute, value. */
function readAttributes(said: string): Pick<Known, 'filtered' | 'encoded'> {
  const [filtered, encoded] = [new Set<string>(), new Set<string>()];
  const fields = said.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = '', attribute, value = ''] = fields.slice(at, at + 3);
    if (['unspecified', 'unset', 'set'].includes(value)) continue;
    (attribute === 'filter' ? filtered : encoded).add(name);
  }
  return { filtered, encoded };
}

function nameOf({ name }: Candidate): string {
  return shownName(name);
}

function isLarge({ stats }: Candidate): boolean {
  return stats?.isFile() === true && stats.size > MAX_NEW_BYTES;
}
