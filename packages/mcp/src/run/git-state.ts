/** Reads the state of the work tree at the start of a run. It changes nothing, not even the index of git. */

import path from 'node:path';
import { type CommitFacts, type EditedFile, type GitFacts, LIMITS } from 'argus-engine';
import { asText, Git, isRefusal } from '../git/git.ts';
import { NOT_OURS } from '../git/settings.ts';
import { digestOf, editedFiles, MAX_EDITS, uncommittedChange } from '../git/uncommitted-change.ts';
import { log } from '../log.ts';
import { ciCheckout, type Environment } from '../system/ci.ts';
import { realOr } from '../system/files/way.ts';
import { workTreeTop } from '../system/files/work-tree-top.ts';
import { io } from '../system/io.ts';
import { visible } from '../text/untrusted.ts';
import { type Submodule, submodulesOf } from './submodules.ts';
import { isOfTools, untrackedFiles } from './untracked.ts';
import { changedFiles, workTreeId } from './work-tree.ts';

/** Maximum time for the status. */
const TIMEOUT_MS = 5_000;

/** Maximum time for the files of commits, which only rank suspects. */
const FILES_TIMEOUT_MS = 1_000;

const MAX_BYTES = 64 * 1024 * 1024;

/** Files of memories and files that a repository shares. */
const KEPT_BY_ARGUS = /^(?:[^"].*\/)?\.argus(?:-shared)?\//u;

/** Maximum number of commits, which limits how far back the start of a failure can be found. */
const MAX_COMMITS = 100;

/** Folders for which a refusal of git was already logged. */
const refused = new Set<string>();

/** Paths are bytes. Only latin1 keeps different bytes distinct. */
const ASKING = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, encoding: 'latin1' } as const;

/** The answer of git in two parts. */
export interface GitLook {
  /** Resolves when the work tree may change. */
  treeSeen: Promise<void>;
  /**
   * Reads the rest, which no command changes. Null outside a repository, if git refuses the repository, or if git is
   * not installed.
   */
  facts: () => Promise<GitFacts | null>;
}

/** Maximum depth of nested submodules. */
const MAX_DEPTH = 3;

/** @param reports absolute paths of report files, which are results and no edits, if git does not track them */
export function lookAtGit(root: string, reports: readonly string[] = [], depth = 0): GitLook {
  const git = new Git(root);
  const seen = workTree(git, root, reports, depth);
  return {
    treeSeen: seen.then(() => undefined),
    facts: async () => {
      const here = await seen;
      if (here === null) return null;
      const { commit, branch, changed, tracked, files, diff, below, submodules } = here;
      const inside = await changedSubmodules(submodules);
      const isDirty = changed.size > 0 || inside.length > 0;
      const [commits, tree] = await Promise.all([
        commit === null ? [] : logFrom(git, commit),
        files && isDirty ? workTreeId(git, commit, files, inside, ASKING) : undefined,
      ]);
      const isUntracked = tracked.size === 0 && inside.every(({ facts }) => facts.untrackedOnly === true);
      const edits = [
        ...editedFiles(diff),
        ...inside.flatMap((one) => editsOf(one, below)),
        ...untrackedFiles(files, { tracked, below }),
      ].slice(0, MAX_EDITS);
      return {
        commit,
        branch: branch ?? ciCheckout(io().env).branch,
        dirty: isDirty,
        ...(isDirty && isUntracked ? { untrackedOnly: true } : {}),
        tree: (isDirty ? tree : commits[0]?.tree) ?? null,
        commits,
        ...(edits.length > 0 ? { edits } : {}),
      };
    },
  };
}

export const gitFacts = (root: string, reports: readonly string[] = []): Promise<GitFacts | null> =>
  lookAtGit(root, reports).facts();

/** A submodule with other files or another commit than in the last commit. */
interface ChangedSubmodule extends Submodule {
  facts: GitFacts;
}

async function changedSubmodules(
  submodules: ReadonlyArray<Submodule & { look: GitLook }>,
): Promise<ChangedSubmodule[]> {
  const all = await Promise.all(submodules.map(async ({ look, ...one }) => ({ ...one, facts: await look.facts() })));
  return all.flatMap(({ facts, ...one }) => {
    const isChanged = facts !== null && (facts.dirty === true || facts.commit !== one.commit);
    return isChanged ? [{ ...one, facts }] : [];
  });
}

/**
 * The edits of a submodule without their hunks, because its files have other names there. Includes the submodule itself
 * if its commit changed.
 */
function editsOf({ name, commit, facts }: ChangedSubmodule, below: string): EditedFile[] {
  const [full, prefix] = [asText(name), below === '' ? '' : `${below}/`];
  if (!full.startsWith(prefix)) return [];
  const moved = facts.commit === commit ? [] : [{ path: full, digest: digestOf(facts.commit ?? '') }];
  const inside = (facts.edits ?? []).map(({ hunks: _, ...edit }) => ({ ...edit, path: `${full}/${edit.path}` }));
  return [...moved, ...inside].map((edit) => ({ ...edit, path: edit.path.slice(prefix.length) }));
}

/** The current differences from the last commit. `files` is undefined if they were not read. */
async function workTree(git: Git, root: string, reports: readonly string[], depth: number) {
  const nearest = workTreeTop(realOr(root));
  if (nearest === undefined) return null;
  const status = await git.run(
    ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--', ':(top)', ...NOT_OURS],
    ASKING,
  );
  if (isRefusal(status.problem)) sayRefused(root, status.problem);
  if (status.problem !== null || status.cut) return null;
  const facts = parseStatus(status.stdout);
  const top = facts.changed.size > 0 && (await git.isSet('core.worktree')) ? await toplevel(git) : nearest;
  for (const report of reports) {
    const name = Buffer.from(path.relative(top, realOr(report)).split(path.sep).join('/')).toString('latin1');
    if (!facts.tracked.has(name)) facts.changed.delete(name);
  }
  const submodules = depth < MAX_DEPTH ? await submodulesOf(git, top, ASKING) : [];
  const looks = submodules.map((one) => ({ ...one, look: lookAtGit(one.folder, [], depth + 1) }));
  await Promise.all(looks.map(({ look }) => look.treeSeen));
  const below = path.relative(top, realOr(root)).split(path.sep).join('/');
  if (facts.changed.size === 0) return { ...facts, files: new Map(), diff: '', below, submodules: looks };
  const diff = facts.commit === null ? '' : uncommittedChange(git, top, facts.tracked);
  const files = changedFiles(top, facts.changed);
  return { ...facts, files, diff: await diff, below, submodules: looks };
}

/** The work tree that the settings name. */
async function toplevel(git: Git): Promise<string> {
  const { stdout } = await git.run(['rev-parse', '--show-toplevel'], ASKING);
  return asText(stdout.replace(/\n$/u, ''));
}

/** Facts about a run on another machine. */
export interface GivenFacts {
  commit?: string | undefined;
  branch?: string | undefined;
  dirty?: boolean | undefined;
  tree?: string | undefined;
}

/**
 * Facts about a run on another machine, with details of the commit from the local repository. Null if nothing is given.
 */
export async function givenFacts(root: string, given: GivenFacts): Promise<GitFacts | null> {
  const { commit, branch, dirty, tree } = given;
  if (Object.values(given).every((fact) => fact === undefined)) return null;
  const history = commit !== undefined && isFullHash(commit) ? await logFrom(new Git(root), commit) : [];
  return {
    commit: commit ?? null,
    branch: branch ?? null,
    dirty: dirty ?? (commit === undefined ? null : false),
    tree: tree ?? (dirty === true ? null : (history[0]?.tree ?? null)),
    commits: history,
  };
}

/**
 * The checkout that CI reports, for use without git: a container without git, or files of another user. The tree counts
 * as clean, because people do not edit files there. Returns null if CI reports no commit.
 */
export function ciFacts(env: Environment = io().env): GitFacts | null {
  const { commit, branch } = ciCheckout(env);
  if (commit === null || !isFullHash(commit)) return null;
  return { commit, branch, dirty: false, tree: null, commits: [] };
}

function isFullHash(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(text);
}

/**
 * The newest commits from `from` on, with their files. Empty if the commit is unknown here. In a partial clone without
 * the folders of its commits, the files are missing.
 */
async function logFrom(git: Git, from: string): Promise<LoggedCommit[]> {
  for (const files of [['--name-only', '--no-renames', '--relative'], []]) {
    const args = [`--max-count=${MAX_COMMITS}`, '--format=%x00%H %T %P', ...files, from, '--'];
    const timeoutMs = files.length > 0 ? FILES_TIMEOUT_MS : TIMEOUT_MS;
    const log = await git.run(['log', ...args], { ...ASKING, timeoutMs });
    if (log.problem === null && !log.cut) return parseLog(log.stdout);
  }
  return [];
}

function sayRefused(root: string, problem: string | null): void {
  if (refused.has(root)) return;
  refused.add(root);
  log(visible(`${root} counts as no git repository: ${problem}`));
}

interface LoggedCommit extends CommitFacts {
  tree: string;
}

/**
 * Parses entries of `commit tree parents` with the files below, relative to the folder of the call. Git lists no files
 * of a merge. The files of a commit without parents are ignored, because a shallow clone may end there and list all
 * files. Quoted names are skipped. If a commit touches only files of Argus, a single file is kept, because these files
 * cannot affect a test.
 */
function parseLog(output: string): LoggedCommit[] {
  return output
    .split('\0')
    .slice(1)
    .map((entry) => {
      const [head = '', ...lines] = entry.split('\n');
      const [commit = '', tree = '', ...parents] = head.trim().split(' ');
      const names = lines.filter((line) => line !== '');
      const others = names.filter((name) => !KEPT_BY_ARGUS.test(name));
      const files = others.length > 0 ? others.filter((name) => !name.startsWith('"')) : names.slice(0, 1);
      const areKnown = parents.length > 0 && files.length > 0 && files.length <= LIMITS.MAX_COMMIT_FILES;
      return { commit, tree, parents, ...(areKnown ? { files: files.map(asText) } : {}) };
    });
}

/** The result of `git status`. Paths are latin1 bytes. */
interface Status {
  /** Null before the first commit. */
  commit: string | null;
  /** Null if no branch is checked out. */
  branch: string | null;
  /** Paths that differ from the last commit, without untracked files of tools. */
  changed: Set<string>;
  /** The changed paths that git tracks. */
  tracked: Set<string>;
}

/** Parses the output of `git status --porcelain=v2 --branch -z`. */
export function parseStatus(output: string): Status {
  const facts: Status = { commit: null, branch: null, changed: new Set(), tracked: new Set() };
  const add = (name: string) => facts.tracked.add(name);
  const entries = output.split('\0');
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] ?? '';
    if (entry.startsWith('# branch.oid ')) facts.commit = known(entry.slice(13), '(initial)');
    else if (entry.startsWith('# branch.head ')) facts.branch = known(asText(entry.slice(14)), '(detached)');
    else if (entry.startsWith('? ')) {
      if (!isOfTools(entry.slice(2))) facts.changed.add(entry.slice(2));
    } else if (entry.startsWith('1 ')) add(pathAfter(entry, 8));
    else if (entry.startsWith('u ')) add(pathAfter(entry, 10));
    else if (entry.startsWith('2 ')) {
      // The old path is a separate entry.
      add(pathAfter(entry, 9));
      at += 1;
      add(entries[at] ?? '');
    }
  }
  for (const name of facts.tracked) facts.changed.add(name);
  return facts;
}

/** The path after this number of words. It may contain spaces. */
function pathAfter(entry: string, words: number): string {
  return entry.split(' ').slice(words).join(' ');
}

function known(value: string, absent: string): string | null {
  return value === absent ? null : value;
}
