/**
 * Which repositories of this user belong to which team. Kept in the user's data folder alone, so that no repository can
 * say where its failures are sent; each is bound to its first commit and its origin.
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

/** What makes a repository the same one, wherever it is cloned to. */
export interface RepositoryIdentity {
  /** Hash of its first commit. */
  rootCommit: string;
  /** Null: it has no origin. */
  origin: string | null;
}

const membership = (z: Zod) =>
  z.object({
    rootCommit: z.string().regex(/^[0-9a-f]{40,64}$/u),
    origin: z.string().nullable(),
    url: z.url(),
    project: z.string(),
    /** The variable that holds the token. */
    tokenVariable: z.string(),
    joinedAt: z.string(),
  });

export type Membership = z.output<ReturnType<typeof membership>>;

const file = (z: Zod) => z.object({ version: z.literal(1), memberships: z.array(membership(z)) });

/** A membership is a few lines. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A repository could name any variable of the user's, so that it is none of somebody else's secrets. */
const TOKEN_VARIABLE = /^ARGUS_[A-Z0-9_]+$/u;
export const DEFAULT_TOKEN_VARIABLE = 'ARGUS_TEAM_TOKEN';

export class Memberships {
  readonly #file: string;

  /** `dataFolder`: one that no repository can bring. */
  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'teams.json');
  }

  /** Cheap enough for every project that is opened. */
  isEmpty(): boolean {
    return !existsSync(this.#file);
  }

  /**
   * Of a repository that has the commit, without a walk through its history: whoever made a repository chose its first
   * commit as freely as its other ones.
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

  /** False: it belonged to none. */
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

/** Undefined: no repository, or none with a commit. */
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

/** Whether the repository has the commit, and it has no parents. */
async function isRoot(git: Git, commit: string): Promise<boolean> {
  const { stdout, problem } = await git.run(['log', '--no-walk', '--format=%P', commit]);
  return problem === null && stdout.trim() === '';
}

/** Throws where a token must not come from this variable. */
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
