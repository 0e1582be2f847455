/**
 * Maps repositories of this user to teams. The file is in the user's data folder, so that a repository cannot choose
 * where its failures are sent. A membership is bound to the repository's first commit and its origin.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { ArgusError, messageOf } from '../../errors.ts';
import { Git } from '../../git/git.ts';
import { readText } from '../../system/files/read.ts';
import { isStrangers, lstat, tighten } from '../../system/files/way.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { io } from '../../system/io.ts';
import { loadZod, type Zod } from '../../system/zod.ts';

/** Identifies a repository independently of its location. */
export interface RepositoryIdentity {
  /** The hash of the first commit. */
  rootCommit: string;
  /** Null if the repository has no origin. */
  origin: string | null;
}

const membership = (z: Zod) =>
  z.object({
    rootCommit: z.string().regex(/^[0-9a-f]{40,64}$/u),
    origin: z.string().nullable(),
    url: z.url(),
    project: z.string(),
    /** The environment variable that holds the token. */
    tokenVariable: z.string(),
    joinedAt: z.string(),
  });

export type Membership = z.output<ReturnType<typeof membership>>;

const file = (z: Zod) => z.object({ version: z.literal(1), memberships: z.array(membership(z)) });

/** Far above any real file, because a membership takes a few lines. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The prefix is required because a repository could otherwise name a variable with another secret of the user. */
const TOKEN_VARIABLE = /^ARGUS_[A-Z0-9_]+$/u;
export const DEFAULT_TOKEN_VARIABLE = 'ARGUS_TEAM_TOKEN';

export class Memberships {
  readonly #file: string;

  /** `dataFolder` must not be a folder that a repository can supply. */
  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'teams.json');
  }

  /** Cheap enough to be called for every opened project. */
  isEmpty(): boolean {
    return !existsSync(this.#file);
  }

  /**
   * The membership of a repository that has the commit and origin. The history is not searched for the first commit:
   * that would add no safety, because the author of a repository can choose its first commit freely.
   */
  async of(top: string): Promise<Membership | undefined> {
    const git = new Git(top);
    const origin = await originOf(git);
    for (const one of await this.#all()) if (one.origin === origin && (await isRoot(git, one.rootCommit))) return one;
    return undefined;
  }

  async join(
    repository: RepositoryIdentity,
    joined: Pick<Membership, 'url' | 'project' | 'tokenVariable'>,
  ): Promise<void> {
    const added: Membership = { ...repository, ...joined, joinedAt: new Date(io().now()).toISOString() };
    this.#write([...(await this.#all()).filter((one) => !isOf(one, repository)), added]);
  }

  /** Returns false if the repository belonged to no team. */
  async leave(repository: RepositoryIdentity): Promise<boolean> {
    const all = await this.#all();
    const others = all.filter((one) => !isOf(one, repository));
    if (others.length === all.length) return false;
    if (others.length === 0) rmSync(this.#file);
    else this.#write(others);
    return true;
  }

  async #all(): Promise<Membership[]> {
    const stats = lstat(this.#file);
    if (stats === undefined) return [];
    const checked = file(await loadZod());
    const read = stats.isFile() && !isStrangers(stats) ? checked.safeParse(parsed(this.#file)) : undefined;
    if (read?.success === true) return read.data.memberships;
    throw new ArgusError('STATE_UNREADABLE', `${this.#file} cannot be read. Delete it and join again.`);
  }

  #write(memberships: Membership[]): void {
    const folder = path.dirname(this.#file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    tighten(folder, 0o700);
    writeWholeFile(this.#file, `${JSON.stringify({ version: 1, memberships }, undefined, 2)}\n`);
  }
}

/** Undefined if the folder has no repository or the repository has no commit. */
export async function identityOf(top: string): Promise<RepositoryIdentity | undefined> {
  const git = new Git(top);
  const roots = await git.run(['log', '--max-parents=0', '--format=%H', 'HEAD']);
  const rootCommit = roots.stdout.trim().split('\n').at(-1) ?? '';
  if (roots.problem !== null || rootCommit === '') return undefined;
  return { rootCommit, origin: await originOf(git) };
}

async function originOf(git: Git): Promise<string | null> {
  const { stdout, problem } = await git.run(['config', '--get', 'remote.origin.url']);
  return problem === null && stdout.trim() !== '' ? stdout.trim() : null;
}

/** True when the repository has the commit and the commit has no parents. */
async function isRoot(git: Git, commit: string): Promise<boolean> {
  const { stdout, problem } = await git.run(['log', '--no-walk', '--format=%P', commit]);
  return problem === null && stdout.trim() === '';
}

/** Throws if the variable may not hold a token. */
export function requireTokenVariable(name: string): void {
  if (TOKEN_VARIABLE.test(name)) return;
  throw new ArgusError(
    'INVALID_INPUT',
    `The variable of a token begins with ARGUS_, as ${DEFAULT_TOKEN_VARIABLE} does.`,
  );
}

function isOf(one: Membership, { rootCommit, origin }: RepositoryIdentity): boolean {
  return one.rootCommit === rootCommit && one.origin === origin;
}

function parsed(name: string): unknown {
  try {
    return JSON.parse(readText(name, { maxBytes: MAX_BYTES }));
  } catch (thrown) {
    return messageOf(thrown);
  }
}
