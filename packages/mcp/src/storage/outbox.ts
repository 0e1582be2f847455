/**
 * Keeps calls that a project's database cannot store now, and stores them later. The calls wait in the spool. Until
 * they are stored, an in-memory engine that has made them answers questions about them. The engine itself waits for
 * locks that other processes hold.
 */

import { type Calls, type Engine, EngineError, type EngineErrorCode } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { messageOf } from '../errors.ts';
import { io } from '../system/io.ts';
import { isStorageProblem, NotTakenError } from './database.ts';
import { makeLate, type TeamIds, withoutUnknownSearch } from './late-solutions.ts';
import type { Spool, SpoolCounts, WaitingCall, WaitingCallName, WaitingFile } from './spool.ts';

/** Tells why an answer is not stored, and whether it will be stored later. */
export interface NotStored {
  stored: false;
  /**
   * True when the call is in the spool. The next call that can store it does so, or `argus team push` after a refusal.
   */
  queued: boolean;
  code: EngineErrorCode;
}

/** The result of a call, and whether it was stored. */
export interface Kept<T> {
  value: T;
  /** Undefined when the result is stored. */
  notStored?: NotStored;
  warnings: string[];
}

/**
 * The result of a call for a team that was stored on this machine instead. `queued`: it waits to be sent to the team.
 */
export interface KeptHere<T> {
  value: T;
  queued?: true;
  warnings: string[];
}

/** Errors after which the same call can succeed later. */
const PASSING: readonly EngineErrorCode[] = [
  'DATABASE_LOCKED',
  'DATABASE_FULL',
  'DATABASE_READ_ONLY',
  'TEAM_UNREACHABLE',
  'TEAM_DENIED',
];

/** Used when another process put the waiting calls there and this process has not tried to store them yet. */
const UNKNOWN_PROBLEM = new EngineError('DATABASE_LOCKED', 'Another process is writing to the database.');

/** Used in place of the reason for a refusal that an earlier process saw. */
const UNKNOWN_REFUSAL = new NotTakenError('TEAM_DENIED', "The team's server has refused the run.", {
  isRefused: true,
  isOfCall: true,
});

/** The engines that an outbox works with. */
export interface Engines {
  /** True for a team's server, whose refusals can end when a person changes something. */
  readonly isShared?: boolean;
  durable(): Promise<Pick<Engine, 'call' | 'attempt'>>;
  /** An engine in the memory of this process. */
  inMemory(): Promise<Engine>;
}

export class Outbox {
  readonly #engines: Engines;
  readonly #spool: Spool;
  /** Ids of the calls that the in-memory engine has already made. */
  readonly #replayed = new Set<string>();
  /** True when some calls could not even be written to the spool. They are lost when this process ends. */
  #hasUnkept = false;
  /** The reason for the last failure of the database. */
  #problem: EngineError | undefined;

  constructor(engines: Engines, spool: Spool) {
    this.#engines = engines;
    this.#spool = spool;
  }

  counts(): SpoolCounts {
    return this.#spool.counts();
  }

  /**
   * Stores the waiting calls that can be stored without waiting for a lock. Returns warnings instead of throwing,
   * because a call must not fail because of earlier calls.
   */
  async takeIn(): Promise<string[]> {
    return this.#takeInWith('attempt');
  }

  /** Called after a call was stored. It waits for the lock, because the lock was free a moment ago. */
  async takeInRest(): Promise<string[]> {
    return this.#takeInWith('call');
  }

  /** Moves refused calls back into the queue. Only for a person who asks for it. */
  releaseRefused(): void {
    this.#spool.takeBackRefused();
  }

  /** Returns the in-memory engine if it knows a run that is not stored. Undefined means: ask the database. */
  async memoryOf(runId: string): Promise<Engine | undefined> {
    if (!this.#hasKept() && !this.#hasUnkept) return undefined;
    const inMemory = await this.#replay();
    const known = await inMemory.runDetail({ runId, limit: 1 }).catch(() => undefined);
    return known === undefined ? undefined : inMemory;
  }

  /** Makes a call in memory and keeps it for later. `problem` is the reason why the database did not store it. */
  async keep<N extends WaitingCallName>(
    method: N,
    params: Calls[N]['params'],
    problem: EngineError = this.#knownProblem(),
    callId: string = uuidV7(),
  ): Promise<Kept<Calls[N]['result']>> {
    const call: WaitingCall<N> = { callId, now: io().now(), method, params };
    const inMemory = await this.#replay();
    const value = await inMemory.call(method, params, call.callId, call.now);
    this.#replayed.add(call.callId);
    return { value, ...(await this.#wait(call, problem)) };
  }

  /** Keeps a call that the database, open only for reading, has already answered. */
  async keepAnswered<N extends WaitingCallName>(
    method: N,
    params: Calls[N]['params'],
    value: Calls[N]['result'],
    problem: EngineError,
  ): Promise<Kept<Calls[N]['result']>> {
    return { value, ...(await this.#wait({ callId: uuidV7(), now: io().now(), method, params }, problem)) };
  }

  /** Keeps a call that was stored on this machine so that it can be sent to the team. */
  async keepMade(call: WaitingCall, problem = this.#knownProblem()): Promise<Omit<KeptHere<never>, 'value'>> {
    const obstacle = await this.#put(call, problem);
    if (obstacle === undefined) {
      const when = isRefused(problem) ? RETRIED : 'it waits for the team, and the next call that reaches it sends it';
      return { queued: true, warnings: [`Stored on this machine; ${when}. ${problem.message}`] };
    }
    const warning = `Stored on this machine alone (${obstacle}); argus team push sends it. ${problem.message}`;
    return { warnings: [warning] };
  }

  /** Returns true if a waiting call created an incident or solution with an id in `named`. */
  async holds(named: readonly string[]): Promise<boolean> {
    if (named.length === 0 || !this.#hasKept()) return false;
    const files = await this.#keptFiles();
    return files.some(({ call: { made = {} } }) => Object.values(made).some((id) => named.includes(id)));
  }

  /** Maps ids of this machine to the team's ids. */
  ids(): Promise<TeamIds> {
    return this.#spool.ids();
  }

  /** The last problem that this process has seen, or a general problem. */
  #knownProblem(): EngineError {
    return this.#problem ?? (this.#hasRefused() && this.#spool.isEmpty() ? UNKNOWN_REFUSAL : UNKNOWN_PROBLEM);
  }

  /** True when the spool has calls that the database does not have. */
  #hasKept(): boolean {
    return !this.#spool.isEmpty() || this.#hasRefused();
  }

  /** Always false for a local database, because its refusals never end. */
  #hasRefused(): boolean {
    return this.#engines.isShared === true && this.#spool.counts().refused > 0;
  }

  #keptFiles(): Promise<WaitingFile[]> {
    return this.#engines.isShared === true ? this.#spool.allFiles() : this.#spool.files();
  }

  #refuse(files: readonly WaitingFile[], reason: string): void {
    this.#spool.refuse(files, this.#engines.isShared === true ? `${reason} argus team push sends it again.` : reason);
  }

  async #wait(call: WaitingCall, problem: EngineError): Promise<Pick<Kept<never>, 'notStored' | 'warnings'>> {
    this.#problem = problem;
    const { code, message } = problem;
    const obstacle = await this.#put(call, problem);
    if (obstacle === undefined) {
      const when = isRefused(problem) ? RETRIED : 'it waits, and the next call that can store it will';
      return { notStored: { stored: false, queued: true, code }, warnings: [`Not stored yet: ${when}. ${message}`] };
    }
    this.#hasUnkept = true;
    const warning = `Not stored, and not kept for later (${obstacle}): it ends with this process. ${message}`;
    return { notStored: { stored: false, queued: false, code }, warnings: [warning] };
  }

  /** Puts the call into the spool. Returns the reason if that is not possible. */
  async #put(call: WaitingCall, problem: EngineError): Promise<string | undefined> {
    if (!PASSING.includes(problem.code)) return 'the database has to be mended first';
    try {
      await this.#spool.put(call, isRefused(problem));
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  /** The in-memory engine, after it has made all waiting calls. */
  async #replay(): Promise<Engine> {
    const inMemory = await this.#engines.inMemory();
    // `takeIn` has already warned if the files cannot be read.
    const files = await this.#keptFiles().catch(() => []);
    const fresh = files.filter(({ call }) => call.made === undefined && !this.#replayed.has(call.callId));
    for (const { call } of fresh) this.#replayed.add(call.callId);
    // The in-memory engine refuses calls about a stored run, because only the database knows that run.
    await inAnyOrder(fresh, ({ call }) => inMemory.call(call.method, call.params, call.callId, call.now));
    return inMemory;
  }

  async #takeInWith(patience: 'attempt' | 'call'): Promise<string[]> {
    try {
      await this.#takeInAll(patience);
      return [];
    } catch (thrown) {
      return [`What waits to be stored goes on waiting: ${messageOf(thrown)}`];
    }
  }

  async #takeInAll(patience: 'attempt' | 'call'): Promise<void> {
    if (this.#spool.isEmpty()) return;
    try {
      const ids = await this.#spool.ids();
      const failed = await inAnyOrder(await this.#spool.files(), (file) => this.#takeInOne(file, patience, ids));
      for (const { file, thrown } of failed) {
        // The call is about something that exists only on this machine, and this machine has already stored it.
        if (file.call.made !== undefined && thrown.code.endsWith('_NOT_FOUND')) this.#spool.remove(file);
        // The call stays: the engine failed, which does not make the call wrong. The log has the cause.
        else if (thrown.code !== 'INTERNAL_ERROR') this.#refuse([file], thrown.message);
      }
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      this.#problem = thrown;
      // The reason applies to all waiting calls, so sending the others would fail too.
      if (isRefused(thrown)) this.#refuse(await this.#spool.files(), thrown.message);
    }
  }

  async #takeInOne(file: WaitingFile, patience: 'attempt' | 'call', ids: Map<string, string>): Promise<void> {
    const { method, params, callId, now, made } = file.call;
    const engine = await this.#engines.durable();
    try {
      if (made !== undefined) {
        const renamed = await makeLate(file.call, ids, (name, given, id) =>
          withoutUnknownSearch(given, (fitting) => engine[patience](name, fitting, id, now)),
        );
        await this.#spool.putIds(callId, renamed);
        for (const [own, team] of renamed) ids.set(own, team);
      } else {
        const value = await engine[patience](method, params, callId, now);
        // A diagnosis returns an answer although it was not stored, so it keeps waiting.
        if ('notStored' in value && value.notStored !== undefined)
          throw new EngineError(value.notStored, UNKNOWN_PROBLEM.message);
      }
    } catch (thrown) {
      if (thrown instanceof NotTakenError && thrown.isOfCall) {
        // If it is not refused, the server failed, and the call keeps waiting.
        if (thrown.isRefused) this.#refuse([file], thrown.message);
        return;
      }
      if (!(thrown instanceof EngineError) || thrown.code !== 'CALL_REPEATED') throw thrown;
    }
    this.#spool.remove(file);
  }
}

/** The end of a message about a refusal. */
const RETRIED = 'it is kept, and argus team push sends it again';

function isRefused(problem: EngineError): boolean {
  return problem instanceof NotTakenError && problem.isRefused;
}

interface FailedCall {
  file: WaitingFile;
  thrown: EngineError;
}

/**
 * Makes the calls of all files. Refused calls are retried after the others as long as at least one call succeeds,
 * because a clock that was set back can put a fix before its run. Returns the calls that are still refused at the end.
 * Throws if the database cannot be used.
 */
async function inAnyOrder(
  files: readonly WaitingFile[],
  make: (file: WaitingFile) => Promise<unknown>,
): Promise<FailedCall[]> {
  let open = files;
  for (;;) {
    const failed: FailedCall[] = [];
    for (const file of open) {
      try {
        await make(file);
      } catch (thrown) {
        if (!(thrown instanceof EngineError) || isStorageProblem(thrown)) throw thrown;
        failed.push({ file, thrown });
      }
    }
    if (failed.length === 0 || failed.length === open.length) return failed;
    open = failed.map(({ file }) => file);
  }
}
