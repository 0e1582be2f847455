/**
 * Selects the content of a snapshot of a git work tree: all files that git tracks or could add, as they are on disk,
 * but no files with secrets, and not too much data that git does not have yet. raw-tree.ts writes the objects.
 */

import { type BigIntStats, lstatSync } from 'node:fs';
import { type Git, runGit } from '../../git/git.ts';
import { EXCLUDE_ARGUS_FILES } from '../../git/settings.ts';
import { isPrivateKeyFile, isSecretFile } from '../../system/files/secret-files.ts';
import { io } from '../../system/io.ts';
import { type TreeFile, toPath, toReadableName, writeTree } from './raw-tree.ts';
import { formatNotSavedWarning, formatSecretsWarning } from './snapshots.ts';

/** Larger untracked files are data sets or builds, which would make the repository much larger. */
const MAX_NEW_BYTES = 50 * 1024 * 1024;

/** Limit for untracked files outside of the project, because the repository may be a user's home folder. */
const MAX_OUTSIDE_BYTES = 200 * 1024 * 1024;
const MAX_OUTSIDE_FILES = 20_000;

/** Filters such as Git LFS keep content out of the repository, where the content would need much more space. */
const MAX_FILTERED_BYTES = 200 * 1024 * 1024;

const LISTING_OPTIONS = { encoding: 'latin1', timeoutMs: 120_000, maxBytes: 256 * 1024 * 1024 } as const;

/** If a file changes within this time after it was read, its times may stay the same. */
const RACY_MS = 2_000;

interface TrackedFile {
  mode: string;
  oid: string;
  /** True if a sparse work tree leaves the file out. */
  skipped: boolean;
  /** True if the user told git to assume that the file is unchanged. */
  assumed: boolean;
}

/** Facts that git has about tracked files. To get them, git reads only files whose times changed. */
interface TrackedFileFacts {
  /** Files that differ from the index, or that may differ. */
  changed: ReadonlySet<string>;
  /** Files for which attributes name a filter. */
  filtered: ReadonlySet<string>;
  /** Files for which attributes name an encoding. */
  encoded: ReadonlySet<string>;
  /** Sizes of the contents in the index. */
  sizes: ReadonlyMap<string, string>;
}

/** A file on disk that may become part of the tree. */
interface Candidate extends TreeFile {
  stats: BigIntStats | null;
}

interface HashedFile {
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  ino: bigint;
  oid: string;
}

/** Hashes of files by work tree, so that this process does not read a file twice. */
const hashedFilesByWorkTree = new Map<string, Map<string, HashedFile>>();

export class WorkTree {
  readonly #git: Git;
  /** Path of the project in the repository, with `/` at its end. Empty if the project is the repository itself. */
  readonly #prefix: string;
  readonly #warn: (text: string) => void;
  readonly #seen: Map<string, HashedFile>;

  constructor(git: Git, prefix: string, warn: (text: string) => void) {
    this.#git = git;
    this.#prefix = Buffer.from(prefix).toString('latin1');
    this.#warn = warn;
    this.#seen = hashedFilesByWorkTree.get(git.root) ?? new Map();
    hashedFilesByWorkTree.set(git.root, this.#seen);
  }

  /** Writes a tree object with the current work tree. Returns its id. */
  async writeTree(): Promise<string> {
    try {
      return await this.#write();
    } catch (thrown) {
      // Git may have removed an object of a file that was hashed before.
      if (this.#seen.size === 0) throw thrown;
      this.#seen.clear();
      return this.#write();
    }
  }

  async #write(): Promise<string> {
    const tracked = await this.#listTracked();
    const linked = new Map<string, boolean>();
    const onDisk = [...tracked].flatMap(([name, entry]) => this.#createCandidate(name, entry, linked));
    const known = await this.#readGitKnowledge(onDisk, tracked);
    const intentToAdd = onDisk.filter((file) => isIntentToAdd(file, known));
    const kept = this.#removeTooLarge(onDisk, known).filter((file) => !intentToAdd.includes(file));
    const found = [
      ...kept.map((file) => reuseIndexId(file, known, tracked)),
      ...(await this.#listUntracked(intentToAdd)),
    ];
    const files: Candidate[] = [];
    // Run one after another, because there may be any number of nested repositories.
    for (const file of found)
      files.push(...(file.mode === '160000' ? await this.#resolveNestedRepository(file) : [file]));
    const since = io().now();
    const remembered = files.map((file) => this.#reuseKnownHash(file));
    const partial = files.some(({ stats }) => stats === null);
    const { tree, oids, unreadable } = await writeTree(this.#git, remembered, partial);
    this.#storeHashes(files, oids, since);
    for (const { name, reason } of unreadable) {
      this.#warn(`Some files are not in the snapshot: ${toReadableName(name)}: ${reason.replace(/^\w+: /u, '')}`);
    }
    return tree;
  }

  async #listTracked(): Promise<Map<string, TrackedFile>> {
    const listed = await this.#git.readText(
      ['ls-files', '-z', '--stage', '-v', '--cached', '--', ':(top)', ...EXCLUDE_ARGUS_FILES],
      LISTING_OPTIONS,
    );
    const tracked = new Map<string, TrackedFile>();
    for (const row of listed.split('\0')) {
      const [, tag, mode, oid, name] = /^(\w) (\d+) ([0-9a-f]+) \d\t(.+)$/su.exec(row) ?? [];
      // During a merge, a name has several entries. The file on disk counts.
      if (!tag || !mode || !oid || !name || tracked.has(name)) continue;
      tracked.set(name, { mode, oid, skipped: /s/iu.test(tag), assumed: /[a-z]/u.test(tag) });
    }
    return tracked;
  }

  #createCandidate(name: string, { mode, oid, skipped }: TrackedFile, linked: Map<string, boolean>): Candidate[] {
    const stats = this.#isBeyondLink(name, linked) ? null : this.#readStats(name);
    if (stats === null) return skipped ? [{ name, mode, oid, stats }] : [];
    if (stats.isDirectory()) return mode === '160000' ? [{ name, mode, oid, stats }] : [];
    return this.#createDiskCandidate(name, stats, mode);
  }

  /** True if a parent folder is now a link, because the files behind the link do not belong to the project. */
  #isBeyondLink(name: string, linked: Map<string, boolean>): boolean {
    const slash = name.lastIndexOf('/');
    if (slash < 0) return false;
    const folder = name.slice(0, slash);
    const known = linked.get(folder);
    if (known !== undefined) return known;
    const isLink = this.#isBeyondLink(folder, linked) || this.#readStats(folder)?.isSymbolicLink() === true;
    linked.set(folder, isLink);
    return isLink;
  }

  /**
   * Returns a file or link on disk. Windows has no executable bit and usually no links, so there the mode in git
   * counts.
   */
  #createDiskCandidate(name: string, stats: BigIntStats, knownMode: string | undefined): Candidate[] {
    if (stats.isSymbolicLink()) return [{ name, mode: '120000', oid: null, stats }];
    if (!stats.isFile()) return [];
    const isExecutable = (stats.mode & 0o100n) !== 0n;
    const seen = isExecutable ? '100755' : '100644';
    const mode = process.platform === 'win32' && knownMode !== undefined && knownMode !== '160000' ? knownMode : seen;
    return [{ name, mode, oid: null, stats }];
  }

  async #readGitKnowledge(
    files: readonly Candidate[],
    tracked: ReadonlyMap<string, TrackedFile>,
  ): Promise<TrackedFileFacts> {
    const names = files.filter(({ oid }) => oid === null).map(({ name }) => name);
    if (names.length === 0) return { changed: new Set(), filtered: new Set(), encoded: new Set(), sizes: new Map() };
    const ids = names.map((name) => `${tracked.get(name)?.oid ?? ''}\n`).join('');
    const stdin = Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
    const [changed, attributes, sizes] = await Promise.all([
      this.#git.readText(['diff-files', '--name-only', '-z'], LISTING_OPTIONS),
      this.#git.readText(['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding'], {
        ...LISTING_OPTIONS,
        stdin,
      }),
      this.#git.readText(['cat-file', '--batch-check=%(objectsize)'], { ...LISTING_OPTIONS, stdin: ids }),
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
  #removeTooLarge(files: readonly Candidate[], { filtered, sizes }: TrackedFileFacts): Candidate[] {
    const filteredFiles = files.filter(({ name, stats }) => stats?.isFile() && filtered.has(name));
    const bytes = filteredFiles.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n);
    const skipped = new Set(bytes > MAX_FILTERED_BYTES ? filteredFiles : []);
    if (skipped.size > 0)
      this.#warnNotSaved('a filter such as Git LFS stores them, and they are too large', [...skipped]);
    // If a large file has the same size as its content in git, it is assumed to be unchanged. If it changed
    // nevertheless, it is stored.
    const isUnknown = (file: Candidate) => isLarge(file) && sizes.get(file.name) !== String(file.stats?.size);
    const unknown = new Set(files.filter((file) => !skipped.has(file) && isUnknown(file)));
    if (unknown.size > 0) this.#warnNotSaved('they are larger than 50 MiB and not in git', [...unknown]);
    return files.filter((file) => !skipped.has(file) && !unknown.has(file));
  }

  /**
   * Returns the untracked files to store. `intentToAdd` are files that were added with --intent-to-add: git lists them
   * as tracked, but has no content of them.
   */
  async #listUntracked(intentToAdd: readonly Candidate[]): Promise<Candidate[]> {
    const asked = ['-z', '--others', '--exclude-standard', '--', ':(top)', ...EXCLUDE_ARGUS_FILES];
    const names = (await this.#git.readText(['ls-files', ...asked], LISTING_OPTIONS)).split('\0').filter(Boolean);
    const all = [...intentToAdd, ...names.flatMap((name) => this.#createUntrackedCandidate(name))];
    const secret = new Set(all.filter((file) => this.#isSecret(file)));
    if (secret.size > 0) this.#warn(formatSecretsWarning([...secret].map(getReadableName)));
    const open = all.filter((file) => !secret.has(file));
    const large = open.filter(isLarge);
    if (large.length > 0) this.#warnNotSaved('they are larger than 50 MiB and not in git', large);
    return this.#removeOutsideIfTooMany(open.filter((file) => !isLarge(file)));
  }

  /** Returns an untracked file. Git lists a nested repository as a folder. */
  #createUntrackedCandidate(name: string): Candidate[] {
    const stats = this.#readStats(name);
    if (stats === null) return [];
    if (stats.isDirectory()) return [{ name: name.replace(/\/$/u, ''), mode: '160000', oid: null, stats }];
    return this.#createDiskCandidate(name, stats, undefined);
  }

  #removeOutsideIfTooMany(files: readonly Candidate[]): Candidate[] {
    const outside = files.filter(({ name }) => !name.startsWith(this.#prefix));
    const bytes = outside.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n);
    if (outside.length <= MAX_OUTSIDE_FILES && bytes <= MAX_OUTSIDE_BYTES) return [...files];
    const where = toReadableName(this.#prefix);
    this.#warn(`Untracked files outside ${where} are not saved in snapshots, because there are too many.`);
    return files.filter(({ name }) => name.startsWith(this.#prefix));
  }

  #isSecret({ name, mode, stats }: Candidate): boolean {
    if (mode === '160000') return false;
    if (isSecretFile(toReadableName(name))) return true;
    return stats?.isFile() === true && isPrivateKeyFile(toPath(this.#git.root, name), Number(stats.size));
  }

  /**
   * Replaces a nested repository by its current commit. Returns an empty list if it has no commit or is not a
   * repository.
   */
  async #resolveNestedRepository(file: Candidate): Promise<Candidate[]> {
    if (file.stats === null) return [file];
    const inside = toPath(this.#git.root, file.name).toString();
    const { stdout, problem } = await runGit(inside, ['rev-parse', '--show-prefix', 'HEAD^{commit}']);
    const [prefix, head = ''] = stdout.split('\n');
    const oid = problem === null && prefix === '' ? head : file.oid;
    return oid === null ? [] : [{ ...file, oid }];
  }

  #reuseKnownHash(file: Candidate): TreeFile {
    const seen = file.oid === null ? this.#seen.get(file.name) : undefined;
    if (seen === undefined || file.stats === null) return file;
    const isSame = (['size', 'mtimeNs', 'ctimeNs', 'ino'] as const).every(
      (field) => file.stats?.[field] === seen[field],
    );
    return isSame ? { ...file, oid: seen.oid } : file;
  }

  #storeHashes(files: readonly Candidate[], oids: ReadonlyMap<string, string>, since: number): void {
    for (const { name, stats } of files) {
      const oid = oids.get(name);
      if (oid === undefined || stats === null) continue;
      const { size, mtimeNs, ctimeNs, ino, ctimeMs } = stats;
      if (Number(ctimeMs) < since - RACY_MS) this.#seen.set(name, { size, mtimeNs, ctimeNs, ino, oid });
    }
  }

  #readStats(name: string): BigIntStats | null {
    return lstatSync(toPath(this.#git.root, name), { bigint: true, throwIfNoEntry: false }) ?? null;
  }

  #warnNotSaved(why: string, files: readonly Candidate[]): void {
    this.#warn(formatNotSavedWarning(why, files.map(getReadableName)));
  }
}

/** True for a file that was added with `git add --intent-to-add`: its content in the index is empty. */
function isIntentToAdd({ name, stats }: Candidate, { sizes }: TrackedFileFacts): boolean {
  return stats?.isFile() === true && stats.size > 0n && sizes.get(name) === '0';
}

/**
 * Uses the id in the index for an unchanged file without conversions, so that the file is not read. A conversion of
 * line endings or keywords would change the size.
 */
function reuseIndexId(file: Candidate, known: TrackedFileFacts, tracked: ReadonlyMap<string, TrackedFile>): Candidate {
  const { name, stats } = file;
  const isSame = known.sizes.get(name) === String(stats?.size) && !known.changed.has(name);
  const isPlain = !known.filtered.has(name) && !known.encoded.has(name);
  return file.oid === null && isSame && isPlain ? { ...file, oid: tracked.get(name)?.oid ?? null } : file;
}

/** Parses the output of `check-attr -z`: name, attribute, value. */
function readAttributes(output: string): Pick<TrackedFileFacts, 'filtered' | 'encoded'> {
  const [filtered, encoded] = [new Set<string>(), new Set<string>()];
  const fields = output.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = '', attribute, value = ''] = fields.slice(at, at + 3);
    if (['unspecified', 'unset', 'set'].includes(value)) continue;
    (attribute === 'filter' ? filtered : encoded).add(name);
  }
  return { filtered, encoded };
}

function getReadableName({ name }: Candidate): string {
  return toReadableName(name);
}

function isLarge({ stats }: Candidate): boolean {
  return stats?.isFile() === true && stats.size > MAX_NEW_BYTES;
}
