/**
 * Snapshots as commits under `refs/argus/fixes`, made with an index of their own. The repository's index, work tree,
 * HEAD and branches do not change, no hook or filter runs, and nothing is signed.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ArgusError, messageOf } from '../../errors.ts';
import { Git, type GitArgs } from '../../git/git.ts';
import { repositoryOf } from '../../git/repository.ts';
import { quoted } from '../../system/words.ts';
import { removeRefs, snapshotFolder, snapshotGone, snapshotRefs } from './refs.ts';
import type { Difference, FileChanged, Snapshots } from './snapshots.ts';
import { MAX_DIFF_CHARACTERS, MAX_FILE_DIFF_CHARACTERS } from './text-diff.ts';
import { WorkTree } from './work-tree.ts';

/**
 * The first snapshot of a large tree, and any snapshot on a busy machine, takes long. Nothing runs without a snapshot.
 */
const OPTIONS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };

/** Older versions lack options that are used here, and most systems no longer maintain them. */
const OLDEST: Version = [2, 31];

/** Since this version, git can be told to ignore attributes, which may name filters and convert line ends. */
const KNOWS_ATTR_SOURCE: Version = [2, 41];

type Version = readonly [major: number, minor: number];

export class GitSnapshots implements Snapshots {
  readonly kind = 'git';
  readonly warnings: string[] = [];
  readonly #git: Git;
  readonly #workTree: WorkTree;
  readonly #refs: string;
  readonly #goBack: string;

  private constructor(git: Git, prefix: string, refs: string, goBack: string) {
    this.#git = git;
    this.#workTree = new WorkTree(git, prefix, (text) => this.#warn(text));
    this.#refs = refs;
    this.#goBack = goBack;
    if (existsSync(path.join(git.root, '.gitmodules'))) {
      this.#warn('Changes inside submodules are not seen until they are committed there; declare them as outside.');
    }
  }

  /**
   * Returns undefined outside a work tree and without git. Returns a text with the reason if the repository cannot be
   * used.
   */
  static async open(root: string, commandHash: string): Promise<GitSnapshots | string | undefined> {
    const repository = await repositoryOf(root);
    if (typeof repository !== 'object') return repository;
    const { top, prefix, commonFolder } = repository;
    const git = new Git(top, OPTIONS.timeoutMs);
    const version = versionOf((await git.run(['version'])).stdout);
    if (isOlder(version, OLDEST)) return `git ${version.join('.')} is older than ${OLDEST.join('.')}`;
    const attributes = existsSync(path.join(commonFolder, 'info', 'attributes'));
    const words = await goBackWords(git, version, attributes).catch((thrown) => {
      throw notKept(thrown);
    });
    const snapshots = new GitSnapshots(git, prefix, snapshotFolder(commandHash, repository), words);
    if (attributes || isOlder(version, KNOWS_ATTR_SOURCE)) snapshots.#warn(CONVERTED);
    return snapshots;
  }

  async take(name: string): Promise<string> {
    const commit = await this.now();
    await this.#text(['update-ref', `${this.#refs}/${name}`, commit]);
    return commit;
  }

  /** Makes a commit, so that a single id can be shown, compared and restored. */
  async now(): Promise<string> {
    try {
      return await this.#commit();
    } catch (thrown) {
      throw notKept(thrown);
    }
  }

  async #commit(): Promise<string> {
    const tree = await this.#workTree.tree();
    const head = await this.#text(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '');
    const parents = head === '' ? [] : ['-p', head];
    const env = Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap((role) => identity(role)));
    const args = [...parents, '-m', 'Work tree kept by argus fix-problem', tree];
    return this.#git.text(['commit-tree', ...args], { ...OPTIONS, env });
  }

  async difference(from: string, to: string): Promise<Difference> {
    const files = await this.#files(from, to).catch((thrown) => {
      throw /bad object|not a tree|unable to read/u.test(messageOf(thrown)) ? snapshotGone(thrown) : thrown;
    });
    return { digest: files.length === 0 ? null : await this.#digest(from, to), files };
  }

  async diff(from: string, to: string, context?: 'whole'): Promise<string> {
    let text = '';
    let file = 0;
    await this.#patch(from, to, context, (line) => {
      if (line.startsWith('diff --git ')) file = text.length;
      if (text.length - file < MAX_FILE_DIFF_CHARACTERS) text += `${line.slice(0, MAX_FILE_DIFF_CHARACTERS)}\n`;
      return text.length < MAX_DIFF_CHARACTERS;
    });
    return text;
  }

  async same(from: string, to: string): Promise<boolean> {
    const trees = await Promise.all([from, to].map((id) => this.#text(['rev-parse', `${id}^{tree}`])));
    return trees[0] === trees[1];
  }

  async archive(label: string): Promise<void> {
    for (const { id, name } of await snapshotRefs(this.#git, `${this.#refs}/`)) {
      const last = name.slice(this.#refs.length + 1);
      if (last.includes('/')) continue;
      await this.#text(['update-ref', `${this.#refs}/earlier-${label}/${last}`, id]);
      await this.#text(['update-ref', '-d', name]);
    }
  }

  /** Keeps the snapshots of this loop. */
  async expire(now: number): Promise<void> {
    const isOwn = (name: string) => name.startsWith(`${this.#refs}/`) && !name.startsWith(`${this.#refs}/earlier-`);
    try {
      const refs = await snapshotRefs(this.#git);
      const old = refs.filter((ref) => ref.isExpired(now) && !isOwn(ref.name));
      await removeRefs(this.#git, old);
    } catch (thrown) {
      this.#warn(`Old snapshots could not be removed: ${reasonOf(thrown)}`);
    }
  }

  howToGoBack(id: string): string {
    return `${this.#goBack} --source=${id} --worktree --overlay -- :/`;
  }

  #warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  async #files(from: string, to: string): Promise<FileChanged[]> {
    const compare = ['-r', '--no-renames', '-z', from, to];
    const [names, counts] = await Promise.all([
      this.#text(['diff-tree', '--name-status', ...compare]),
      this.#text(['diff-tree', '--numstat', ...compare]),
    ]);
    return readChanges(names, counts);
  }

  /** Hashes the added and removed lines without their numbers. */
  async #digest(from: string, to: string): Promise<string> {
    const hash = createHash('sha256');
    await this.#patch(from, to, undefined, (line) => {
      if (!/^(?:index |@@ )/u.test(line)) hash.update(`${line}\n`);
      return true;
    });
    return hash.digest('hex');
  }

  /** Passes the lines of a patch to `wanted` until it returns false. */
  async #patch(
    from: string,
    to: string,
    context: 'whole' | undefined,
    wanted: (line: string) => boolean,
  ): Promise<void> {
    const options = ['-r', '-p', '--no-renames', '--full-index', '--binary', '--no-color'] as const;
    const lines = context === undefined ? [] : (['-U1000000'] as const);
    await this.#git.eachLine(['diff-tree', ...options, ...lines, from, to], wanted, { timeoutMs: OPTIONS.timeoutMs });
  }

  #text(args: GitArgs): Promise<string> {
    return this.#git.text(args, OPTIONS);
  }
}

function identity(role: string): [string, string][] {
  return [
    [`GIT_${role}_NAME`, 'Argus'],
    [`GIT_${role}_EMAIL`, 'argus@localhost'],
  ];
}

const CONVERTED =
  'Going back converts line ends and the like where attributes ask for it: this git cannot be told otherwise.';

function versionOf(said: string): Version {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/u.exec(said)?.map(Number) ?? [];
  return [major, minor];
}

function isOlder([major, minor]: Version, [leastMajor, leastMinor]: Version): boolean {
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

/**
 * Returns the command that restores files byte for byte. Git 2.41 and later can ignore the attributes in the work tree.
 * Filters are switched off if attributes may still apply. `attributes` is true if there are attributes outside the work
 * tree.
 */
async function goBackWords(git: Git, version: Version, attributes: boolean): Promise<string> {
  const isTold = !isOlder(version, KNOWS_ATTR_SOURCE);
  const emptyTree = await git.text(['hash-object', '-t', 'tree', '--stdin'], { stdin: '' });
  const filters = isTold && !attributes ? [] : await git.driverSettings();
  const plain = ['-c', 'core.autocrlf=false', '-c', 'core.attributesFile=', ...filters.map((word) => quoted(word))];
  return ['git', ...(isTold ? [`--attr-source=${emptyTree}`] : []), ...plain, 'restore'].join(' ');
}

function notKept(thrown: unknown): ArgusError {
  const message = `The work tree could not be kept with git: ${reasonOf(thrown)} Nothing is run without that. Make room or repair the repository, then call again.`;
  return new ArgusError('STATE_NOT_WRITTEN', message, { cause: thrown });
}

function reasonOf(thrown: unknown): string {
  return messageOf(thrown).replace(/[.]?$/u, '.');
}

/** Parses the outputs of `--name-status -z` and `--numstat -z`. */
export function readChanges(nameStatus: string, numstat: string): FileChanged[] {
  const counts = new Map(
    numstat.split('\0').flatMap((entry) => {
      const [added, removed, file] = entry.split('\t');
      return file === undefined ? [] : [[file, added === '-' ? 'binary' : `+${added} -${removed}`]];
    }),
  );
  const fields = nameStatus.split('\0');
  const changes: FileChanged[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const file = fields[at + 1] ?? '';
    const kind = KINDS[fields[at] ?? ''] ?? 'changed';
    changes.push({ path: file, change: `${kind} (${counts.get(file) ?? '?'})` });
  }
  return changes;
}

const KINDS: Readonly<Record<string, string>> = { A: 'added', D: 'deleted', M: 'modified', T: 'changed in kind' };
