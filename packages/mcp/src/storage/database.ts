/**
 * A database file that is opened on first use, and the in-memory engine that replaces it when it cannot be opened. The
 * source (`owner/`) decides which file it is and who owns it, and is asked at each opening.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, EngineError, type NamedCalls, type OpenOptions, openEngine } from 'argus-engine';
import { unwritable } from '../system/files/unwritable.ts';
import { ignoreInGit, isWithin, lstat, tighten } from '../system/files/way.ts';

/** The engine that answers a call. `problem` is set when `engine` is a substitute for the file. */
interface Answering {
  engine: Engine;
  /** Set when the file exists but could not be opened. */
  problem: EngineError | undefined;
}

/** Makes calls: an engine, or a client that sends the calls to a server. */
export type Calling = Pick<Engine, keyof NamedCalls | 'attempt'>;

/** The place where a memory is kept. */
export interface Store {
  /** True when the memory is on another machine, where other users write to it too. */
  readonly isShared: boolean;
  read<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>>;
  readOrMake<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>>;
  /** Returns an engine that stores its calls, or throws. */
  durable(): Promise<Calling>;
  /** An engine in the memory of this process. Its contents are lost when the process ends. */
  inMemory(): Promise<Engine>;
  close(): Promise<void>;
  follow(file: string): void;
}

/** The result of a call, with warnings about what limits it. */
export interface WithWarnings<T> {
  value: T;
  /** Empty when all is well. */
  warnings: string[];
}

/** Options for opening an engine that do not depend on the file. */
export type Opening = Omit<OpenOptions, 'databasePath'>;

/** A second memory that is searched as well, if there is one. */
export type SecondaryMemory = Pick<Opening, 'secondaryPath' | 'secondaryMemoryId'>;

/** The path of a database file, and the id of the memory in it. */
export interface Located {
  path: string;
  /** Undefined when there is no file yet, or when the file needs no id (the user's own memory). */
  memoryId: string | undefined;
  /** Creates an id for a new file. Undefined when the file needs no id. */
  newId: (() => string) | undefined;
  /** A copy of a foreign database, which is read as a second source. */
  foreignPath: string | undefined;
  /** A database that holds the files of `.argus-shared`. */
  sharedPath: string | undefined;
}

/** Databases of other people that are read as well. */
type OfOthers = Pick<Located, 'foreignPath' | 'sharedPath'>;

/** Tells a `Database` which file to open, and how. */
export interface Source {
  /** Called at each opening, because the file in the project may have been replaced. */
  locate(): Promise<Located>;
  /** Checks that the file exists, without reading it. */
  isThere(): Promise<boolean>;
  opening(): Promise<Opening>;
  /** Changes whenever the shared files change. The database is then opened again. */
  sharedStamp?(): string | undefined;
  /** The folder whose `.argus` gets a `.gitignore`. */
  home?: string;
  /**
   * Builds the error for patterns that the engine refuses. Patterns are the only input of an opening that people write.
   */
  refused(message: string): Promise<Error>;
}

/** When several processes create a file at once, the processes that lose the race retry and find the file. */
const MAX_TRIES = 5;
const PAUSE_MS = 40;

export class Database implements Store {
  readonly isShared = false;
  readonly #source: Source;
  #durable: Promise<Engine> | undefined;
  #inMemory: Promise<Engine> | undefined;
  /** The open file, kept so that a replaced file is noticed. */
  #seen: { path: string; inode: bigint; sharedStamp: string | undefined } | undefined;
  /** Engines of files that were replaced. They stay open because a call may still be using them. */
  readonly #retired: Promise<Engine>[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Asks the file if it exists. Before the first write an empty in-memory engine answers, so that reading creates no
   * file. When the in-memory engine reports "not found" because the file could not be opened, throws the reason for
   * that instead.
   */
  async read<T>(call: (engine: Engine) => Promise<T>): Promise<WithWarnings<T>> {
    const { engine, problem } = await this.#forReading();
    try {
      return { value: await call(engine), warnings: warningsOf(problem) };
    } catch (thrown) {
      throw isNotFound(thrown) ? (problem ?? thrown) : thrown;
    }
  }

  /**
   * Like `read`, but creates the file if it is missing. An empty in-memory engine answers if the file cannot be opened.
   */
  async readOrMake<T>(call: (engine: Engine) => Promise<T>): Promise<WithWarnings<T>> {
    const { engine, problem } = await this.#durableOrInMemory();
    return { value: await call(engine), warnings: warningsOf(problem) };
  }

  async #forReading(): Promise<Answering> {
    if (this.#durable === undefined) {
      if (!(await this.#source.isThere())) return { engine: await this.inMemory(), problem: undefined };
      const located = await this.#located();
      if (located instanceof EngineError) return { engine: await this.inMemory(), problem: located };
      const isMissing = located.memoryId === undefined && located.newId !== undefined;
      if (isMissing) return { engine: await this.inMemory(located), problem: undefined };
    }
    return this.#durableOrInMemory();
  }

  async #durableOrInMemory(): Promise<Answering> {
    try {
      return { engine: await this.durable(), problem: undefined };
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return { engine: await this.inMemory(), problem: thrown };
    }
  }

  /** Opens the file. The next call tries again after a failure, because a lock can end and a disk can be freed. */
  durable(): Promise<Engine> {
    this.#forgetReplaced();
    this.#durable ??= this.#openFile().catch((thrown: unknown) => {
      this.#durable = undefined;
      throw thrown;
    });
    return this.#durable;
  }

  inMemory(ofOthers?: OfOthers): Promise<Engine> {
    this.#inMemory ??= this.#open({ databasePath: ':memory:', ...givenOf(ofOthers) });
    return this.#inMemory;
  }

  async close(): Promise<void> {
    const engines = [this.#durable, this.#inMemory, ...this.#retired.splice(0)];
    this.#durable = undefined;
    this.#inMemory = undefined;
    this.#seen = undefined;
    const opened = await Promise.allSettled(engines);
    await Promise.allSettled(opened.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
  }

  /** Makes the next call reopen the database if `file` is no longer the open file, for example after an adoption. */
  follow(file: string): void {
    if (this.#durable !== undefined && this.#seen !== undefined && this.#seen.path !== file)
      this.#retire(this.#durable);
  }

  async #located(): Promise<Located | EngineError> {
    try {
      return await this.#source.locate();
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return thrown;
    }
  }

  /**
   * Drops the open engine if another file was put in its place or if the shared files changed. The next call then opens
   * the database again. A file that was deleted keeps its engine, which creates it again under the same id.
   */
  #forgetReplaced(): void {
    if (this.#durable === undefined || this.#seen === undefined) return;
    const inode = inodeOf(this.#seen.path);
    const isAnother = inode !== undefined && inode !== this.#seen.inode;
    if (isAnother || this.#seen.sharedStamp !== this.#source.sharedStamp?.()) this.#retire(this.#durable);
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
        const wasMade = located.memoryId === undefined && located.newId !== undefined && existsSync(located.path);
        const isAnother = thrown instanceof EngineError && thrown.code === 'DATABASE_UNAVAILABLE';
        if (!wasMade || !isAnother || tries >= MAX_TRIES) throw thrown;
        await delay(PAUSE_MS * tries);
      }
    }
  }

  async #openAt({ path: file, memoryId, newId, ...ofOthers }: Located): Promise<Engine> {
    const sharedStamp = this.#source.sharedStamp?.();
    prepareFolder(file, this.#source.home);
    const id = memoryId ?? newId?.();
    const engine = await this.#open({
      databasePath: file,
      ...(id === undefined ? {} : { memoryId: id, create: memoryId === undefined }),
      ...givenOf(ofOthers),
    });
    const inode = inodeOf(file);
    this.#seen = inode === undefined ? undefined : { path: file, inode, sharedStamp };
    return engine;
  }

  async #open(
    file: Pick<OpenOptions, 'databasePath' | 'memoryId' | 'create' | 'foreignPath' | 'sharedPath'>,
  ): Promise<Engine> {
    const opening = await this.#source.opening();
    try {
      return await openEngine({ ...opening, ...file });
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') throw thrown;
      throw await this.#source.refused(thrown.message);
    }
  }
}

function givenOf({ foreignPath, sharedPath }: Partial<OfOthers> = {}): Pick<Opening, 'foreignPath' | 'sharedPath'> {
  return { ...(foreignPath === undefined ? {} : { foreignPath }), ...(sharedPath === undefined ? {} : { sharedPath }) };
}

/** Why a remote memory did not store a call. */
interface Untaken {
  /** Retrying does not help until a person changes something. */
  isRefused: boolean;
  /** The reason concerns this call only; other calls may succeed. */
  isOfCall: boolean;
}

/** A remote memory answered and did not store the call. */
export class NotTakenError extends EngineError {
  readonly isRefused: boolean;
  readonly isOfCall: boolean;

  constructor(code: 'TEAM_DENIED' | 'TEAM_UNREACHABLE', message: string, { isRefused, isOfCall }: Untaken) {
    super(code, message);
    this.isRefused = isRefused;
    this.isOfCall = isOfCall;
  }
}

/** True when the database or the team's server cannot be used. All other errors are the caller's to handle. */
export function isStorageProblem(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && /^(?:DATABASE|TEAM)_/u.test(thrown.code);
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
}

function warningsOf(problem: EngineError | undefined): string[] {
  return problem === undefined ? [] : [`Nothing is stored: ${problem.message}`];
}

/** Restricts the files to this user. A folder inside the project's `.argus` also gets a `.gitignore`. */
function prepareFolder(file: string, home: string | undefined): void {
  const folder = path.dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = home === undefined ? undefined : path.join(home, '.argus');
    if (own !== undefined && isWithin(folder, own)) keepToOwner(own);
    for (const suffix of ['', '-journal', '.lockmode', '.queue']) tighten(`${file}${suffix}`, 0o600);
  } catch (thrown) {
    throw unwritable(folder, thrown);
  }
}

function keepToOwner(folder: string): void {
  if (lstat(folder)?.isDirectory() !== true) return;
  tighten(folder, 0o700);
  ignoreInGit(folder);
}

function inodeOf(file: string): bigint | undefined {
  try {
    return statSync(file, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
