/**
 * One database file, opened once something needs it, and the memory that stands in where it cannot be. Whose it is:
 * `owner/`, asked at each opening.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Engine, EngineError, type NamedCalls, type OpenOptions, openEngine } from 'argus-engine';
import { unwritable } from '../system/files/unwritable.ts';
import { ignoreInGit, isWithin, lstat, tighten } from '../system/files/way.ts';

/** The engine that answers, and why it is not the file, if it is not. */
interface Answering {
  engine: Engine;
  /** The file is there and could not be opened. */
  problem: EngineError | undefined;
}

/** What makes calls: an engine, or something that has them made elsewhere. */
export type Calling = Pick<Engine, keyof NamedCalls | 'attempt'>;

/** What a memory is kept in. */
export interface Store {
  /** It is on another machine, which others write to. */
  readonly isShared: boolean;
  read<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>>;
  readOrMake<T>(call: (engine: Calling) => Promise<T>): Promise<WithWarnings<T>>;
  /** What stores, or an error. */
  durable(): Promise<Calling>;
  /** A memory of this process alone: nothing of it is kept. */
  inMemory(): Promise<Engine>;
  close(): Promise<void>;
  follow(file: string): void;
}

/** An answer, and what limits it. */
export interface WithWarnings<T> {
  value: T;
  /** Empty when all is well. */
  warnings: string[];
}

/** How the engine is opened, whatever the file. */
export type Opening = Omit<OpenOptions, 'databasePath'>;

/** The other memory that is searched, if there is one. */
export type SecondaryMemory = Pick<Opening, 'secondaryPath' | 'secondaryMemoryId'>;

/** Where a database is, and whose. */
export interface Located {
  path: string;
  /** Undefined: there is no file, or it is one that needs no id. */
  memoryId: string | undefined;
  /** Gives an id to a file that is made now; undefined where it needs none. */
  newId: (() => string) | undefined;
  /** The copy of a foreign one that is looked at beside it. */
  foreignPath: string | undefined;
  /** What the repository shares, taken in. */
  sharedPath: string | undefined;
}

/** What others know, looked at beside it. */
type OfOthers = Pick<Located, 'foreignPath' | 'sharedPath'>;

/** What a database is opened with. */
export interface Source {
  /** Found anew at each opening: what lies in a project may be another file by now. */
  locate(): Promise<Located>;
  /** Without a look into any file. */
  isThere(): Promise<boolean>;
  opening(): Promise<Opening>;
  /** Another for each state of what the repository shares: then it is opened anew. */
  sharedStamp?(): string | undefined;
  /** The folder whose `.argus` git is to be kept away from. */
  home?: string;
  /** The error for patterns that the engine refuses; they are all of its input that people write beforehand. */
  refused(message: string): Promise<Error>;
}

/** Of several processes that make a file at once, the others find it made. */
const MAX_TRIES = 5;
const PAUSE_MS = 40;

export class Database implements Store {
  readonly isShared = false;
  readonly #source: Source;
  #durable: Promise<Engine> | undefined;
  #inMemory: Promise<Engine> | undefined;
  /** The open file, to notice when another lies in its place. */
  #seen: { path: string; inode: bigint; sharedStamp: string | undefined } | undefined;
  /** Engines of files that are gone; a call may still be using one. */
  readonly #retired: Promise<Engine>[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Asks the file where there is one; before the first write an empty memory, so that reading creates nothing. What
   * the memory does not know may be in the file: then the error is why the file could not be opened.
   */
  async read<T>(call: (engine: Engine) => Promise<T>): Promise<WithWarnings<T>> {
    const { engine, problem } = await this.#forReading();
    try {
      return { value: await call(engine), warnings: warningsOf(problem) };
    } catch (thrown) {
      throw isNotFound(thrown) ? (problem ?? thrown) : thrown;
    }
  }

  /** Asks the file, made where there is none; where it cannot be opened, an empty memory. */
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

  /** The file. A failed opening is tried again by the next call: a lock ends, a disk is freed. */
  durable(): Promise<Engine> {
    this.#forgetReplaced();
    this.#durable ??= this.#openFile().catch((thrown: unknown) => {
      this.#durable = undefined;
      throw thrown;
    });
    return this.#durable;
  }

  /** A memory of this process alone: nothing of it is kept. */
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

  /** Opens the file anew at the next call where it is not the one that is to be used any more: one was adopted. */
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
   * A file that is gone is made again under its id; another in its place is looked at as if it were new, and what the
   * repository shares is taken in anew where it has changed.
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

/** Where the database cannot be used at all: everything else is the caller's to know. */
export function isStorageProblem(thrown: unknown): thrown is EngineError {
  return thrown instanceof EngineError && /^(?:DATABASE|TEAM)_/u.test(thrown.code);
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
}

function warningsOf(problem: EngineError | undefined): string[] {
  return problem === undefined ? [] : [`Nothing is stored: ${problem.message}`];
}

/** For this user alone. Inside the project's `.argus` it also has the mark that keeps git away. */
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
