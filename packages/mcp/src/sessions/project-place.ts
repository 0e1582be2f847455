/**
 * Where one session's memory is, looked for again whenever another file lies in the project. Whose a file is:
 * placement.ts.
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
  /** Takes in what the repository shares, into this folder. */
  readonly #share: (folder: string) => Promise<string | undefined>;
  #found: { placement: Placement; file: string } | undefined;

  constructor(wanted: Wanted, adopts: boolean, share: (folder: string) => Promise<string | undefined>) {
    this.#wanted = wanted;
    this.#adopts = adopts;
    this.#share = share;
  }

  /** As it was found last. */
  get found(): Placement | undefined {
    return this.#found?.placement;
  }

  get path(): string {
    return this.found?.path ?? this.#wanted.database;
  }

  /** Where the memory was before it was adopted, or before git tracked what lies in the project. */
  get otherPath(): string | undefined {
    if (this.found === undefined) return undefined;
    const beside = path.join(this.found.folder, 'argus.db');
    return this.path === beside ? this.#wanted.database : beside;
  }

  /** Whether there may be anything to read, without asking git or looking into a file. */
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

/** While there is nothing yet another process may be making it, and a person may adopt what nobody knows. */
function isLasting({ memoryId, foreign }: Placement): boolean {
  return memoryId !== undefined && foreign?.kind !== 'unknown';
}

/** Another for each file that lies there. */
function stampOf(database: string): string {
  const stats = lstat(database);
  return [stats?.dev, stats?.ino].join();
}

/** A copy that cannot be made is a source less, and said in the log. */
function copied(source: string, folder: string): string | undefined {
  try {
    return copyOf(source, folder);
  } catch (thrown) {
    log(`the foreign database is not shown: ${messageOf(thrown)}`);
    return undefined;
  }
}
