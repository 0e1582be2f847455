/** One project's memory, on whatever platform. */

import { type CallName, type Calls, NamedCalls, WRITING_CALLS } from './generated/calls.ts';
import type { Locale, MemoryOptions, RecorderOptions, Retention, UserRule, UserSecret } from './generated/contract.ts';
import type { Log, WriteQueue } from './host.ts';
import type { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

/** How to open one project's memory. */
export interface OpenOptions {
  /** A file, made at the first write, or `:memory:`. Not on a network file system: their locks cannot be trusted. */
  readonly databasePath: string;
  /** Absolute, real path; case files are made relative to it. */
  readonly projectRoot: string;
  /** Language of built-in suggestions; English by default. */
  readonly locale?: Locale;
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly UserSecret[];
  readonly retention?: Retention;
  /** The other memory, searched too and whose ids resolve. Never made; a missing file reads as an empty one. */
  readonly secondaryPath?: string;
  /** The id that the other memory has (`identify`); another file in its place is left out. */
  readonly secondaryMemoryId?: string;
  /**
   * A copy of a database that is somebody else's. What answers in it is shown as theirs, after all that is known here.
   * The copy itself may be changed: it is brought to this version.
   */
  readonly foreignPath?: string;
  /**
   * A database of what the repository shares, made by `shareTake`. What answers in it is shown as somebody else's, with
   * the file it is from.
   */
  readonly sharedPath?: string;
  /** The id that the file has (`identify`), or gets when it is made; another file in its place is refused. */
  readonly memoryId?: string;
  /** Makes the file now where there is none, and not at the first write. */
  readonly create?: boolean;
  /** Who records what is recorded; kept with every fix. */
  readonly recorder?: RecorderOptions;
  /** Which memory `databasePath` is, and how it forgets. */
  readonly memory?: MemoryOptions;
  /** Nothing is ever written, and no file is made. */
  readonly readOnly?: boolean;
  /** What is recorded comes from other machines, so that a report's path is none of this one's: `reports` are refused. */
  readonly withoutFiles?: boolean;
  /** Waits half a second, not eight, for a lock that another program holds, and half a second for its turn in the queue. */
  readonly isImpatient?: boolean;
  /** Takes what a person looking for a cause would want to know. */
  readonly log?: Log;
}

/** What makes a call the same call when it is made again, and who makes it. */
export interface Caller {
  /** A UUIDv7 lends its time to the ids that the call makes. */
  readonly callId: string;
  /** When it is made, in milliseconds since the epoch; later than this machine's clock is now. */
  readonly now: number;
  readonly recorder: RecorderOptions;
}

/** A value that is undefined is none. */
export function definedOf(params: object): object {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

function isWriting(name: CallName): boolean {
  return WRITING_CALLS.some((writing) => writing === name);
}

/** A search that cannot be remembered at once answers all the same, so it waits for no writer. */
const QUEUED_CALLS: ReadonlySet<CallName> = new Set(WRITING_CALLS.filter((name) => name !== 'rankedSolutions'));

/**
 * The engine's calls, each by its name. Errors are `EngineError`. A call that writes waits for its turn after those of
 * other processes; one may block for some seconds while a program that knows no turns holds the database.
 */
export class Engine extends NamedCalls {
  readonly #runtime: Runtime;
  readonly #options: OpenOptions;
  readonly #queue: WriteQueue | undefined;
  #current: { readonly generation: number; readonly wasm: wasm.WasmEngine } | undefined;
  #closed = false;

  /** Opens the database; a missing one stays missing until something is written. */
  constructor(runtime: Runtime, options: OpenOptions) {
    super();
    this.#runtime = runtime;
    this.#options = options;
    const isShared = options.databasePath !== ':memory:' && options.readOnly !== true;
    this.#queue = isShared ? runtime.queue(options.databasePath, options.isImpatient ?? false) : undefined;
    this.#call(() => undefined);
  }

  /**
   * Makes a call; a value that is undefined is none. The ids it makes come from `callId`, so that the same call made
   * twice makes the same ids, and it writes once: CALL_REPEATED then. Without one they are new each time. `now`, in
   * milliseconds since the epoch, is when a named call should have been made, where that was earlier.
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

  /** A call of another machine, in one transaction with what it answers: made again, it answers what it has answered. */
  async callOnce<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    { callId, now, recorder }: Caller,
  ): Promise<Calls[N]['result']> {
    const given = definedOf(params);
    const perform = () => this.#call((engine) => engine.callOnce(name, given, callId, now, recorder));
    return this.#queue !== undefined && isWriting(name) ? this.#queue.inTurn(perform) : perform();
  }

  /** The same out of turn, and DATABASE_LOCKED at once where the database is locked. */
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

  /** Closes the database once the calls that wait are done. No call can be made meanwhile; closing twice is fine. */
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

  /** After a trap there is a new instance, and the file is opened again there. */
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
