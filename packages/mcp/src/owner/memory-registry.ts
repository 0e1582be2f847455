/**
 * The ids of the memories that this user created or adopted, with one file for each id in `memories` of the data
 * folder. The id is registered before the database gets it, so that a killed process can leave an unused id but never a
 * database that its own user does not know. The location of a database is not used, so a project that moves keeps its
 * memory.
 */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { unwritable } from '../system/files/unwritable.ts';
import { isStrangers, lstat, tighten } from '../system/files/way.ts';
import { writeWholeFile } from '../system/files/whole-file.ts';
import { io } from '../system/io.ts';

/** The format of an id. It is checked because the id becomes part of a path. */
const ID = /^mem-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

export class MemoryRegistry {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'memories');
  }

  knows(id: string): boolean {
    if (!ID.test(id)) return false;
    const stats = lstat(path.join(this.#folder, id));
    return stats?.isFile() === true && !isStrangers(stats);
  }

  /** Registers a new id for this user. `database` is only informative, for people who read the file. */
  add(database: string): string {
    const id = `mem-${crypto.randomUUID()}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      tighten(path.dirname(this.#folder), 0o700);
      const entry = { version: 1, database, at: new Date(io().now()).toISOString() };
      writeWholeFile(path.join(this.#folder, id), `${JSON.stringify(entry)}\n`);
    } catch (thrown) {
      throw unwritable(this.#folder, thrown, ', which says whose a memory is');
    }
    return id;
  }
}
