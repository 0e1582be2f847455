/**
 * Finds the memory of a session, and looks again whenever the database file in the project is replaced. `placement.ts`
 * decides who owns a file.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { adopt } from 'argus-engine';
import { messageOf } from '../errors.ts';
import { log } from '../log.ts';
import { projectFolder, trustedDataFolder } from '../owner/data-folder.ts';
import { copyOf } from '../owner/foreign-copy.ts';
import { type Placement, placementOf, type Wanted } from '../owner/placement.ts';
import type { Located } from '../storage/database.ts';
import { lstat } from '../system/files/way.ts';

export class ProjectPlace {
  readonly #wanted: Wanted;
  readonly #adopts: boolean;
  /** Imports `.argus-shared` into this folder. */
  readonly #share: (folder: string) => Promise<string | undefined>;
  #found: { placement: Placement; file: string } | undefined;

  constructor(wanted: Wanted, adopts: boolean, share: (folder: string) => Promise<string | undefined>) {
    this.#wanted = wanted;
    this.#adopts = adopts;
    this.#share = share;
  }

  /** The result of the last `find`. */
  get found(): Placement | undefined {
    return this.#found?.placement;
  }

  get path(): string {
    return this.found?.path ?? this.#wanted.database;
  }

  /** The path that the memory had before an adoption, or before git tracked the database in the project. */
  get otherPath(): string | undefined {
    if (this.found === undefined) return undefined;
    const beside = path.join(this.found.folder, 'argus.db');
    return this.path === beside ? this.#wanted.database : beside;
  }

  /** Cheap check for a memory that does not ask git and reads no file. */
  async isThere(): Promise<boolean> {
    const { root, database, top = root } = this.#wanted;
    if (lstat(database) !== undefined) return true;
    const data = await trustedDataFolder(root, top).catch(() => undefined);
    return data !== undefined && existsSync(path.join(projectFolder(data, root), 'argus.db'));
  }

  async find(): Promise<Placement> {
    const file = stampOf(this.#wanted.database);
    if (this.#found?.file === file && isLasting(this.#found.placement)) return this.#found.placement;
    let placement = await placementOf(this.#wanted);
    if (this.#adopts && placement.foreign?.kind === 'unknown') {
      adopt(this.#wanted.database, placement.registry.add(this.#wanted.database));
      log(`adopted ${this.#wanted.database}, as ARGUS_ADOPT says`);
      placement = await placementOf(this.#wanted);
    }
    this.#found = { placement, file };
    return placement;
  }

  async locate(): Promise<Located> {
    const { path: file, memoryId, foreign, folder, registry } = await this.find();
    const foreignPath = foreign?.source === undefined ? undefined : copied(foreign.source, folder);
    const sharedPath = await this.#share(folder);
    return { path: file, memoryId, newId: () => registry.add(file), foreignPath, sharedPath };
  }
}

/**
 * A placement is checked again while there is no memory, because another process may be creating it, and while the
 * database is unknown, because a person may adopt it.
 */
function isLasting({ memoryId, foreign }: Placement): boolean {
  return memoryId !== undefined && foreign?.kind !== 'unknown';
}

/** A string that changes when another file takes the path. */
function stampOf(database: string): string {
  const stats = lstat(database);
  return [stats?.dev, stats?.ino].join();
}

/** A copy that cannot be made is only logged, because the memory works without it. */
function copied(source: string, folder: string): string | undefined {
  try {
    return copyOf(source, folder);
  } catch (thrown) {
    log(`the foreign database is not shown: ${messageOf(thrown)}`);
    return undefined;
  }
}
