/**
 * A database file that is opened on first use, and the in-memory engine that replaces it if it cannot be opened. The
 * `Source` decides which file is opened (see `owner/`) and is asked again each time.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, EngineError, type NamedCalls, type OpenOptions, openEngine } from 'argus-engine';
import { ignoreInGit, isWithin, restrictPermissions, tryLstat } from '../system/files/path-safety.ts';
import { createUnwritableError } from '../system/files/unwritable-error.ts';

/** The engine for a call: the engine of the file, or an in-memory engine that replaces it. */
interface EngineForCall {
  engine: Engine;
  /** Set if the file exists but could not be opened. */
  problem: EngineError | undefined;
}

/** Makes calls: an engine, or a client that sends calls to a server. */
export type EngineCalls = Pick<Engine, keyof NamedCalls | 'attempt'>;

/** Where a memory is stored. */
export interface Store {
  /** True if the memory is on another machine, where other users write to it too. */
  readonly isShared: boolean;
  read<T>(call: (engine: EngineCalls) => Promise<T>): Promise<ResultWithWarnings<T>>;
  readOrCreate<T>(call: (engine: EngineCalls) => Promise<T>): Promise<ResultWithWarnings<T>>;
  /** Returns an engine that stores its calls, or throws. */
  openDurable(): Promise<EngineCalls>;
  /** Returns an engine in the memory of this process. What it records is lost when the process exits. */
  openInMemory(): Promise<Engine>;
  close(): Promise<void>;
  switchTo(file: string): void;
}

/** The result of a call, with warnings about what is missing in it. */
export interface ResultWithWarnings<T> {
  value: T;
  /** Empty if nothing is missing. */
  warnings: string[];
}

/** Options to open an engine that do not depend on the file. */
export type EngineOptions = Omit<OpenOptions, 'databasePath'>;

/** Another memory that is searched too. */
export type SecondaryMemory = Pick<EngineOptions, 'secondaryPath' | 'secondaryMemoryId'>;

/** The path of a database file, and the id of the memory in it. */
export interface LocatedDatabase {
  path: string;
  /** Undefined if there is no file yet, or if the file needs no id (the user's own memory). */
  memoryId: string | undefined;
  /** Creates an id for a new file. Undefined if the file needs no id. */
  newId: (() => string) | undefined;
  /** A copy of a foreign database, which is read too. */
  foreignPath: string | undefined;
  /** A database with the content of `.argus-shared`. */
  sharedPath: string | undefined;
}

/** Databases with data from other people that are read too. */
type ForeignDatabases = Pick<LocatedDatabase, 'foreignPath' | 'sharedPath'>;

/** Tells a `Database` which file to open, and how. */
export interface DatabaseSource {
  /** Called each time before the database is opened, because the file in the project may have been replaced. */
  locate(): Promise<LocatedDatabase>;
  /** Checks that the file exists, without reading it. */
  exists(): Promise<boolean>;
  createOpenOptions(): Promise<EngineOptions>;
  /** Returns a value that changes if the shared files change. Then the database is opened again. */
  computeSharedStamp?(): string | undefined;
  /** The folder whose `.argus` gets a `.gitignore`. */
  home?: string;
  /** Creates the error for patterns that the engine rejects. Patterns are the only options that people write. */
  createPatternError(message: string): Promise<Error>;
}

/** If several processes create a file at the same time, only one succeeds. The others retry and find the file. */
const MAX_TRIES = 5;
const RETRY_PAUSE_MS = 40;

export class Database implements Store {
  readonly isShared = false;
  readonly #source: DatabaseSource;
  #durable: Promise<Engine> | undefined;
  #inMemory: Promise<Engine> | undefined;
  /** The file that is open, to detect that it was replaced. */
  #openFileInfo: { path: string; inode: bigint; sharedStamp: string | undefined } | undefined;
  /** Engines of files that were replaced. They stay open because a call may still use them. */
  readonly #retired: Promise<Engine>[] = [];

  constructor(source: DatabaseSource) {
    this.#source = source;
  }

  /**
   * Makes a call on the file if it exists. Before the first write, an empty in-memory engine is used, so that reading
   * creates no file. If the file could not be opened and the in-memory engine reports "not found", throws the reason
   * why the file could not be opened.
   */
  async read<T>(call: (engine: Engine) => Promise<T>): Promise<ResultWithWarnings<T>> {
    const { engine, problem } = await this.#chooseForReading();
    try {
      return { value: await call(engine), warnings: toWarnings(problem) };
    } catch (thrown) {
      throw isNotFound(thrown) ? (problem ?? thrown) : thrown;
    }
  }

  /**
   * Like `read`, but creates the file if it is missing. If the file cannot be opened, an empty in-memory engine is
   * used.
   */
  async readOrCreate<T>(call: (engine: Engine) => Promise<T>): Promise<ResultWithWarnings<T>> {
    const { engine, problem } = await this.#openDurableOrInMemory();
    return { value: await call(engine), warnings: toWarnings(problem) };
  }

  async #chooseForReading(): Promise<EngineForCall> {
    if (this.#durable === undefined) {
      if (!(await this.#source.exists())) return { engine: await this.openInMemory(), problem: undefined };
      const location = await this.#locateOrProblem();
      if (location instanceof EngineError) return { engine: await this.openInMemory(), problem: location };
      const isMissing = location.memoryId === undefined && location.newId !== undefined;
      if (isMissing) return { engine: await this.openInMemory(location), problem: undefined };
    }
    return this.#openDurableOrInMemory();
  }

  async #openDurableOrInMemory(): Promise<EngineForCall> {
    try {
      return { engine: await this.openDurable(), problem: undefined };
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return { engine: await this.openInMemory(), problem: thrown };
    }
  }

  /** Opens the file. If that fails, the next call tries again, because a lock may end and space may become free. */
  openDurable(): Promise<Engine> {
    this.#retireIfReplaced();
    this.#durable ??= this.#openFile().catch((thrown: unknown) => {
      this.#durable = undefined;
      throw thrown;
    });
    return this.#durable;
  }

  openInMemory(ofOthers?: ForeignDatabases): Promise<Engine> {
    this.#inMemory ??= this.#open({ databasePath: ':memory:', ...pickDefinedPaths(ofOthers) });
    return this.#inMemory;
  }

  async close(): Promise<void> {
    const engines = [this.#durable, this.#inMemory, ...this.#retired.splice(0)];
    this.#durable = undefined;
    this.#inMemory = undefined;
    this.#openFileInfo = undefined;
    const opened = await Promise.allSettled(engines);
    await Promise.allSettled(opened.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
  }

  /**
   * Makes the next call open the database again if `file` is no longer the open file, for example after an adoption.
   */
  switchTo(file: string): void {
    if (this.#durable !== undefined && this.#openFileInfo !== undefined && this.#openFileInfo.path !== file)
      this.#retire(this.#durable);
  }

  async #locateOrProblem(): Promise<LocatedDatabase | EngineError> {
    try {
      return await this.#source.locate();
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return thrown;
    }
  }

  /**
   * Stops using the open engine if the file was replaced or the shared files changed. The next call then opens the
   * database again. If the file was deleted, its engine stays in use and creates the file again with the same id.
   */
  #retireIfReplaced(): void {
    if (this.#durable === undefined || this.#openFileInfo === undefined) return;
    const inode = readInode(this.#openFileInfo.path);
    const isReplaced = inode !== undefined && inode !== this.#openFileInfo.inode;
    if (isReplaced || this.#openFileInfo.sharedStamp !== this.#source.computeSharedStamp?.())
      this.#retire(this.#durable);
  }

  #retire(engine: Promise<Engine>): void {
    this.#retired.push(engine);
    this.#durable = undefined;
  }

  async #openFile(): Promise<Engine> {
    for (let tries = 1; ; tries++) {
      const located = await this.#source.locate();
      try {
        return await this.#openAt(located);
      } catch (thrown) {
        const wasCreatedByOther =
          located.memoryId === undefined && located.newId !== undefined && existsSync(located.path);
        const isUnavailable = thrown instanceof EngineError && thrown.code === 'DATABASE_UNAVAILABLE';
        if (!wasCreatedByOther || !isUnavailable || tries >= MAX_TRIES) throw thrown;
        await delay(RETRY_PAUSE_MS * tries);
      }
    }
  }

  async #openAt({ path: file, memoryId, newId, ...ofOthers }: LocatedDatabase): Promise<Engine> {
    const sharedStamp = this.#source.computeSharedStamp?.();
    prepareFolder(file, this.#source.home);
    const id = memoryId ?? newId?.();
    const engine = await this.#open({
      databasePath: file,
      ...(id === undefined ? {} : { memoryId: id, create: memoryId === undefined }),
      ...pickDefinedPaths(ofOthers),
    });
    const inode = readInode(file);
    this.#openFileInfo = inode === undefined ? undefined : { path: file, inode, sharedStamp };
    return engine;
  }

  async #open(
    file: Pick<OpenOptions, 'databasePath' | 'memoryId' | 'create' | 'foreignPath' | 'sharedPath'>,
  ): Promise<Engine> {
    const opening = await this.#source.createOpenOptions();
    try {
      return await openEngine({ ...opening, ...file });
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') throw thrown;
      throw await this.#source.createPatternError(thrown.message);
    }
  }
}

function pickDefinedPaths({
  foreignPath,
  sharedPath,
}: Partial<ForeignDatabases> = {}): Pick<EngineOptions, 'foreignPath' | 'sharedPath'> {
  return { ...(foreignPath === undefined ? {} : { foreignPath }), ...(sharedPath === undefined ? {} : { sharedPath }) };
}

/** The reason why a remote memory did not store a call. */
interface RejectionDetails {
  /** True if retrying does not help until a person changes something. */
  isRefused: boolean;
  /** True if the reason concerns only this call, so that other calls may succeed. */
  concernsCallOnly: boolean;
}

/** Thrown if a remote memory answered but did not store the call. */
export class CallRejectedError extends EngineError {
  readonly isRefused: boolean;
  readonly isOfCall: boolean;

  constructor(
    code: 'TEAM_DENIED' | 'TEAM_UNREACHABLE',
    message: string,
    { isRefused, concernsCallOnly }: RejectionDetails,
  ) {
    super(code, message);
    this.isRefused = isRefused;
    this.isOfCall = concernsCallOnly;
  }
}

/** True if the database or the team's server cannot be used. All other errors are errors of the call. */
export function isStorageProblem(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && /^(?:DATABASE|TEAM)_/u.test(thrown.code);
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
}

function toWarnings(problem: EngineError | undefined): string[] {
  return problem === undefined ? [] : [`Nothing was stored: ${problem.message}`];
}

/**
 * Creates the folder, and restricts the files to this user. The folder `.argus` of the project also gets a
 * `.gitignore`.
 */
function prepareFolder(file: string, home: string | undefined): void {
  const folder = path.dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = home === undefined ? undefined : path.join(home, '.argus');
    if (own !== undefined && isWithin(folder, own)) restrictToOwner(own);
    for (const suffix of ['', '-journal', '.lockmode', '.queue']) restrictPermissions(`${file}${suffix}`, 0o600);
  } catch (thrown) {
    throw createUnwritableError(folder, thrown);
  }
}

function restrictToOwner(folder: string): void {
  if (tryLstat(folder)?.isDirectory() !== true) return;
  restrictPermissions(folder, 0o700);
  ignoreInGit(folder);
}

function readInode(file: string): bigint | undefined {
  try {
    return statSync(file, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
