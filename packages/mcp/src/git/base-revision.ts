/**
 * Finds the commit into which a change will be merged. Rules that decide about a change are read from this commit,
 * because a change must not decide about itself.
 */

import { Git } from './git.ts';
import { HISTORY_TIMEOUT_MS, resolveCommit } from './history.ts';
import { findRepository, type Repository } from './repository.ts';

export interface BaseQuery {
  /** A branch or a full hash. Null if none was named. */
  base: string | null;
  /** True in CI, where the base must be known because the checkout alone is not trusted. */
  isInCi: boolean;
  /** True if the job runs the base branch itself. If the branch is not in the clone, the checkout is then the base. */
  isBaseBuild: boolean;
}

export interface BaseRevision {
  /** Name in messages, such as `main (0123456789ab)`. */
  name: string;
  commit: string;
  git: Git;
  repository: Repository;
}

/** The reason why the base is not known, as the end of a sentence. */
export interface UnknownBase {
  missing: string;
}

/** Undefined if there is no repository. This is not an error outside of CI if no base was named. */
export type BaseRevisionResult = BaseRevision | UnknownBase | undefined;

export async function findBaseRevision(
  top: string,
  { base, isInCi, isBaseBuild }: BaseQuery,
): Promise<BaseRevisionResult> {
  const repository = await findRepository(top);
  if (typeof repository === 'string') return { missing: `the repository cannot be read (${repository})` };
  if (repository === undefined) {
    return isInCi || base !== null ? { missing: 'this is not a git repository' } : undefined;
  }
  if (base === null && isInCi) {
    return { missing: 'this CI service does not name the base branch: pass it with --base' };
  }
  const git = new Git(repository.top);
  const commit = base === null || isBaseBuild ? await findBaseOrHead(git, base) : await findBranchCommit(git, base);
  if (commit === null) return { missing: formatMissingBase(base ?? 'HEAD') };
  return { name: `${base ?? 'HEAD'} (${commit.slice(0, 12)})`, commit, git, repository };
}

function formatMissingBase(base: string): string {
  const fetch = `git fetch origin +refs/heads/${base}:refs/remotes/origin/${base}`;
  return `${base} is not in this clone: check out with fetch-depth: 0, or call ${fetch}`;
}

async function findBaseOrHead(git: Git, base: string | null): Promise<string | null> {
  return (base === null ? null : await findBranchCommit(git, base)) ?? (await resolveCommit(git, 'HEAD'));
}

/** Finds the commit of a branch. A branch of the server is preferred to a local branch with the same name. */
async function findBranchCommit(git: Git, base: string): Promise<string | null> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(base)) return resolveCommit(git, base);
  const names = ['refs/remotes/origin/', 'refs/remotes/', 'refs/heads/'].map((place) => `${place}${base}`);
  const { stdout } = await git.run(['for-each-ref', '--format=%(objectname) %(refname)', ...names]);
  const commits = new Map(stdout.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0]]));
  const name = names.find((one) => commits.has(one));
  return name === undefined ? null : (commits.get(name) ?? null);
}

/**
 * Reads a file in a commit. Returns null if the commit has no such file. For a link, the text is the target of the
 * link.
 */
export async function readFileAtCommit(
  { git, repository }: BaseRevision,
  commit: string,
  file: string,
  maxBytes: number,
): Promise<{ text: string; cut: boolean } | null> {
  const name = `${commit}:${repository.prefix}${file}`;
  const { stdout, cut, problem } = await git.run(['cat-file', 'blob', name], { maxBytes });
  return problem === null ? { text: stdout, cut } : null;
}

/** Far more than the number of runs in a memory, so that the commit of each recorded run is found. */
const MAX_COMMITS = 20_000;

/** Returns the newest commits of the base. A shallow clone has only some of them. */
export async function listBaseCommits({ git, commit }: BaseRevision): Promise<{
  commits: ReadonlySet<string>;
  isShallow: boolean;
}> {
  const args = ['log', '--no-patch', '--format=%H', `--max-count=${MAX_COMMITS}`, commit, '--'] as const;
  const listed = await git.run(args, { timeoutMs: HISTORY_TIMEOUT_MS, maxBytes: MAX_COMMITS * 65 });
  const shallow = await git.run(['rev-parse', '--is-shallow-repository']);
  return {
    commits: new Set(listed.problem === null ? listed.stdout.split('\n').filter(Boolean) : [commit]),
    isShallow: shallow.stdout.trim() === 'true',
  };
}
