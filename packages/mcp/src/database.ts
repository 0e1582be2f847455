/**
 * One database file, opened once something needs it, and the memory that stands in where it cannot be.
 * Does not: know what is asked of it.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Engine, EngineError, type OpenOptions, openEngine } from 'argus-engine';
import { messageOf, systemCodeOf } from './errors.ts';

/** The engine that answers, and why it is not the file, if it is not. */
export interface Answering {
  engine: Engine;
  warning: string | undefined;
}

/** How the engine is opened, whatever the file. */
export type Opening = Omit<OpenOptions, 'databasePath'>;

/** What a database is opened with. */
export interface Source {
  opening(): Promise<Opening>;
  /** The error for patterns that the engine refuses; they are all of its input that people write beforehand. */
  refused(message: string): Promise<Error>;
  /** Of folders that are made for it; the platform's default when none. */
  readonly folderMode?: number;
}

export class Database {
  readonly path: string;
  readonly #source: Source;
  #durable: Promise<Engine> | undefined;
  #standIn: Promise<Engine> | undefined;

  constructor(databasePath: string, source: Source) {
    this.path = databasePath;
    this.#source = source;
  }

  /** The file where there is one; before the first write an empty memory, so that reading creates nothing. */
  async forReading(): Promise<Answering> {
    if (this.#durable === undefined && !existsSync(this.path)) {
      return { engine: await this.standIn(), warning: undefined };
    }
    return this.orStandIn();
  }

  /** The file, made where there is none, or what stands in for it. */
  async orStandIn(): Promise<Answering> {
    try {
      return { engine: await this.durable(), warning: undefined };
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return { engine: await this.standIn(), warning: notStored(thrown) };
    }
  }

  /** The file. A failed opening is tried again by the next call: a lock ends, a disk is freed. */
  durable(): Promise<Engine> {
    this.#durable ??= this.#open(this.path).catch((thrown: unknown) => {
      this.#durable = undefined;
      throw thrown;
    });
    return this.#durable;
  }

  standIn(): Promise<Engine> {
    this.#standIn ??= this.#open(':memory:');
    return this.#standIn;
  }

  async close(): Promise<void> {
    const engines = [this.#durable, this.#standIn];
    this.#durable = undefined;
    this.#standIn = undefined;
    const opened = await Promise.allSettled(engines);
    await Promise.allSettled(opened.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
  }

  /** Inside the project's `.argus` it also has the mark that keeps git away. */
  #prepareFolder(root: string): void {
    const folder = path.dirname(this.path);
    try {
      mkdirSync(folder, { recursive: true, mode: this.#source.folderMode });
      const own = path.join(root, '.argus');
      if (folder === own || folder.startsWith(own + path.sep)) ignoreInGit(own);
    } catch (thrown) {
      const message = `${folder} cannot be written (${systemCodeOf(thrown) ?? messageOf(thrown)})`;
      throw new EngineError('DATABASE_UNAVAILABLE', message);
    }
  }

  async #open(databasePath: string): Promise<Engine> {
    const opening = await this.#source.opening();
    if (databasePath !== ':memory:') this.#prepareFolder(opening.projectRoot);
    try {
      return await openEngine({ ...opening, databasePath });
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') throw thrown;
      throw await this.#source.refused(thrown.message);
    }
  }
}

/** Where the database cannot be used at all: everything else is the caller's to know. */
export function isStorageProblem(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code.startsWith('DATABASE_');
}

export function notStored(thrown: unknown): string {
  return `Nothing is stored: ${messageOf(thrown)}`;
}

function ignoreInGit(folder: string): void {
  const file = path.join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}
