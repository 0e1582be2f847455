/**
 * Finds the commit that a change will be merged into. Rules that decide about a change are read from this commit,
 * because a change must not decide about itself.
 */

import { Git } from './git.ts';
import { commitOf, HISTORY_TIMEOUT_MS } from './history.ts';
import { type Repository, repositoryOf } from './repository.ts';

export interface BaseQuery {
  /** A branch or a full hash. Null if none was named. */
  base: string | null;
  /** In CI the base must be known, because the checkout alone must not count. */
  isInCi: boolean;
  /** True when the job runs the base branch itself. The checkout is then the base if the branch is not in the clone. */
  isOfBase: boolean;
}

export interface BaseRevision {
  /** The name in messages, for example `main (0123456789ab)`. */
  name: string;
  commit: string;
  git: Git;
  repository: Repository;
}

/** The reason why the base is not known, as the end of a sentence. */
export interface UnknownBase {
  missing: string;
}

/** Undefined if there is no repository here and no base is needed (outside CI). */
export type FoundBase = BaseRevision | UnknownBase | undefined;

export async function baseRevision(top: string, { base, isInCi, isOfBase }: BaseQuery): Promise<FoundBase> {
  const repository = await repositoryOf(top);
  if (typeof repository === 'string') return { missing: `the repository here is not read (${repository})` };
  if (repository === undefined) {
    return isInCi || base !== null ? { missing: 'there is no git repository here to read it from' } : undefined;
  }
  if (base === null && isInCi) {
    return { missing: 'this service does not say where the change is to go: name it with --base' };
  }
  const git = new Git(repository.top);
  const commit = base === null || isOfBase ? await baseOrHead(git, base) : await commitOfBranch(git, base);
  if (commit === null) return { missing: missingText(base ?? 'HEAD') };
  return { name: `${base ?? 'HEAD'} (${commit.slice(0, 12)})`, commit, git, repository };
}

function missingText(base: string): string {
  const fetch = `git fetch origin +refs/heads/${base}:refs/remotes/origin/${base}`;
  return `${base} is not in this clone: check out with fetch-depth: 0, or call ${fetch}`;
}

async function baseOrHead(git: Git, base: string | null): Promise<string | null> {
  return (base === null ? null : await commitOfBranch(git, base)) ?? (await commitOf(git, 'HEAD'));
}

/** A branch of the server comes before a local branch with the same name. */
async function commitOfBranch(git: Git, base: string): Promise<string | null> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(base)) return commitOf(git, base);
  const names = ['refs/remotes/origin/', 'refs/remotes/', 'refs/heads/'].map((place) => `${place}${base}`);
  const { stdout } = await git.run(['for-each-ref', '--format=%(objectname) %(refname)', ...names]);
  const commits = new Map(stdout.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0]]));
  const name = names.find((one) => commits.has(one));
  return name === undefined ? null : (commits.get(name) ?? null);
}

/** The file in a commit. Null if the commit has no such file. For a link, the text is its target. */
export async function fileAt(
  { git, repository }: BaseRevision,
  commit: string,
  file: string,
  maxBytes: number,
): Promise<{ text: string; cut: boolean } | null> {
  const name = `${commit}:${repository.prefix}${file}`;
  const { stdout, cut, problem } = await git.run(['cat-file', 'blob', name], { maxBytes });
  return problem === null ? { text: stdout, cut } : null;
}

/** Far more commits than a memory has runs. */
const MAX_COMMITS = 20_000;

/** The newest commits of the base. A shallow clone has only some of them. */
export async function commitsOfBase({ git, commit }: BaseRevision): Promise<{
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
