/**
 * Determines who owns a database file: reads the id of a file that may belong to anyone, stores the ids of the memories
 * that this user created or adopted, and copies a foreign database into the user's data folder. A foreign file is never
 * changed.
 */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseIdentity, EngineError, identify, openEngine } from 'argus-engine';
import { writeFileAtomically } from '../system/files/atomic-file.ts';
import { belongsToOtherUser, restrictPermissions, tryLstat } from '../system/files/path-safety.ts';
import { readPart } from '../system/files/read.ts';
import { createUnwritableError } from '../system/files/unwritable-error.ts';
import { io } from '../system/io.ts';
import { COPY_PREFIX, DRAFT_PREFIX, removeAbandonedCopies } from './data-folder.ts';

/** About the size of a memory with a million patterns. */
const MAX_FOREIGN_BYTES = 1024 * 1024 * 1024;

const SQLITE_HEADER = 'SQLite format 3\0';

/**
 * Returns the path of a copy of the file in its current state, and creates the copy if needed. Throws if the file is
 * not a database.
 */
export function copyForeignDatabase(original: string, folder: string): string {
  const stamp = computeFileStamp(original);
  const copy = path.join(folder, `foreign-${stamp}.db`);
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeAbandonedCopies(folder);
  const draft = path.join(folder, `${DRAFT_PREFIX}${crypto.randomUUID()}`);
  try {
    if (hasJournal(original)) {
      copyFileSync(`${original}-journal`, `${draft}-journal`);
      renameSync(`${draft}-journal`, `${copy}-journal`);
    }
    copyFileSync(original, draft);
    chmodSync(draft, 0o600);
    renameSync(draft, copy);
  } finally {
    for (const one of [draft, `${draft}-journal`]) rmSync(one, { force: true });
  }
  removeOtherCopies(folder, path.basename(copy));
  return copy;
}

/** Returns a hash that changes with each state of the file. Throws if the file is not a SQLite database. */
function computeFileStamp(original: string): string {
  const stats = lstatSync(original, { bigint: true });
  if (!stats.isFile()) throw createUnusableError(original, 'it is not a file');
  if (stats.size > MAX_FOREIGN_BYTES) throw createUnusableError(original, 'it is larger than 1 GiB');
  const head = readPart(original, { maxBytes: SQLITE_HEADER.length, links: 'refused' }, 'beginning');
  if (head.toString('latin1') !== SQLITE_HEADER) throw createUnusableError(original, 'it is not a database');
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return createHash('sha256').update([dev, ino, size, mtimeNs, ctimeNs].join()).digest('hex').slice(0, 16);
}

function createUnusableError(original: string, reason: string): EngineError {
  return new EngineError('DATABASE_UNAVAILABLE', `${original}: ${reason}`);
}

/** Removes copies of earlier states. On Windows, a copy that another process has opened stays. */
function removeOtherCopies(folder: string, kept: string): void {
  const others = readdirSync(folder).filter((name) => name.startsWith('foreign-') && !name.startsWith(kept));
  for (const name of others) {
    try {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The next copy tries again.
    }
  }
}

/** The first bytes of a journal that may have to be rolled back (https://www.sqlite.org/fileformat2.html). */
const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/** While another process creates or migrates a file, the file looks damaged for some milliseconds. */
const MAX_TRIES = 8;
const RETRY_PAUSE_MS = 60;

/**
 * Reads the id of a database. If a killed process left a journal and the id is not known, the journal is rolled back in
 * a copy, and the id is read there. `scratch` is a folder of this user for that copy.
 */
export async function readIdentity(
  database: string,
  scratch: string,
  isKnownId: (id: string) => boolean,
): Promise<DatabaseIdentity> {
  for (let tries = 1; ; tries++) {
    const wasBusy = hasJournal(database);
    try {
      const identity = identify(database);
      if ((identity.id !== null && isKnownId(identity.id)) || !hasJournal(database)) return identity;
      return await readIdentityOfCopy(database, scratch);
    } catch (thrown) {
      if (tries >= MAX_TRIES || !isCorruptError(thrown)) throw thrown;
      if (tries > 1 && !wasBusy && !hasJournal(database)) throw thrown;
      await delay(RETRY_PAUSE_MS);
    }
  }
}

function isCorruptError(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code === 'DATABASE_CORRUPT';
}

/** Rolls the journal back in a copy, and reads the id there. */
async function readIdentityOfCopy(database: string, scratch: string): Promise<DatabaseIdentity> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  removeAbandonedCopies(scratch);
  const folder = mkdtempSync(path.join(scratch, COPY_PREFIX));
  const copy = path.join(folder, 'argus.db');
  try {
    copyFileSync(database, copy);
    if (existsSync(`${database}-journal`)) copyFileSync(`${database}-journal`, `${copy}-journal`);
    const engine = await openEngine({ databasePath: copy, projectRoot: folder });
    await engine.close();
    return identify(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function hasJournal(database: string): boolean {
  const reading = { maxBytes: JOURNAL_MAGIC.length, links: 'refused' } as const;
  try {
    return readPart(`${database}-journal`, reading, 'beginning').equals(JOURNAL_MAGIC);
  } catch {
    return false;
  }
}

/** The format of an id. It is checked because the id becomes part of a path. */
const MEMORY_ID = /^mem-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/**
 * The ids of the memories that this user created or adopted. The folder `memories` of the data folder has a file for
 * each id. An id is registered before the database gets it, so a killed process can leave an unused id, but never a
 * database that its own user does not know. The location of a database does not matter, so a project that moves keeps
 * its memory.
 */
export class MemoryRegistry {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'memories');
  }

  has(id: string): boolean {
    if (!MEMORY_ID.test(id)) return false;
    const stats = tryLstat(path.join(this.#folder, id));
    return stats?.isFile() === true && !belongsToOtherUser(stats);
  }

  /** Registers a new id for this user. `database` is only informative, for people who read the file. */
  register(database: string): string {
    const id = `mem-${crypto.randomUUID()}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      restrictPermissions(path.dirname(this.#folder), 0o700);
      const entry = { version: 1, database, at: new Date(io().now()).toISOString() };
      writeFileAtomically(path.join(this.#folder, id), `${JSON.stringify(entry)}\n`);
    } catch (thrown) {
      throw createUnwritableError(this.#folder, thrown, ', which lists the memories of this user');
    }
    return id;
  }
}
