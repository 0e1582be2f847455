/**
 * Snapshots as commits under `refs/argus/fixes`, created with a separate index. The repository's index, work tree, HEAD
 * and branches do not change, no hook or filter runs, and nothing is signed.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { Git, type GitArgs } from '../../git/git.ts';
import { findRepository } from '../../git/repository.ts';
import { quoteArgument } from '../../system/command-line.ts';
import { PlainCopies } from './plain-copies.ts';
import { createSnapshotGoneError, getSnapshotRefPrefix, listSnapshotRefs, removeRefs } from './refs.ts';
import {
  type ChangedFile,
  type Difference,
  MAX_DIFF_CHARACTERS,
  MAX_FILE_DIFF_CHARACTERS,
  type Snapshots,
} from './snapshots.ts';
import { WorkTree } from './work-tree.ts';

/**
 * The first snapshot of a large tree takes long, and so does any snapshot on a busy machine. An attempt does not run
 * without a snapshot, so the time limit is generous.
 */
const GIT_OPTIONS = { timeoutMs: 120_000, maxBytes: 64 * 1024 * 1024 };

/** Older versions do not have all options that are used here, and most operating systems no longer maintain them. */
const OLDEST_VERSION: Version = [2, 31];

/** From this version on, git has an option to ignore attributes, which may name filters and convert line endings. */
const FIRST_VERSION_WITH_ATTR_SOURCE: Version = [2, 41];

type Version = readonly [major: number, minor: number];

class GitSnapshots implements Snapshots {
  readonly kind = 'git';
  readonly warnings: string[] = [];
  readonly #git: Git;
  readonly #workTree: WorkTree;
  readonly #refs: string;
  readonly #restoreCommand: string;

  private constructor(git: Git, prefix: string, refs: string, goBack: string) {
    this.#git = git;
    this.#workTree = new WorkTree(git, prefix, (text) => this.#warn(text));
    this.#refs = refs;
    this.#restoreCommand = goBack;
    if (existsSync(path.join(git.root, '.gitmodules'))) {
      this.#warn(
        'Argus does not see changes inside submodules until they are committed there; declare them as outside.',
      );
    }
  }

  /**
   * Returns undefined outside of a work tree and without git. Returns a text with the reason if the repository cannot
   * be used.
   */
  static async open(root: string, commandHash: string): Promise<GitSnapshots | string | undefined> {
    const repository = await findRepository(root);
    if (typeof repository !== 'object') return repository;
    const { top, prefix, commonFolder } = repository;
    const git = new Git(top, GIT_OPTIONS.timeoutMs);
    const version = parseVersion((await git.run(['version'])).stdout);
    if (isOlder(version, OLDEST_VERSION)) return `git ${version.join('.')} is older than ${OLDEST_VERSION.join('.')}`;
    const hasAttributes = existsSync(path.join(commonFolder, 'info', 'attributes'));
    const restoreCommand = await createRestoreCommand(git, version, hasAttributes).catch((thrown) => {
      throw createSaveError(thrown);
    });
    const snapshots = new GitSnapshots(git, prefix, getSnapshotRefPrefix(commandHash, repository), restoreCommand);
    if (hasAttributes || isOlder(version, FIRST_VERSION_WITH_ATTR_SOURCE)) snapshots.#warn(CONVERTED_LINES_WARNING);
    return snapshots;
  }

  async take(name: string): Promise<string> {
    const commit = await this.saveTemporarily();
    await this.#text(['update-ref', `${this.#refs}/${name}`, commit]);
    return commit;
  }

  /** Creates a commit, because a single id can then be shown, compared and restored. */
  async saveTemporarily(): Promise<string> {
    try {
      return await this.#commit();
    } catch (thrown) {
      throw createSaveError(thrown);
    }
  }

  async #commit(): Promise<string> {
    const tree = await this.#workTree.writeTree();
    const head = await this.#text(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '');
    const parents = head === '' ? [] : ['-p', head];
    const env = Object.fromEntries(['AUTHOR', 'COMMITTER'].flatMap((role) => createIdentity(role)));
    const args = [...parents, '-m', 'Work tree saved by argus fix-problem', tree];
    return this.#git.readText(['commit-tree', ...args], { ...GIT_OPTIONS, env });
  }

  async difference(from: string, to: string): Promise<Difference> {
    const files = await this.#files(from, to).catch((thrown) => {
      throw /bad object|not a tree|unable to read/u.test(getErrorMessage(thrown))
        ? createSnapshotGoneError(thrown)
        : thrown;
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

  async areEqual(from: string, to: string): Promise<boolean> {
    const trees = await Promise.all([from, to].map((id) => this.#text(['rev-parse', `${id}^{tree}`])));
    return trees[0] === trees[1];
  }

  async archive(label: string): Promise<void> {
    for (const { id, name } of await listSnapshotRefs(this.#git, `${this.#refs}/`)) {
      const last = name.slice(this.#refs.length + 1);
      if (last.includes('/')) continue;
      await this.#text(['update-ref', `${this.#refs}/earlier-${label}/${last}`, id]);
      await this.#text(['update-ref', '-d', name]);
    }
  }

  /** Removes old snapshots, but not those of this loop. */
  async removeExpired(now: number): Promise<void> {
    const isOwn = (name: string) => name.startsWith(`${this.#refs}/`) && !name.startsWith(`${this.#refs}/earlier-`);
    try {
      const refs = await listSnapshotRefs(this.#git);
      const old = refs.filter((ref) => ref.isExpired(now) && !isOwn(ref.name));
      await removeRefs(this.#git, old);
    } catch (thrown) {
      this.#warn(`Old snapshots could not be removed: ${formatReason(thrown)}`);
    }
  }

  createRestoreCommand(id: string): string {
    return `${this.#restoreCommand} --source=${id} --worktree --overlay -- :/`;
  }

  #warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  async #files(from: string, to: string): Promise<ChangedFile[]> {
    const compare = ['-r', '--no-renames', '-z', from, to];
    const [names, counts] = await Promise.all([
      this.#text(['diff-tree', '--name-status', ...compare]),
      this.#text(['diff-tree', '--numstat', ...compare]),
    ]);
    return readChanges(names, counts);
  }

  /** Hashes the added and removed lines without their line numbers. */
  async #digest(from: string, to: string): Promise<string> {
    const hash = createHash('sha256');
    await this.#patch(from, to, undefined, (line) => {
      if (!/^(?:index |@@ )/u.test(line)) hash.update(`${line}\n`);
      return true;
    });
    return hash.digest('hex');
  }

  /** Passes the lines of a patch to `takeLine` until it returns false. */
  async #patch(
    from: string,
    to: string,
    context: 'whole' | undefined,
    takeLine: (line: string) => boolean,
  ): Promise<void> {
    const options = ['-r', '-p', '--no-renames', '--full-index', '--binary', '--no-color'] as const;
    const lines = context === undefined ? [] : (['-U1000000'] as const);
    await this.#git.forEachLine(['diff-tree', ...options, ...lines, from, to], takeLine, {
      timeoutMs: GIT_OPTIONS.timeoutMs,
    });
  }

  #text(args: GitArgs): Promise<string> {
    return this.#git.readText(args, GIT_OPTIONS);
  }
}

function createIdentity(role: string): [string, string][] {
  return [
    [`GIT_${role}_NAME`, 'Argus'],
    [`GIT_${role}_EMAIL`, 'argus@localhost'],
  ];
}

const CONVERTED_LINES_WARNING =
  'Restoring files converts line endings if git attributes say so, because this version of git cannot disable it.';

function parseVersion(output: string): Version {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/u.exec(output)?.map(Number) ?? [];
  return [major, minor];
}

function isOlder([major, minor]: Version, [leastMajor, leastMinor]: Version): boolean {
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

/**
 * Returns the command that restores files byte for byte. Git 2.41 and later can ignore the attributes in the work tree.
 * If attributes may still apply, filters are disabled. `attributes` is true if there are attributes outside of the work
 * tree.
 */
async function createRestoreCommand(git: Git, version: Version, attributes: boolean): Promise<string> {
  const hasAttrSource = !isOlder(version, FIRST_VERSION_WITH_ATTR_SOURCE);
  const emptyTree = await git.readText(['hash-object', '-t', 'tree', '--stdin'], { stdin: '' });
  const filters = hasAttrSource && !attributes ? [] : await git.readDriverOptions();
  const plain = [
    '-c',
    'core.autocrlf=false',
    '-c',
    'core.attributesFile=',
    ...filters.map((word) => quoteArgument(word)),
  ];
  return ['git', ...(hasAttrSource ? [`--attr-source=${emptyTree}`] : []), ...plain, 'restore'].join(' ');
}

function createSaveError(thrown: unknown): ArgusError {
  const message = `The work tree could not be saved with git: ${formatReason(thrown)} Nothing runs without this. Free some space or repair the repository, then call again.`;
  return new ArgusError('STATE_NOT_WRITTEN', message, { cause: thrown });
}

function formatReason(thrown: unknown): string {
  return getErrorMessage(thrown).replace(/[.]?$/u, '.');
}

/** Parses the outputs of `--name-status -z` and `--numstat -z`. */
function readChanges(nameStatus: string, numstat: string): ChangedFile[] {
  const counts = new Map(
    numstat.split('\0').flatMap((entry) => {
      const [added, removed, file] = entry.split('\t');
      return file === undefined ? [] : [[file, added === '-' ? 'binary' : `+${added} -${removed}`]];
    }),
  );
  const fields = nameStatus.split('\0');
  const changes: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const file = fields[at + 1] ?? '';
    const kind = CHANGE_KINDS[fields[at] ?? ''] ?? 'changed';
    changes.push({ path: file, change: `${kind} (${counts.get(file) ?? '?'})` });
  }
  return changes;
}

const CHANGE_KINDS: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  T: 'changed in kind',
};

/**
 * Opens the snapshots of a loop of this project: commits if the repository can be used, otherwise copies. `folder` is
 * the loop's folder.
 */
export async function openSnapshots(root: string, commandHash: string, folder: string): Promise<Snapshots> {
  const opened = await GitSnapshots.open(root, commandHash);
  return opened instanceof GitSnapshots ? opened : new PlainCopies(root, folder, opened);
}
