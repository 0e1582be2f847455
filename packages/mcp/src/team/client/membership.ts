/**
 * Maps repositories of this user to teams. The file is in the user's data folder, because a repository must not choose
 * where its failures are sent. A membership is valid only for the repository's first commit and origin.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { Git } from '../../git/git.ts';
import { writeFileAtomically } from '../../system/files/atomic-file.ts';
import { belongsToOtherUser, restrictPermissions, tryLstat } from '../../system/files/path-safety.ts';
import { readText } from '../../system/files/read.ts';
import { io } from '../../system/io.ts';
import { loadZod, type Zod } from '../../system/zod.ts';

/** Identifies a repository independently of its location. */
export interface RepositoryIdentity {
  /** The hash of the first commit. */
  rootCommit: string;
  /** Null if the repository has no origin. */
  origin: string | null;
}

const createMembershipSchema = (z: Zod) =>
  z.object({
    rootCommit: z.string().regex(/^[0-9a-f]{40,64}$/u),
    origin: z.string().nullable(),
    url: z.url(),
    project: z.string(),
    /** The environment variable that holds the token. */
    tokenVariable: z.string(),
    joinedAt: z.string(),
  });

export type Membership = z.output<ReturnType<typeof createMembershipSchema>>;

const createFileSchema = (z: Zod) =>
  z.object({ version: z.literal(1), memberships: z.array(createMembershipSchema(z)) });

/** Far above the size of any real file. A membership takes a few lines. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The prefix is required. Without it, a repository could name a variable that holds another secret of the user. */
const TOKEN_VARIABLE = /^ARGUS_[A-Z0-9_]+$/u;
export const DEFAULT_TOKEN_VARIABLE = 'ARGUS_TEAM_TOKEN';

export class Memberships {
  readonly #file: string;

  /** `dataFolder` must not be a folder that a repository can supply. */
  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'teams.json');
  }

  /** Fast enough to be called for every opened project. */
  isEmpty(): boolean {
    return !existsSync(this.#file);
  }

  /**
   * Returns the membership whose first commit and origin the repository has. Checks that the repository has this commit
   * and that it has no parents, but not that HEAD descends from it. That check would not be safer, because the author
   * of a repository can choose its first commit freely.
   */
  async findMembership(top: string): Promise<Membership | undefined> {
    const git = new Git(top);
    const origin = await findOrigin(git);
    for (const one of await this.#readAll())
      if (one.origin === origin && (await isRootCommit(git, one.rootCommit))) return one;
    return undefined;
  }

  async join(
    repository: RepositoryIdentity,
    joined: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
  ): Promise<void> {
    const added: Membership = { ...repository, ...joined, joinedAt: new Date(io().now()).toISOString() };
    this.#write([...(await this.#readAll()).filter((one) => !belongsTo(one, repository)), added]);
  }

  /** Returns false if the repository had no membership. */
  async leave(repository: RepositoryIdentity): Promise<boolean> {
    const all = await this.#readAll();
    const others = all.filter((one) => !belongsTo(one, repository));
    if (others.length === all.length) return false;
    if (others.length === 0) rmSync(this.#file);
    else this.#write(others);
    return true;
  }

  async #readAll(): Promise<Membership[]> {
    const stats = tryLstat(this.#file);
    if (stats === undefined) return [];
    const checked = createFileSchema(await loadZod());
    const result = stats.isFile() && !belongsToOtherUser(stats) ? checked.safeParse(parseFile(this.#file)) : undefined;
    if (result?.success === true) return result.data.memberships;
    throw new ArgusError('STATE_UNREADABLE', `${this.#file} cannot be read. Delete it and join again.`);
  }

  #write(memberships: Membership[]): void {
    const folder = path.dirname(this.#file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    restrictPermissions(folder, 0o700);
    writeFileAtomically(this.#file, `${JSON.stringify({ version: 1, memberships }, undefined, 2)}\n`);
  }
}

/** Returns undefined if the folder has no repository or the repository has no commit. */
export async function findRepositoryIdentity(top: string): Promise<RepositoryIdentity | undefined> {
  const git = new Git(top);
  const roots = await git.run(['log', '--max-parents=0', '--format=%H', 'HEAD']);
  const rootCommit = roots.stdout.trim().split('\n').at(-1) ?? '';
  if (roots.problem !== null || rootCommit === '') return undefined;
  return { rootCommit, origin: await findOrigin(git) };
}

async function findOrigin(git: Git): Promise<string | null> {
  const { stdout, problem } = await git.run(['config', '--get', 'remote.origin.url']);
  return problem === null && stdout.trim() !== '' ? stdout.trim() : null;
}

/** True if the repository has the commit and the commit has no parents. */
async function isRootCommit(git: Git, commit: string): Promise<boolean> {
  const { stdout, problem } = await git.run(['log', '--no-walk', '--format=%P', commit]);
  return problem === null && stdout.trim() === '';
}

/** Throws if the variable is not allowed to hold a token. */
export function requireTokenVariable(name: string): void {
  if (TOKEN_VARIABLE.test(name)) return;
  throw new ArgusError(
    'INVALID_INPUT',
    `The name of a token variable must begin with ARGUS_, as in ${DEFAULT_TOKEN_VARIABLE}.`,
  );
}

function belongsTo(one: Membership, { rootCommit, origin }: RepositoryIdentity): boolean {
  return one.rootCommit === rootCommit && one.origin === origin;
}

function parseFile(name: string): unknown {
  try {
    return JSON.parse(readText(name, { maxBytes: MAX_BYTES }));
  } catch (thrown) {
    return getErrorMessage(thrown);
  }
}
