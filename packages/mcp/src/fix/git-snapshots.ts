/**
 * Snapshots as commits of their own under `refs/argus/fixes`, made with an index of their own.
 * Does not: touch the index, the work tree, HEAD or any branch, run hooks, or sign.
 */

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, lstatSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ArgusError, messageOf } from '../errors.ts';
import { MAX_DIFF, MAX_FILE_DIFF } from './diff.ts';
import type { Difference, FileChanged, Snapshots } from './snapshots.ts';

/** A large tree takes a while the first time. */
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Larger files that git does not know yet are data sets and builds; keeping them would fill the repository. */
const MAX_UNTRACKED_BYTES = 50 * 1024 * 1024;

/** A repository around the project may be somebody's whole home: so much that git does not know is left out. */
const MAX_SURROUNDINGS_BYTES = 200 * 1024 * 1024;
const MAX_SURROUNDINGS_FILES = 20_000;

/** What Argus writes is no change of the project. */
const NOT_OURS = [':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];

/** Nothing that the user or the machine has configured may act: no hooks, no watchers, no signatures, no refusals. */
const QUIET = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.safecrlf=false',
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.addEmbeddedRepo=false',
  'submodule.recurse=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
].flatMap((setting) => ['-c', setting]);

/** Set by git for hooks, which may be what started this; they would lead elsewhere. */
const LEADS_ELSEWHERE =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|INTERNAL_\w+|EXTERNAL_DIFF|DIFF_OPTS|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|TRACE\w*)$/u;

/** An index copied within the tick of its writing must still notice changes within that tick. */
const RACY_SECONDS = 2;

const run = promisify(execFile);

export class GitSnapshots implements Snapshots {
  readonly kind = 'git';
  readonly warnings: string[] = [];
  readonly #top: string;
  /** The project in it, with `/` at its end; empty where it is the whole. */
  readonly #prefix: string;
  readonly #refs: string;

  private constructor(top: string, prefix: string, name: string) {
    this.#top = top;
    this.#prefix = prefix;
    this.#refs = `refs/argus/fixes/${name}`;
  }

  /** Undefined outside a work tree, and where git is not installed. */
  static async open(root: string, commandHash: string): Promise<GitSnapshots | undefined> {
    try {
      const asked = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-common-dir'];
      const [top, prefix = '', own = '', common = ''] = (await git(root, ['rev-parse', ...asked])).split('\n');
      if (!top) return undefined;
      // Linked work trees share their refs, and a repository may hold many projects with the same command.
      const isWhole = prefix === '' && realpathSync(own) === realpathSync(path.resolve(root, common));
      const whose = isWhole ? '' : `-${createHash('sha256').update(`${own}\0${prefix}`).digest('hex').slice(0, 8)}`;
      return new GitSnapshots(path.resolve(top), prefix, commandHash + whose);
    } catch {
      return undefined;
    }
  }

  async take(name: string): Promise<string> {
    const commit = await this.now();
    await this.#git(['update-ref', `${this.#refs}/${name}`, commit]);
    return commit;
  }

  /** A commit, so that one id serves for looking, comparing and going back. */
  async now(): Promise<string> {
    try {
      return await this.#commit();
    } catch (thrown) {
      throw notKept(thrown);
    }
  }

  async #commit(): Promise<string> {
    const tree = await this.#tree();
    const head = await this.#git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => '');
    const parents = head === '' ? [] : ['-p', head];
    return this.#git(['commit-tree', '--no-gpg-sign', ...parents, '-m', 'Work tree kept by argus fix-problem', tree], {
      GIT_AUTHOR_NAME: 'Argus',
      GIT_AUTHOR_EMAIL: 'argus@localhost',
      GIT_COMMITTER_NAME: 'Argus',
      GIT_COMMITTER_EMAIL: 'argus@localhost',
    });
  }

  async difference(from: string, to: string): Promise<Difference> {
    const files = await this.#files(from, to);
    return { digest: files.length === 0 ? null : await this.#digest(from, to), files };
  }

  async diff(from: string, to: string): Promise<string> {
    let text = '';
    let file = 0;
    await this.#patch(from, to, (line) => {
      if (line.startsWith('diff --git ')) file = text.length;
      if (text.length - file < MAX_FILE_DIFF) text += `${line.slice(0, MAX_FILE_DIFF)}\n`;
      return text.length < MAX_DIFF;
    });
    return text;
  }

  async same(from: string, to: string): Promise<boolean> {
    const trees = await Promise.all([from, to].map((id) => this.#git(['rev-parse', `${id}^{tree}`])));
    return trees[0] === trees[1];
  }

  async archive(label: string): Promise<void> {
    const listed = await this.#git(['for-each-ref', '--format=%(objectname) %(refname)', `${this.#refs}/`]);
    for (const line of listed.split('\n').filter(Boolean)) {
      const [id = '', name = ''] = line.split(' ');
      const last = name.slice(this.#refs.length + 1);
      if (last.includes('/')) continue;
      await this.#git(['update-ref', `${this.#refs}/earlier-${label}/${last}`, id]);
      await this.#git(['update-ref', '-d', name]);
    }
  }

  howToGoBack(id: string): string {
    return `git restore --source=${id} --worktree -- :/`;
  }

  /** The tree object of everything git would take, in an index that is thrown away. */
  async #tree(): Promise<string> {
    if (existsSync(path.join(this.#top, '.gitmodules'))) {
      this.#warn('Changes inside submodules are not seen until they are committed there; declare them as outside.');
    }
    const folder = mkdtempSync(path.join(tmpdir(), 'argus-index-'));
    try {
      const index = path.join(folder, 'index');
      await this.#copyIndex(index);
      const env = { GIT_INDEX_FILE: index };
      for (const args of await this.#additions(env)) {
        await this.#git(['add', '--ignore-errors', ...args], env).catch((thrown) => this.#notAll(thrown));
      }
      return await this.#git(['write-tree'], env);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** With it git need not read what has not changed. */
  async #copyIndex(target: string): Promise<void> {
    try {
      const own = path.resolve(this.#top, await this.#git(['rev-parse', '--git-path', 'index']));
      const { mtimeMs } = statSync(own);
      copyFileSync(own, target);
      const seconds = Math.floor(mtimeMs / 1_000) - RACY_SECONDS;
      utimesSync(target, seconds, seconds);
    } catch {
      // A new repository has none.
    }
  }

  /** What is added to the index: all of it but what is too large, and not too much around the project. */
  async #additions(env: Record<string, string>): Promise<string[][]> {
    const listed = await this.#git(
      ['ls-files', '--others', '--exclude-standard', '-z', '--', ':(top)', ...NOT_OURS],
      env,
    );
    const sizes = listed.split('\0').flatMap((name): [string, number][] => (name ? [[name, this.#sizeOf(name)]] : []));
    const large = sizes.filter(([, size]) => size > MAX_UNTRACKED_BYTES).map(([name]) => name);
    if (large.length > 0) {
      this.#warn(`Not kept in snapshots, for they are larger than 50 MiB and unknown to git: ${large.join(', ')}.`);
    }
    const but = [...NOT_OURS, ...large.map((name) => `:(top,exclude,literal)${name}`)];
    const around = sizes.filter(([name]) => !name.startsWith(this.#prefix));
    const bytes = around.reduce((sum, [, size]) => sum + Math.min(size, MAX_UNTRACKED_BYTES), 0);
    if (around.length <= MAX_SURROUNDINGS_FILES && bytes <= MAX_SURROUNDINGS_BYTES) {
      return [['--all', '--', ':(top)', ...but]];
    }
    this.#warn(`Files around ${this.#prefix} that git does not know are not kept in snapshots; there are too many.`);
    return [
      ['--update', '--', ':(top)', ...NOT_OURS],
      ['--all', '--', `:(top)${this.#prefix}`, ...but],
    ];
  }

  #sizeOf(name: string): number {
    return lstatSync(path.join(this.#top, name), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** A file that cannot be read is not worth the loop; a disk that is full is. */
  #notAll(thrown: unknown): void {
    if (messageOf(thrown).includes('No space left on device')) throw thrown;
    this.#warn(`Some files are not in the snapshot: ${reasonOf(thrown)}`);
  }

  #warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  async #files(from: string, to: string): Promise<FileChanged[]> {
    const compare = ['-r', '--no-renames', '-z', from, to];
    const [names, counts] = await Promise.all([
      this.#git(['diff-tree', '--name-status', ...compare]),
      this.#git(['diff-tree', '--numstat', ...compare]),
    ]);
    return readChanges(names, counts);
  }

  /** Of the lines that were added and removed, whatever their numbers. */
  async #digest(from: string, to: string): Promise<string> {
    const hash = createHash('sha256');
    await this.#patch(from, to, (line) => {
      if (!/^(?:index |@@ )/u.test(line)) hash.update(`${line}\n`);
      return true;
    });
    return hash.digest('hex');
  }

  /** Hands on the lines of a patch as they come, until they are not wanted any more. */
  async #patch(from: string, to: string, wanted: (line: string) => boolean): Promise<void> {
    const options = ['-r', '-p', '--no-renames', '--full-index', '--binary', '--no-ext-diff', '--no-textconv'];
    const args = [...QUIET, 'diff-tree', ...options, '--no-color', from, to];
    const child = spawn('git', args, { cwd: this.#top, env: environment({}), stdio: ['ignore', 'pipe', 'ignore'] });
    const closed = once(child, 'close');
    closed.catch(() => {});
    let rest = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      if (!lines.every(wanted)) break;
    }
    child.kill();
    await closed;
  }

  #git(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    return git(this.#top, args, env);
  }
}

function notKept(thrown: unknown): ArgusError {
  const message = `The work tree could not be kept with git: ${reasonOf(thrown)} Nothing is run without that. Make room or repair the repository, then call again.`;
  return new ArgusError('STATE_NOT_WRITTEN', message, { cause: thrown });
}

/** What git said, without the command. */
function reasonOf(thrown: unknown): string {
  const message = messageOf(thrown);
  return message.split('\n').slice(1, 3).join(' ').trim() || message;
}

/** Reads what `--name-status -z` and `--numstat -z` say. */
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

function environment(extra: Record<string, string>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !LEADS_ELSEWHERE.test(name));
  return { ...Object.fromEntries(inherited), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...extra };
}

async function git(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, env: environment(env) };
  const { stdout } = await run('git', [...QUIET, ...args], options);
  return stdout.endsWith('\n') ? stdout.slice(0, -1) : stdout;
}
