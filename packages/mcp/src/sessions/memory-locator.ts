/**
 * Finds the memory of a session, and finds it again whenever the database file in the project is replaced.
 * `memory-location.ts` decides who owns a file.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { adopt } from 'argus-engine';
import { getErrorMessage } from '../errors.ts';
import { log } from '../log.ts';
import { findTrustedDataFolder, getProjectDataFolder } from '../owner/data-folder.ts';
import { copyForeignDatabase } from '../owner/identity.ts';
import { type ConfiguredDatabase, type MemoryLocation, resolveMemoryLocation } from '../owner/memory-location.ts';
import type { LocatedDatabase } from '../storage/database.ts';
import { tryLstat } from '../system/files/path-safety.ts';

export class MemoryLocator {
  readonly #configured: ConfiguredDatabase;
  readonly #adoptsForeign: boolean;
  /** Imports `.argus-shared` into a folder, and returns the path of the resulting database. */
  readonly #importShared: (folder: string) => Promise<string | undefined>;
  #found: { placement: MemoryLocation; file: string } | undefined;

  constructor(wanted: ConfiguredDatabase, adopts: boolean, share: (folder: string) => Promise<string | undefined>) {
    this.#configured = wanted;
    this.#adoptsForeign = adopts;
    this.#importShared = share;
  }

  /** The result of the newest call of `find`. Undefined before the first call. */
  get found(): MemoryLocation | undefined {
    return this.#found?.placement;
  }

  get path(): string {
    return this.found?.path ?? this.#configured.database;
  }

  /** The path that the memory had before it was adopted, or before git tracked the database in the project. */
  get earlierPath(): string | undefined {
    if (this.found === undefined) return undefined;
    const ownPath = path.join(this.found.folder, 'argus.db');
    return this.path === ownPath ? this.#configured.database : ownPath;
  }

  /** Checks whether there is a memory. The check is fast, because it does not call git and reads no file. */
  async exists(): Promise<boolean> {
    const { root, database, top = root } = this.#configured;
    if (tryLstat(database) !== undefined) return true;
    const data = await findTrustedDataFolder(root, top).catch(() => undefined);
    return data !== undefined && existsSync(path.join(getProjectDataFolder(data, root), 'argus.db'));
  }

  async find(): Promise<MemoryLocation> {
    const file = readFileIdentity(this.#configured.database);
    if (this.#found?.file === file && isLocationFinal(this.#found.placement)) return this.#found.placement;
    let placement = await resolveMemoryLocation(this.#configured);
    if (this.#adoptsForeign && placement.foreign?.kind === 'unknown') {
      adopt(this.#configured.database, placement.registry.register(this.#configured.database));
      log(`adopted ${this.#configured.database}, because ARGUS_ADOPT is set`);
      placement = await resolveMemoryLocation(this.#configured);
    }
    this.#found = { placement, file };
    return placement;
  }

  async locate(): Promise<LocatedDatabase> {
    const { path: file, memoryId, foreign, folder, registry } = await this.find();
    const foreignPath = foreign?.source === undefined ? undefined : copyForeignOrLog(foreign.source, folder);
    const sharedPath = await this.#importShared(folder);
    return { path: file, memoryId, newId: () => registry.register(file), foreignPath, sharedPath };
  }
}

/**
 * False if the location must be checked again: while there is no memory, because another process may be creating it,
 * and while the database is unknown, because a person may adopt it.
 */
function isLocationFinal({ memoryId, foreign }: MemoryLocation): boolean {
  return memoryId !== undefined && foreign?.kind !== 'unknown';
}

/** Returns a string that changes if the file is replaced by another file. */
function readFileIdentity(database: string): string {
  const stats = tryLstat(database);
  return [stats?.dev, stats?.ino].join();
}

/** Copies a foreign database. If the copy cannot be made, that is only logged, because the memory works without it. */
function copyForeignOrLog(source: string, folder: string): string | undefined {
  try {
    return copyForeignDatabase(source, folder);
  } catch (thrown) {
    log(`the foreign database cannot be read: ${getErrorMessage(thrown)}`);
    return undefined;
  }
}
