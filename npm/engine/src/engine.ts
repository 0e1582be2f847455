/** The memory of one project, on any platform. */

import { type CallName, type Calls, NamedCalls, WRITING_CALLS } from './generated/calls.ts';
import type { Locale, MemoryOptions, RecorderOptions, Retention, UserRule, UserSecret } from './generated/contract.ts';
import type { Log, WriteQueue } from './host.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** How to open the memory of a project. */
export interface OpenOptions {
  /**
   * A file, created by the first write, or `:memory:`. Do not use a network file system, because its locks are not
   * reliable.
   */
  readonly databasePath: string;
  /** Absolute path with symbolic links resolved. Files of cases are stored relative to it. */
  readonly projectRoot: string;
  /** Language of built-in suggestions. English by default. */
  readonly locale?: Locale;
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly UserSecret[];
  readonly retention?: Retention;
  /**
   * A second memory that is also searched and whose ids are recognized. It is never created; a missing file reads as an
   * empty database.
   */
  readonly secondaryPath?: string;
  /** Id of the second memory (`identify`). A file with another id is ignored. */
  readonly secondaryMemoryId?: string;
  /**
   * A copy of a foreign database. Its results are marked as foreign and come after all results of this memory. The copy
   * may be changed, because it is migrated to this version.
   */
  readonly foreignPath?: string;
  /**
   * A database with everything that the repository shares, created by `shareTake`. Its results are marked as shared and
   * name their file.
   */
  readonly sharedPath?: string;
  /** The id that the file has (`identify`), or gets when it is created. A file with another id is refused. */
  readonly memoryId?: string;
  /** Creates a missing file now instead of at the first write. */
  readonly create?: boolean;
  /** Author of everything that is recorded. It is stored with every fix. */
  readonly recorder?: RecorderOptions;
  /** Kind of the memory at `databasePath`, and its rules for forgetting. */
  readonly memory?: MemoryOptions;
  /** Nothing is written and no file is created. */
  readonly readOnly?: boolean;
  /**
   * True if the records come from other machines. Paths of `reports` are refused then, because they do not refer to
   * this machine.
   */
  readonly withoutFiles?: boolean;
  /**
   * Waits half a second instead of eight for a lock of another program, and half a second for its turn in the queue.
   */
  readonly isImpatient?: boolean;
  /** Receives log lines for debugging. */
  readonly log?: Log;
}

/** Identifies a call, so that a repeated call is recognized, and its author. */
export interface Caller {
  /** Id of the call. The ids that the call creates contain the time of a UUIDv7. */
  readonly callId: string;
  /** Time of the call in milliseconds since the epoch. A time in the future counts as now. */
  readonly now: number;
  readonly recorder: RecorderOptions;
}

/** Removes properties whose value is undefined. */
export function definedOf(params: object): object {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

function isWriting(name: CallName): boolean {
  return WRITING_CALLS.some((writing) => writing === name);
}

/** A search returns its result even if it cannot be stored immediately, so it does not wait for other writers. */
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
   * always new. `now`, in milliseconds since the epoch, is the time at which a call with an id should have been made,
   * if that is in the past.
   */
  async call<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    const perform = this.#prepare(name, params, callId, now);
    return this.#queue !== undefined && QUEUED_CALLS.has(name) ? this.#queue.inTurn(perform) : perform();
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
    const given = definedOf(params);
    const perform = () => this.#call((engine) => engine.callOnce(name, given, callId, now, recorder));
    return this.#queue !== undefined && isWriting(name) ? this.#queue.inTurn(perform) : perform();
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
    return this.#runtime.briefly(this.#prepare(name, params, callId, now));
  }

  #prepare<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId: string | undefined,
    now: number | undefined,
  ): () => Calls[N]['result'] {
    if (this.#closed) throw new Error('the engine was closed');
    const given = definedOf(params);
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
    return this.#options.isImpatient === true ? this.#runtime.briefly(call) : call();
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
