/**
 * The ids of the memories that this user made or adopted: one file each in `memories` of the data folder. An id stands
 * there before a database has it, so that a process that is killed in between leaves an id without a database and never
 * a database that its own user does not know. Where a database is now is not recorded: a project that moves keeps it
 * the user's own.
 */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { unwritable } from '../system/files/unwritable.ts';
import { isStrangers, lstat, tighten } from '../system/files/way.ts';
import { writeWholeFile } from '../system/files/whole-file.ts';
import { io } from '../system/io.ts';

/** What an id looks like; nothing else becomes a part of a path. */
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

  /** A new id that is this user's from now on; `database` is for people who look. */
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
