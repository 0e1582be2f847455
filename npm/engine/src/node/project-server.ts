/**
 * The projects of a server on PostgreSQL. Each call runs on a thread of its own (project-workers.ts) and asks this thread
 * for its statements, which go out on a connection of its own.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, definedOf } from '../engine.ts';
import { type CallName, type Calls, NamedCalls } from '../generated/calls.ts';
import type { Locale, Retention } from '../generated/contract.ts';
import type { Log } from '../host.ts';
import { defaultWorkers, ProjectWorkers } from './project-workers.ts';
import type { Job, ServerJob } from './worker-messages.ts';

/** Values as text, bytes as bytes; their types are the statement's. */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly (string | Uint8Array | null)[];
}

/** What a statement answered: values as text, with the number of each column's type. */
export interface SqlAnswer {
  readonly types: readonly number[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** As the server says: `INSERT 0 3`, `COMMIT`. */
  readonly tag: string;
}

/** Why statements were not done. `code`: SQLSTATE, empty where no server answered. The message holds no stored text. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** One connection, for one call at a time. */
export interface SqlConnection {
  /** Sends all at once; after the first that fails none is done, and the error is that one's: a `SqlError`. */
  send(statements: readonly SqlStatement[]): Promise<readonly SqlAnswer[]>;
  /** Gives it back. Broken: whatever is open on it is lost with it. */
  release(isBroken: boolean): void;
}

/** Connections to one database. */
export interface SqlPool {
  /** Rejects with a `SqlError`. */
  connect(): Promise<SqlConnection>;
  close(): Promise<void>;
}

export interface ProjectServerOptions {
  readonly pool: SqlPool;
  /** How many calls are made at once; the pool needs as many connections. 8 for each core if not given, at most 32. */
  readonly workers?: number;
  /** Which runs are deleted. */
  readonly retention?: Retention;
  /** How long a call may take. */
  readonly callMs?: number;
  /** How long one is begun anew where the connection was lost, or another transaction came in between. */
  readonly tryAgainMs?: number;
  readonly log?: Log;
}

/** What the schema of a project is to this version. */
export interface SchemaState {
  readonly state: 'missing' | 'older' | 'current' | 'newer';
  readonly version: number | null;
}

/** What a call asks of its host. */
interface Request {
  readonly statements: readonly SqlStatement[];
  /** No transaction is open after these. */
  readonly isLast: boolean;
  /** The open transaction was given up. */
  readonly isFresh: boolean;
}

const CALL_MS = 30_000;

const ROLLBACK: SqlStatement = { sql: 'ROLLBACK', params: [] };

/** Before the first repetition; each further one waits twice as long. */
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 2_000;

/** SQLSTATE of a write where none is taken. */
const READ_ONLY = '25006';

const INTERNAL_ERROR = 'XX000';

/** The name of the server's own database. */
const OWN = '';

const DEFAULT_LOCALE = 'en';

/** All projects of a server. Errors are `EngineError`. */
export class ProjectServer {
  readonly #options: ProjectServerOptions;
  readonly #workers: ProjectWorkers;

  constructor(options: ProjectServerOptions) {
    const { workers = defaultWorkers(), retention, log } = options;
    this.#options = options;
    // Case names come relative to the project's folder, wherever that is.
    const engine = { rules: [], secrets: [], memory: {}, recorder: {}, projectRoot: '/' };
    this.#workers = new ProjectWorkers(workers, { ...engine, retention: definedOf(retention ?? {}) }, log);
  }

  /**
   * A project's database, or the server's own if no name is given. The first write creates it. `locale`: language of
   * built-in suggestions.
   */
  project(name = OWN, locale: Locale = DEFAULT_LOCALE): ProjectMemory {
    return new ProjectMemory((call, params, caller) => {
      const args = [name, call, definedOf(params), caller?.callId, caller?.now, caller?.recorder ?? {}];
      return this.#ask({ locale, method: 'call', args });
    });
  }

  /** Creates the schema of a project, or migrates it to this version. Safe while others do the same. */
  async migrate(project = OWN): Promise<void> {
    await this.#about('migrate', project);
  }

  async state(project = OWN): Promise<SchemaState> {
    return (await this.#about('state', project)) as SchemaState;
  }

  /** The projects in which something was written. */
  async projects(): Promise<string[]> {
    return (await this.#about('projects')) as string[];
  }

  /** Writes a consistent copy of a project into a new file that a local Argus can open. */
  async backup(project: string, path: string): Promise<void> {
    await this.#about('backup', project, path);
  }

  /** How many writes a project has had. */
  async writes(project: string): Promise<number> {
    return (await this.#about('writes', project)) as number;
  }

  /** Lets the engine trap at the given write or batch of statements, if the next call runs on the same thread. For tests. */
  async _trapAtWrite(writes: number): Promise<void> {
    await this.#ask({ method: 'trapAtWrite', writes });
  }

  /** Ends the threads, then the connections. */
  async close(): Promise<void> {
    await this.#workers.close();
    await this.#options.pool.close();
  }

  #about(method: ServerJob['method'], ...args: string[]): Promise<unknown> {
    return this.#ask({ locale: DEFAULT_LOCALE, method, args });
  }

  /** Repeats a call that lost its connection or conflicted with another transaction; a named call is stored once. */
  async #ask(job: Job): Promise<unknown> {
    const { callMs = CALL_MS, tryAgainMs = CALL_MS } = this.#options;
    const began = Date.now();
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      let mayTryAgain = false;
      try {
        return await this.#workers.use(callMs, async (worker) => {
          const until = Date.now() + callMs;
          const conversation = new Conversation(this.#options.pool, until);
          try {
            return await worker.run(job, until, (request) => conversation.answer(request as Request));
          } catch (thrown) {
            throw conversation.failure ?? thrown;
          } finally {
            mayTryAgain = conversation.mayTryAgain;
            conversation.end();
          }
        });
      } catch (thrown) {
        const isOver = Date.now() + pause >= began + Math.min(tryAgainMs, callMs);
        if (isOver || !mayTryAgain) throw thrown;
      }
      await delay(pause);
    }
  }
}

/** The calls of one project. */
export class ProjectMemory extends NamedCalls {
  readonly #make: (name: CallName, params: object, caller?: Caller) => Promise<unknown>;

  constructor(make: (name: CallName, params: object, caller?: Caller) => Promise<unknown>) {
    super();
    this.#make = make;
  }

  async call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    return (await this.#make(name, params)) as Calls[N]['result'];
  }

  /** A call of another machine, in one transaction with what it answers: made again, it answers what it has answered. */
  async callOnce<N extends CallName>(name: N, params: Calls[N]['params'], caller: Caller): Promise<Calls[N]['result']> {
    return (await this.#make(name, params, caller)) as Calls[N]['result'];
  }
}

/** What one attempt of a call says to the database, on one connection at a time. */
class Conversation {
  readonly #pool: SqlPool;
  readonly #until: number;
  #connection: SqlConnection | undefined;
  /** Another transaction came in between, or the connection was lost. */
  mayTryAgain = false;
  /** What the pool threw instead of a `SqlError`. */
  failure: unknown;

  constructor(pool: SqlPool, until: number) {
    this.#pool = pool;
    this.#until = until;
  }

  async answer({ statements, isLast, isFresh }: Request): Promise<unknown> {
    // What was open is ended on the way to what comes after it.
    const before = isFresh && this.#connection !== undefined ? [ROLLBACK] : [];
    try {
      this.#connection ??= await this.#connect();
      const answers = (await this.#inTime(this.#connection.send([...before, ...statements]))).slice(before.length);
      if (isLast) {
        this.#connection.release(false);
        this.#connection = undefined;
      }
      return answers;
    } catch (thrown) {
      if (!(thrown instanceof SqlError)) {
        this.failure = thrown;
        return { code: INTERNAL_ERROR, message: 'the host failed' };
      }
      this.mayTryAgain = isPassing(thrown.code);
      // Of a server that takes no writes any more another one may have taken the place.
      if (thrown.code === '' || thrown.code === READ_ONLY) this.#break();
      return { code: thrown.code, message: thrown.message };
    }
  }

  /** One that comes when the time is over goes back, because the pool has only so many. */
  async #connect(): Promise<SqlConnection> {
    const connecting = this.#pool.connect();
    try {
      return await this.#inTime(connecting);
    } catch (thrown) {
      connecting.then(
        (late) => late.release(false),
        () => {},
      );
      throw thrown;
    }
  }

  /** A call that is over has no transaction any more. */
  end(): void {
    this.#giveUp();
  }

  #giveUp(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.send([ROLLBACK]).then(
      () => connection.release(false),
      () => connection.release(true),
    );
  }

  #break(): void {
    this.#connection?.release(true);
    this.#connection = undefined;
  }

  /** What does not answer in time is given up with its connection. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => {
        this.#break();
        reject(new SqlError('57014', 'the time of the call is over'));
      };
      timer = setTimeout(giveUp, Math.max(0, this.#until - Date.now()));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * No answer, a failure of the connection, a server that restarts or is a standby not yet promoted; a serialization
 * failure, a deadlock.
 */
function isPassing(code: string): boolean {
  return code === '' || code === READ_ONLY || /^(?:08|40|57P0[123])/u.test(code);
}
