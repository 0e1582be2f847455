/**
 * The projects of a server on PostgreSQL. Each call runs on its own thread (project-workers.ts). The call's thread asks
 * the main thread to send SQL statements over a connection that belongs to the call.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, omitUndefined } from '../engine.ts';
import { type CallName, type Calls, NamedCalls } from '../generated/calls.ts';
import type { Locale, Retention } from '../generated/contract.ts';
import type { Log } from '../host.ts';
import { getDefaultWorkerCount, ProjectWorkers } from './project-workers.ts';
import type { Job, ServerJob } from './worker-messages.ts';

/** An SQL statement. Parameters are text or bytes; the statement determines their types. */
export interface SqlStatement {
  readonly sql: string;
  readonly params: readonly (string | Uint8Array | null)[];
}

/** The result of a statement: values as text, and the OID of each column's type. */
export interface SqlAnswer {
  readonly types: readonly number[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Command tag of the server, for example `INSERT 0 3` or `COMMIT`. */
  readonly tag: string;
}

/**
 * An error of the database. `code` is the SQLSTATE, or empty if no server answered. The message contains no stored
 * text.
 */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A connection that serves one call at a time. */
export interface SqlConnection {
  /**
   * Sends all statements in one round trip. Execution stops at the first statement that fails, and its error is thrown
   * as a `SqlError`.
   */
  send(statements: readonly SqlStatement[]): Promise<readonly SqlAnswer[]>;
  /** Returns the connection to the pool. A broken connection is closed, so that its open transaction is rolled back. */
  release(isBroken: boolean): void;
}

/** A pool of connections to one database. */
export interface SqlPool {
  /** Rejects with a `SqlError`. */
  connect(): Promise<SqlConnection>;
  close(): Promise<void>;
}

export interface ProjectServerOptions {
  readonly pool: SqlPool;
  /**
   * Number of calls that can run at once. The pool needs the same number of connections. The default is 8 per core, but
   * at most 32.
   */
  readonly workers?: number;
  /** Limits for the number of runs that are kept. */
  readonly retention?: Retention;
  /** Time limit of a call in milliseconds. */
  readonly callMs?: number;
  /** How long a call is retried after a lost connection or a conflict with another transaction, in milliseconds. */
  readonly tryAgainMs?: number;
  readonly log?: Log;
}

/** Schema version of a project compared with this program. */
export interface SchemaState {
  readonly state: 'missing' | 'older' | 'current' | 'newer';
  readonly version: number | null;
}

/** A request of a call to the main thread. */
interface StatementRequest {
  readonly statements: readonly SqlStatement[];
  /** True if no transaction is open after these statements. */
  readonly isLast: boolean;
  /** True if the open transaction was abandoned and must be rolled back. */
  readonly isFresh: boolean;
}

const MAX_CALL_MS = 30_000;

const ROLLBACK: SqlStatement = { sql: 'ROLLBACK', params: [] };

/** Pause before the first retry. The pause doubles with every further retry. */
const FIRST_RETRY_PAUSE_MS = 20;
const MAX_RETRY_PAUSE_MS = 2_000;

/** SQLSTATE for a write to a server that is read-only. */
const READ_ONLY_SQLSTATE = '25006';

const INTERNAL_ERROR_SQLSTATE = 'XX000';

/** Name of the server's own database, which belongs to no project. */
const SERVER_DATABASE_KEY = '';

const DEFAULT_LOCALE = 'en';

/** All projects of a server. All errors are `EngineError`. */
export class ProjectServer {
  readonly #options: ProjectServerOptions;
  readonly #workers: ProjectWorkers;

  constructor(options: ProjectServerOptions) {
    const { workers = getDefaultWorkerCount(), retention, log } = options;
    this.#options = options;
    // Case names are already relative to the project's folder, so the engine needs no project folder.
    const engine = { rules: [], secrets: [], memory: {}, recorder: {}, projectRoot: '/' };
    this.#workers = new ProjectWorkers(workers, { ...engine, retention: omitUndefined(retention ?? {}) }, log);
  }

  /**
   * Returns the database of a project, or the server's own database if no name is given. The first write creates the
   * schema. `locale` is the language of built-in suggestions.
   */
  project(name = SERVER_DATABASE_KEY, locale: Locale = DEFAULT_LOCALE): ProjectMemory {
    return new ProjectMemory((call, params, caller) => {
      const args = [name, call, omitUndefined(params), caller?.callId, caller?.now, caller?.recorder ?? {}];
      return this.#ask({ locale, method: 'call', args });
    });
  }

  /** Creates the schema of a project or migrates it to this version. Several processes may do this at the same time. */
  async migrate(project = SERVER_DATABASE_KEY): Promise<void> {
    await this.#about('migrate', project);
  }

  async state(project = SERVER_DATABASE_KEY): Promise<SchemaState> {
    return (await this.#about('state', project)) as SchemaState;
  }

  /** Returns the names of the projects that have a schema. */
  async projects(): Promise<string[]> {
    return (await this.#about('projects')) as string[];
  }

  /** Writes a consistent copy of a project into a new file that a local Argus can open. */
  async backup(project: string, path: string): Promise<void> {
    await this.#about('backup', project, path);
  }

  /** Returns the number of writes to a project since it was created. */
  async writes(project: string): Promise<number> {
    return (await this.#about('writes', project)) as number;
  }

  /**
   * Makes the engine trap at the given write or batch of statements, if the next call runs on the same thread. For
   * tests.
   */
  async _trapAtWrite(writes: number): Promise<void> {
    await this.#ask({ method: 'trapAtWrite', writes });
  }

  /** Stops all threads, and then closes the connections. */
  async close(): Promise<void> {
    await this.#workers.close();
    await this.#options.pool.close();
  }

  #about(method: ServerJob['method'], ...args: string[]): Promise<unknown> {
    return this.#ask({ locale: DEFAULT_LOCALE, method, args });
  }

  /**
   * Runs a job, and retries it after a lost connection or a conflict with another transaction. A call with an id is
   * stored only once.
   */
  async #ask(job: Job): Promise<unknown> {
    const { callMs = MAX_CALL_MS, tryAgainMs = MAX_CALL_MS } = this.#options;
    const began = Date.now();
    for (let pause = FIRST_RETRY_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_RETRY_PAUSE_MS)) {
      let canRetry = false;
      try {
        return await this.#workers.use(callMs, async (worker) => {
          const until = Date.now() + callMs;
          const conversation = new DatabaseConversation(this.#options.pool, until);
          try {
            return await worker.run(job, until, (request) => conversation.answer(request as StatementRequest));
          } catch (thrown) {
            throw conversation.failure ?? thrown;
          } finally {
            canRetry = conversation.canRetry;
            conversation.end();
          }
        });
      } catch (thrown) {
        const isOver = Date.now() + pause >= began + Math.min(tryAgainMs, callMs);
        if (isOver || !canRetry) throw thrown;
      }
      await delay(pause);
    }
  }
}

/** The calls on the memory of a project. */
export class ProjectMemory extends NamedCalls {
  readonly #make: (name: CallName, params: object, caller?: Caller) => Promise<unknown>;

  constructor(make: (name: CallName, params: object, caller?: Caller) => Promise<unknown>) {
    super();
    this.#make = make;
  }

  async call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    return (await this.#make(name, params)) as Calls[N]['result'];
  }

  /**
   * Makes a call on behalf of another machine. The answer is stored in the same transaction, so that a repeated call
   * returns the first answer.
   */
  async callOnce<N extends CallName>(name: N, params: Calls[N]['params'], caller: Caller): Promise<Calls[N]['result']> {
    return (await this.#make(name, params, caller)) as Calls[N]['result'];
  }
}

/**
 * Exchanges requests and results between an attempt of a call and the database. It uses a single connection at a time.
 */
class DatabaseConversation {
  readonly #pool: SqlPool;
  readonly #until: number;
  #connection: SqlConnection | undefined;
  /** True if the attempt failed because of a conflict or a lost connection. */
  canRetry = false;
  /** An unexpected error of the pool that is not a `SqlError`. */
  failure: unknown;

  constructor(pool: SqlPool, until: number) {
    this.#pool = pool;
    this.#until = until;
  }

  async answer({ statements, isLast, isFresh }: StatementRequest): Promise<unknown> {
    // The open transaction is rolled back in the same round trip as the next statements.
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
        return { code: INTERNAL_ERROR_SQLSTATE, message: 'the host failed' };
      }
      this.canRetry = isTemporaryError(thrown.code);
      // If a server stops accepting writes, another server may have replaced it, so a new connection is needed.
      if (thrown.code === '' || thrown.code === READ_ONLY_SQLSTATE) this.#break();
      return { code: thrown.code, message: thrown.message };
    }
  }

  /** Returns a connection that arrives too late to the pool, because the number of connections is limited. */
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

  /** Rolls back the open transaction of a call that has finished. */
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

  /** Gives up the connection if the work does not finish in time. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => {
        this.#break();
        reject(new SqlError('57014', 'the call has timed out'));
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
 * Returns true for errors that may be temporary: no answer, a failed connection, a server that restarts or is a
 * standby, a serialization failure, or a deadlock.
 */
function isTemporaryError(code: string): boolean {
  return code === '' || code === READ_ONLY_SQLSTATE || /^(?:08|40|57P0[123])/u.test(code);
}
