/**
 * The store of a project whose memory a team owns. The team's server answers while it can be reached. Otherwise the
 * memory on this machine answers, and calls that must be stored wait in the spool.
 */

import type { Calling, Database, Store, WithWarnings } from '../../storage/database.ts';
import { isOutOfReach, type Remote } from './remote.ts';
import { TeamMemory } from './team-memory.ts';

export class TeamStore implements Store {
  readonly isShared = true;
  readonly remote: Remote;
  /** The memory on this machine. */
  readonly local: Database;
  readonly #fit: <T extends object>(params: T) => T;

  constructor(remote: Remote, local: Database, fit: <T extends object>(params: T) => T) {
    this.remote = remote;
    this.local = local;
    this.#fit = fit;
  }

  read<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>> {
    return this.#askOr((local) => local.read(call), call);
  }

  readOrMake<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>> {
    return this.#askOr((local) => local.readOrMake(call), call);
  }

  async durable(): Promise<Calling> {
    const { value: local } = await this.local.read(async (engine) => engine);
    return new TeamMemory(this.remote, local, this.#fit);
  }

  inMemory() {
    return this.local.inMemory();
  }

  close(): Promise<void> {
    return this.local.close();
  }

  follow(file: string): void {
    this.local.follow(file);
  }

  async #askOr<T>(
    askLocal: (local: Database) => Promise<WithWarnings<T>>,
    call: (engine: Calling) => Promise<T>,
  ): Promise<WithWarnings<T>> {
    try {
      return { value: await call(await this.durable()), warnings: [] };
    } catch (thrown) {
      if (!isOutOfReach(thrown)) throw thrown;
      const { value, warnings } = await askLocal(this.local);
      return { value, warnings: [`${thrown.message} This is what is known on this machine.`, ...warnings] };
    }
  }
}
