/** The memory of one project, on any platform. */

import { type CallName, type Calls, NamedCalls, WRITING_CALLS } from './generated/calls.ts';
import type {
  Locale,
  MemoryOptions,
  RecorderOptions,
  Retention,
  SecretPattern,
  UserRule,
} from './generated/contract.ts';
import type { Log, WriteQueue } from './host.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** How to open the memory of a project. */
export interface OpenOptions {
  /**
   * Path of a database file, which the first write creates, or `:memory:`. Do not use a network file system, because
   * its locks are not reliable.
   */
  readonly databasePath: string;
  /** Absolute path of the project, with symbolic links resolved. Paths of test files are stored relative to it. */
  readonly projectRoot: string;
  /** Language of built-in suggestions. The default is English. */
  readonly locale?: Locale;
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly SecretPattern[];
  readonly retention?: Retention;
  /**
   * A second memory that is also searched. Ids from it are recognized. The file is never created; a missing file counts
   * as an empty database.
   */
  readonly secondaryPath?: string;
  /** Expected id of the second memory (`identify`). A file with a different id is ignored. */
  readonly secondaryMemoryId?: string;
  /**
   * A copy of a database from someone else. Its results are marked as foreign and come after all results of this
   * memory. The copy may be changed, because it is migrated to this version.
   */
  readonly foreignPath?: string;
  /**
   * A database with everything that the repository shares, created by `shareTake`. Its results are marked as shared and
   * include the path of the shared file.
   */
  readonly sharedPath?: string;
  /**
   * The id that an existing file must have (`identify`) and that a new file gets. A file with a different id is
   * refused.
   */
  readonly memoryId?: string;
  /** Creates a missing file when the engine opens, instead of at the first write. */
  readonly create?: boolean;
  /** Author of all records. The author is stored with every fix. */
  readonly recorder?: RecorderOptions;
  /** Kind of the memory at `databasePath`, and its retention rules. */
  readonly memory?: MemoryOptions;
  /** Opens the database for reading only. Nothing is written, and no file is created. */
  readonly readOnly?: boolean;
  /**
   * True if the records come from other machines. Then a call with report paths is refused, because the paths do not
   * refer to this machine.
   */
  readonly withoutFiles?: boolean;
  /**
   * Waits half a second instead of eight for another program's lock, and half a second for its turn in the write queue.
   */
  readonly isImpatient?: boolean;
  /** Receives log lines for debugging. */
  readonly log?: Log;
}

/** Id, time and author of a call. The id makes a repeated call recognizable. */
export interface Caller {
  /** Id of the call, a UUIDv7. Its time becomes part of the ids that the call creates. */
  readonly callId: string;
  /** Time of the call in milliseconds since the epoch. A time in the future counts as now. */
  readonly now: number;
  readonly recorder: RecorderOptions;
}

/** Returns a copy of `params` without properties whose value is undefined. */
export function omitUndefined(params: object): object {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

export function isWritingCall(name: CallName): boolean {
  return WRITING_CALLS.some((writing) => writing === name);
}

/**
 * Calls that wait in the write queue. A search does not wait, because it returns its result even if the result cannot
 * be stored immediately.
 */
const QUEUED_CALLS: ReadonlySet<CallName> = new Set(WRITING_CALLS.filter((name) => name !== 'rankedSolutions'));

/**
 * The engine's calls, one method per name. Errors are `EngineError`. A call that writes waits for its turn behind calls
 * of other processes. It may block for a few seconds if a program that does not use the queue locks the database.
 */
export class Engine extends NamedCalls {
  readonly #runtime: Runtime;
  readonly #options: OpenOptions;
  readonly #queue: WriteQueue | undefined;
  #current: { readonly generation: number; readonly wasm: wasm.WasmEngine } | undefined;
  #closed = false;

  /** Opens the database. A missing file is created only by the first write. */
  constructor(runtime: Runtime, options: OpenOptions) {
    super();
    this.#runtime = runtime;
    this.#options = options;
    const isShared = options.databasePath !== ':memory:' && options.readOnly !== true;
    this.#queue = isShared ? runtime.queue(options.databasePath, options.isImpatient ?? false) : undefined;
    this.#call(() => undefined);
  }

  /**
   * Makes a call. Properties with the value undefined are ignored. The ids that the call creates are derived from
   * `callId`: the same call creates the same ids again and writes only once (CALL_REPEATED). Without `callId` they are
   * always new. `now`, in milliseconds since the epoch, is the original time of a call with an id that is made later,
   * for example after it waited in the spool.
   */
  async call<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    const perform = this.#prepare(name, params, callId, now);
    return this.#queue !== undefined && QUEUED_CALLS.has(name) ? this.#queue.runInTurn(perform) : perform();
  }

  /**
   * Makes a call on behalf of another machine. The answer is stored in the same transaction, so that a repeated call
   * returns the first answer.
   */
  async callOnce<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    { callId, now, recorder }: Caller,
  ): Promise<Calls[N]['result']> {
    const given = omitUndefined(params);
    const perform = () => this.#call((engine) => engine.callOnce(name, given, callId, now, recorder));
    return this.#queue !== undefined && isWritingCall(name) ? this.#queue.runInTurn(perform) : perform();
  }

  /**
   * Like `call`, but without waiting for its turn. Fails with DATABASE_LOCKED if the database stays locked for half a
   * second.
   */
  async attempt<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    return this.#runtime.runWithShortWaits(this.#prepare(name, params, callId, now));
  }

  #prepare<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId: string | undefined,
    now: number | undefined,
  ): () => Calls[N]['result'] {
    if (this.#closed) throw new Error('the engine was closed');
    const given = omitUndefined(params);
    return () => this.#call((engine) => engine.call(name, given, callId, now));
  }

  /** Closes the database after all waiting calls. No further call can be made. Closing twice is allowed. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#queue !== undefined) await this.#queue.close();
    const current = this.#current;
    this.#current = undefined;
    if (current?.generation !== this.#runtime.generation) return;
    this.#runtime.call(this.#options.log, () => current.wasm.free());
  }

  #call<T>(work: (engine: wasm.WasmEngine) => T): T {
    const call = () => this.#runtime.call(this.#options.log, () => work(this.#open()));
    return this.#options.isImpatient === true ? this.#runtime.runWithShortWaits(call) : call();
  }

  /** After a trap there is a new instance, so the file must be opened again. */
  #open(): wasm.WasmEngine {
    if (this.#current?.generation === this.#runtime.generation) return this.#current.wasm;
    if (this.#current !== undefined) this.#options.log?.(`engine: opening ${this.#options.databasePath} again`);
    const { databasePath, projectRoot, locale, rules, secrets, retention, memory, readOnly } = this.#options;
    const { secondaryPath, secondaryMemoryId, foreignPath, sharedPath } = this.#options;
    const { memoryId, create, recorder, withoutFiles } = this.#options;
    const engine = new wasm.WasmEngine({
      databasePath,
      projectRoot,
      readOnly: readOnly ?? false,
      locale: locale ?? 'en',
      rules: rules ?? [],
      secrets: secrets ?? [],
      retention: retention ?? {},
      secondaryPath,
      secondaryMemoryId,
      foreignPath,
      sharedPath,
      memoryId,
      create: create ?? false,
      recorder: recorder ?? {},
      withoutFiles: withoutFiles ?? false,
      memory: memory ?? {},
    });
    this.#current = { generation: this.#runtime.generation, wasm: engine };
    return engine;
  }
}
