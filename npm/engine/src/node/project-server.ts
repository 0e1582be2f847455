/**
 * The memories of a server on PostgreSQL, a project each. A call asks for statements to be sent and is resumed with what
 * they answered, so that many are made at once on one thread, each on a connection of its own.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, definedOf } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { type CallName, type Calls, NamedCalls } from '../generated/calls.ts';
import type { Locale, Retention } from '../generated/contract.ts';
import type { Log } from '../host.ts';
import type { Runtime } from '../runtime.ts';
import * as wasm from '../wasm/argus_wasm.js';

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
  /** Language of built-in suggestions. */
  readonly locale: Locale;
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

type Step = { readonly done: false; readonly value: Request } | { readonly done: true; readonly value: unknown };

const CALL_MS = 30_000;

const ROLLBACK: SqlStatement = { sql: 'ROLLBACK', params: [] };

/** Before the first repetition; each further one waits twice as long. */
const PAUSE_MS = 20;
const MAX_PAUSE_MS = 2_000;

/** SQLSTATE of a write where none is taken. */
const READ_ONLY = '25006';

/** The name of the server's own memory. */
const OWN = '';

/** All projects of a server. Errors are `EngineError`. */
export class ProjectServer {
  readonly #runtime: Runtime;
  readonly #options: ProjectServerOptions;
  #current: { readonly generation: number; readonly wasm: wasm.WasmServer } | undefined;

  constructor(runtime: Runtime, options: ProjectServerOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  /** A project's memory; the server's own where none is named. Made at the first write. */
  project(name = OWN): ProjectMemory {
    return new ProjectMemory((call, params, caller) =>
      this.#ask((server) =>
        server.call(name, call, definedOf(params), caller?.callId, caller?.now, caller?.recorder ?? {}),
      ),
    );
  }

  /** Makes the schema of a project, or brings it to this version. Safe while others do the same. */
  async migrate(project = OWN): Promise<void> {
    await this.#ask((server) => server.migrate(project));
  }

  async state(project = OWN): Promise<SchemaState> {
    return (await this.#ask((server) => server.state(project))) as SchemaState;
  }

  /** The projects in which something was written. */
  async projects(): Promise<string[]> {
    return (await this.#ask((server) => server.projects())) as string[];
  }

  /** Writes a copy of a project into a new file, as it is at one moment; a local Argus opens it. */
  async backup(project: string, path: string): Promise<void> {
    await this.#ask((server) => server.backup(project, path));
  }

  /** How often a project was written; it rises with each write. */
  async writes(project: string): Promise<number> {
    return (await this.#ask((server) => server.writes(project))) as number;
  }

  async close(): Promise<void> {
    await this.#options.pool.close();
  }

  /** Begun anew where another transaction came in between, or the connection was lost: a named call is made once. */
  async #ask(begin: (server: wasm.WasmServer) => wasm.WasmCall): Promise<unknown> {
    const { callMs = CALL_MS, tryAgainMs = CALL_MS } = this.#options;
    const began = Date.now();
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      const conversation = new Conversation(this.#options.pool, began + callMs);
      try {
        return await this.#converse(conversation, begin);
      } catch (thrown) {
        const isOver = Date.now() + pause >= began + Math.min(tryAgainMs, callMs);
        if (isOver || !conversation.mayTryAgain) throw thrown;
      } finally {
        conversation.end();
      }
      await delay(pause);
    }
  }

  async #converse(conversation: Conversation, begin: (server: wasm.WasmServer) => wasm.WasmCall): Promise<unknown> {
    const { log } = this.#options;
    const call = this.#runtime.call(log, () => begin(this.#open()));
    const { generation } = this.#runtime;
    let answer: unknown;
    try {
      for (;;) {
        if (generation !== this.#runtime.generation) {
          throw new EngineError('INTERNAL_ERROR', 'The engine was restarted while the call was made. Make it again.');
        }
        const step = this.#runtime.call(log, () => call.resume(answer) as Step);
        if (step.done) return step.value;
        answer = await conversation.answer(step.value);
      }
    } finally {
      if (generation === this.#runtime.generation) call.free();
    }
  }

  /** After a trap there is a new instance. */
  #open(): wasm.WasmServer {
    if (this.#current?.generation === this.#runtime.generation) return this.#current.wasm;
    const { locale, retention } = this.#options;
    const options = { locale, rules: [], secrets: [], retention: definedOf(retention ?? {}), memory: {}, recorder: {} };
    // Case names come relative to the project's folder, wherever that is.
    const server = new wasm.WasmServer({ ...options, projectRoot: '/' });
    this.#current = { generation: this.#runtime.generation, wasm: server };
    return server;
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
      if (!(thrown instanceof SqlError)) throw thrown;
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
