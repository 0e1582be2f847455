/**
 * What a snapshot of a git work tree holds: all that git tracks or would take, as it is on the disk, but no secrets and
 * not too much that git does not have yet.
 * Does not: write objects; `raw-tree.ts` does.
 */

import { type BigIntStats, lstatSync } from 'node:fs';
import { type Git, runGit } from '../git/git.ts';
import { isKeyFile, isSecretFile } from '../secret-files.ts';
import { notKeptWarning, secretsWarning } from './not-kept.ts';
import { pathOf, shownName, type TreeFile, writeTree } from './raw-tree.ts';

/** Larger files that git does not have are data sets and builds; keeping them would fill the repository. */
const MAX_NEW_BYTES = 50 * 1024 * 1024;

/** A repository around the project may be somebody's whole home: so much that git does not know is left out. */
const MAX_SURROUNDINGS_BYTES = 200 * 1024 * 1024;
const MAX_SURROUNDINGS_FILES = 20_000;

/** What filters such as that of Git LFS keep out of the repository; their content in it may be far larger. */
const MAX_FILTERED_BYTES = 200 * 1024 * 1024;

/** What Argus writes is no change of the project. */
const NOT_OURS = [':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];

const LISTING = { encoding: 'latin1', timeoutMs: 120_000, maxBytes: 256 * 1024 * 1024 } as const;

/** A file changed within this time after it was read may look as it did. */
const RACY_MS = 2_000;

interface Tracked {
  mode: string;
  oid: string;
  /** A sparse work tree leaves it out. */
  skipped: boolean;
}

/** A file on the disk, on its way into the tree. */
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

/** What was hashed once need not be read again; of the trees this process has seen. */
const seenIn = new Map<string, Map<string, Seen>>();

export class WorkTree {
  readonly #git: Git;
  /** The project in it, with `/` at its end; empty where it is the whole. */
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

  /** The id of a tree object with the work tree as it is now. */
  async tree(): Promise<string> {
    try {
      return await this.#write();
    } catch (thrown) {
      // What was hashed once may have been swept from the repository.
      if (this.#seen.size === 0) throw thrown;
      this.#seen.clear();
      return this.#write();
    }
  }

  async #write(): Promise<string> {
    const tracked = await this.#tracked();
    const known = [...tracked].flatMap(([name, entry]) => this.#trackedFile(name, entry));
    const found = [...(await this.#withoutHeavy(known, tracked)), ...(await this.#untracked())];
    const files = (await Promise.all(found.map((file) => this.#withHead(file)))).flat();
    const since = Date.now();
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
      ['ls-files', '-z', '--stage', '-t', '--cached', '--', ':(top)', ...NOT_OURS],
      LISTING,
    );
    const tracked = new Map<string, Tracked>();
    for (const row of listed.split('\0')) {
      const [, tag, mode, oid, name] = /^(\w) (\d+) ([0-9a-f]+) \d\t(.+)$/su.exec(row) ?? [];
      // Of a merge that waits there are several of a name; what lies on the disk is what is kept.
      if (mode && oid && name && !tracked.has(name)) tracked.set(name, { mode, oid, skipped: tag === 'S' });
    }
    return tracked;
  }

  #trackedFile(name: string, { mode, oid, skipped }: Tracked): Candidate[] {
    const stats = this.#statsOf(name);
    if (stats === null) return skipped ? [{ name, mode, oid, stats }] : [];
    if (stats.isDirectory()) return mode === '160000' ? [{ name, mode, oid, stats }] : [];
    return this.#onDisk(name, stats, mode);
  }

  /** Windows has neither programs nor, mostly, links: there it is as git says. */
  #onDisk(name: string, stats: BigIntStats, known: string | undefined): Candidate[] {
    if (stats.isSymbolicLink()) return [{ name, mode: '120000', oid: null, stats }];
    if (!stats.isFile()) return [];
    const isProgram = (stats.mode & 0o100n) !== 0n;
    const seen = isProgram ? '100755' : '100644';
    const mode = process.platform === 'win32' && known !== undefined && known !== '160000' ? known : seen;
    return [{ name, mode, oid: null, stats }];
  }

  /** Without what git does not hold and what is too large to be put into the repository. */
  async #withoutHeavy(files: readonly Candidate[], tracked: ReadonlyMap<string, Tracked>): Promise<Candidate[]> {
    const filtered = await this.#filtered(files);
    const bytes = filtered.reduce((sum, { stats }) => sum + (stats?.size ?? 0n), 0n);
    const behind = new Set(bytes > MAX_FILTERED_BYTES ? filtered : []);
    if (behind.size > 0) this.#notKept('they are kept by a filter, such as that of Git LFS, and too much', [...behind]);
    const large = files.filter((file) => !behind.has(file) && isLarge(file));
    const unknown = new Set(await this.#unknownToGit(large, tracked));
    if (unknown.size > 0) this.#notKept('they are larger than 50 MiB and unknown to git', [...unknown]);
    return files.filter((file) => !behind.has(file) && !unknown.has(file));
  }

  async #filtered(files: readonly Candidate[]): Promise<Candidate[]> {
    const onDisk = files.filter(({ stats }) => stats?.isFile());
    if (onDisk.length === 0 || !(await this.#git.hasFilters())) return [];
    const stdin = Buffer.from(onDisk.map(({ name }) => `${name}\0`).join(''), 'latin1');
    const said = await this.#git.text(['check-attr', '-z', '--stdin', 'filter'], { ...LISTING, stdin });
    // Name, attribute, value.
    const values = said.split('\0').filter((_, index) => index % 3 === 2);
    return onDisk.filter((_, index) => !['unspecified', 'unset', 'set', undefined].includes(values[index]));
  }

  /** A file of the size that git has for it is taken to be that one; if it is not, it is kept all the same. */
  async #unknownToGit(large: readonly Candidate[], tracked: ReadonlyMap<string, Tracked>): Promise<Candidate[]> {
    if (large.length === 0) return [];
    const stdin = large.map(({ name }) => `${tracked.get(name)?.oid ?? ''}\n`).join('');
    const said = (await this.#git.text(['cat-file', '--batch-check=%(objectsize)'], { ...LISTING, stdin })).split('\n');
    return large.filter(({ stats }, index) => said[index] !== String(stats?.size));
  }

  async #untracked(): Promise<Candidate[]> {
    const asked = ['-z', '--others', '--exclude-standard', '--', ':(top)', ...NOT_OURS];
    const names = (await this.#git.text(['ls-files', ...asked], LISTING)).split('\0').filter(Boolean);
    const all = names.flatMap((name) => this.#untrackedFile(name));
    const secret = new Set(all.filter((file) => this.#isSecret(file)));
    if (secret.size > 0) this.#warn(secretsWarning([...secret].map(nameOf)));
    const open = all.filter((file) => !secret.has(file));
    const large = open.filter(isLarge);
    if (large.length > 0) this.#notKept('they are larger than 50 MiB and unknown to git', large);
    return this.#withoutSurroundings(open.filter((file) => !isLarge(file)));
  }

  /** Another repository in this one is listed as a folder. */
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

  /** Of a repository in this one the commit that is checked out; none where it has none, or is none of its own. */
  async #withHead(file: Candidate): Promise<Candidate[]> {
    if (file.mode !== '160000' || file.stats === null) return [file];
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

function nameOf({ name }: Candidate): string {
  return shownName(name);
}

function isLarge({ stats }: Candidate): boolean {
  return stats?.isFile() === true && stats.size > MAX_NEW_BYTES;
}
