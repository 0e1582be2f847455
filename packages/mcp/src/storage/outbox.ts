/**
 * Queues calls that a project's database cannot store now, and stores them later. The calls wait in the spool. Until
 * they are stored, an in-memory engine that has made these calls answers questions about them. The engine itself waits
 * for locks of other processes.
 */

import { type Calls, type Engine, EngineError, type EngineErrorCode } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { getErrorMessage } from '../errors.ts';
import { io } from '../system/io.ts';
import { CallRejectedError, isStorageProblem } from './database.ts';
import type { Spool, SpoolCounts, WaitingCall, WaitingCallName, WaitingFile } from './spool.ts';
import { retryWithoutUnknownLookup, sendWaitingCall, type TeamIds } from './waiting-solutions.ts';

/** Why a result is not stored, and whether it will be stored later. */
export interface NotStoredReason {
  stored: false;
  /**
   * True if the call is in the spool. The next call stores it if possible. A refused call is stored by `argus team
   * push`.
   */
  queued: boolean;
  code: EngineErrorCode;
}

/** The result of a call, and whether it was stored. */
export interface StorageResult<T> {
  value: T;
  /** Undefined if the result is stored. */
  notStored?: NotStoredReason;
  warnings: string[];
}

/**
 * The result of a call for a team that was stored on this machine instead. `queued` is set if the call waits to be sent
 * to the team.
 */
export interface LocalStorageResult<T> {
  value: T;
  queued?: true;
  warnings: string[];
}

/** Errors after which the same call may succeed later. */
const RETRYABLE_ERRORS: readonly EngineErrorCode[] = [
  'DATABASE_LOCKED',
  'DATABASE_FULL',
  'DATABASE_READ_ONLY',
  'TEAM_UNREACHABLE',
  'TEAM_DENIED',
];

/** The problem if another process queued the waiting calls and this process has not tried to store them yet. */
const UNKNOWN_PROBLEM = new EngineError('DATABASE_LOCKED', 'Another process is writing to the database.');

/** The problem if an earlier process got the refusal, so that the reason is not known. */
const UNKNOWN_REFUSAL = new CallRejectedError('TEAM_DENIED', "The team's server rejected the run.", {
  isRefused: true,
  concernsCallOnly: true,
});

/** The engines with which an outbox works. */
export interface OutboxEngines {
  /** True for a team's server. It may accept a refused call later, after a person has changed something. */
  readonly isShared?: boolean;
  openDurable(): Promise<Pick<Engine, 'call' | 'attempt'>>;
  /** Returns an engine in the memory of this process. */
  openInMemory(): Promise<Engine>;
}

export class Outbox {
  readonly #engines: OutboxEngines;
  readonly #spool: Spool;
  /** Ids of the calls that the in-memory engine has already made. */
  readonly #replayed = new Set<string>();
  /** True if some calls could not even be written to the spool. They are lost when this process exits. */
  #hasUnspooled = false;
  /** The last error of the database. */
  #problem: EngineError | undefined;

  constructor(engines: OutboxEngines, spool: Spool) {
    this.#engines = engines;
    this.#spool = spool;
  }

  counts(): SpoolCounts {
    return this.#spool.counts();
  }

  /**
   * Stores the waiting calls that can be stored without waiting for a lock. Returns warnings and does not throw,
   * because a call must not fail because of earlier calls.
   */
  async storeWaiting(): Promise<string[]> {
    return this.#storeWaitingWith('attempt');
  }

  /**
   * Stores the waiting calls after another call was stored. Waits for the lock, because the lock was free a moment ago.
   */
  async storeWaitingAfterWrite(): Promise<string[]> {
    return this.#storeWaitingWith('call');
  }

  /** Moves refused calls back into the queue. Only called if a person asks for it. */
  releaseRefused(): void {
    this.#spool.releaseRefused();
  }

  /**
   * Returns the in-memory engine if it knows a run that is not stored. Returns undefined if the database must be asked.
   */
  async findInMemoryRun(runId: string): Promise<Engine | undefined> {
    if (!this.#hasQueued() && !this.#hasUnspooled) return undefined;
    const inMemory = await this.#replayWaiting();
    const known = await inMemory.runDetail({ runId, limit: 1 }).catch(() => undefined);
    return known === undefined ? undefined : inMemory;
  }

  /** Makes a call in memory and queues it. `problem` is the reason why the database did not store the call. */
  async queueCall<N extends WaitingCallName>(
    method: N,
    params: Calls[N]['params'],
    problem: EngineError = this.#getKnownProblem(),
    callId: string = uuidV7(),
  ): Promise<StorageResult<Calls[N]['result']>> {
    const call: WaitingCall<N> = { callId, now: io().now(), method, params };
    const inMemory = await this.#replayWaiting();
    const value = await inMemory.call(method, params, call.callId, call.now);
    this.#replayed.add(call.callId);
    return { value, ...(await this.#spoolOrWarn(call, problem)) };
  }

  /** Queues a call that the database, opened only for reading, has already answered. */
  async queueAnsweredCall<N extends WaitingCallName>(
    method: N,
    params: Calls[N]['params'],
    value: Calls[N]['result'],
    problem: EngineError,
  ): Promise<StorageResult<Calls[N]['result']>> {
    return { value, ...(await this.#spoolOrWarn({ callId: uuidV7(), now: io().now(), method, params }, problem)) };
  }

  /** Queues a call that was stored on this machine, so that it can be sent to the team. */
  async queueLocalCall(
    call: WaitingCall,
    problem = this.#getKnownProblem(),
  ): Promise<Omit<LocalStorageResult<never>, 'value'>> {
    const obstacle = await this.#writeToSpool(call, problem);
    if (obstacle === undefined) {
      const when = isRefusedCall(problem) ? RETRY_ADVICE : 'the next call that reaches the team server sends it';
      return { queued: true, warnings: [`Stored on this machine; ${when}. ${problem.message}`] };
    }
    const warning = `Stored only on this machine (${obstacle}); argus team push sends it. ${problem.message}`;
    return { warnings: [warning] };
  }

  /** True if a waiting call created an incident or solution with one of these ids. */
  async hasWaitingCallCreated(named: readonly string[]): Promise<boolean> {
    if (named.length === 0 || !this.#hasQueued()) return false;
    const files = await this.#listQueuedFiles();
    return files.some(({ call: { made = {} } }) => Object.values(made).some((id) => named.includes(id)));
  }

  /** Returns the ids of the team for ids of this machine. */
  readTeamIds(): Promise<TeamIds> {
    return this.#spool.readIds();
  }

  /** Returns the last problem that this process has seen, or a general problem. */
  #getKnownProblem(): EngineError {
    return this.#problem ?? (this.#hasRefused() && this.#spool.isEmpty() ? UNKNOWN_REFUSAL : UNKNOWN_PROBLEM);
  }

  /** True if the spool has calls that the database does not have. */
  #hasQueued(): boolean {
    return !this.#spool.isEmpty() || this.#hasRefused();
  }

  /** Always false for a local database, because trying a refused call again would not help there. */
  #hasRefused(): boolean {
    return this.#engines.isShared === true && this.#spool.counts().refused > 0;
  }

  #listQueuedFiles(): Promise<WaitingFile[]> {
    return this.#engines.isShared === true ? this.#spool.readAll() : this.#spool.readWaiting();
  }

  #markRefused(files: readonly WaitingFile[], reason: string): void {
    this.#spool.markRefused(
      files,
      this.#engines.isShared === true ? `${reason} argus team push sends it again.` : reason,
    );
  }

  async #spoolOrWarn(
    call: WaitingCall,
    problem: EngineError,
  ): Promise<Pick<StorageResult<never>, 'notStored' | 'warnings'>> {
    this.#problem = problem;
    const { code, message } = problem;
    const obstacle = await this.#writeToSpool(call, problem);
    if (obstacle === undefined) {
      const when = isRefusedCall(problem) ? RETRY_ADVICE : 'the next call that can store it will do so';
      return { notStored: { stored: false, queued: true, code }, warnings: [`Not stored yet: ${when}. ${message}`] };
    }
    this.#hasUnspooled = true;
    const warning = `Not stored, and lost when this process ends (${obstacle}). ${message}`;
    return { notStored: { stored: false, queued: false, code }, warnings: [warning] };
  }

  /** Writes the call to the spool. Returns the reason if that is not possible. */
  async #writeToSpool(call: WaitingCall, problem: EngineError): Promise<string | undefined> {
    if (!RETRYABLE_ERRORS.includes(problem.code)) return 'the database must be repaired first';
    try {
      await this.#spool.writeCall(call, isRefusedCall(problem));
      return undefined;
    } catch (thrown) {
      return getErrorMessage(thrown);
    }
  }

  /** Returns the in-memory engine after it has made all waiting calls. */
  async #replayWaiting(): Promise<Engine> {
    const inMemory = await this.#engines.openInMemory();
    // Ignored here, because storing the waiting calls has already warned about files that cannot be read.
    const files = await this.#listQueuedFiles().catch(() => []);
    const notReplayed = files.filter(({ call }) => call.made === undefined && !this.#replayed.has(call.callId));
    for (const { call } of notReplayed) this.#replayed.add(call.callId);
    // The in-memory engine rejects calls about a stored run, because only the database knows that run.
    await callUntilNoProgress(notReplayed, ({ call }) =>
      inMemory.call(call.method, call.params, call.callId, call.now),
    );
    return inMemory;
  }

  async #storeWaitingWith(patience: 'attempt' | 'call'): Promise<string[]> {
    try {
      await this.#storeAll(patience);
      return [];
    } catch (thrown) {
      return [`The waiting calls are still not stored: ${getErrorMessage(thrown)}`];
    }
  }

  async #storeAll(patience: 'attempt' | 'call'): Promise<void> {
    if (this.#spool.isEmpty()) return;
    try {
      const ids = await this.#spool.readIds();
      const failed = await callUntilNoProgress(await this.#spool.readWaiting(), (file) =>
        this.#storeOne(file, patience, ids),
      );
      for (const { file, thrown } of failed) {
        // The call is about something that exists only on this machine, and this machine has already stored it.
        if (file.call.made !== undefined && thrown.code.endsWith('_NOT_FOUND')) this.#spool.remove(file);
        // After an internal error the call stays, because the engine failed, not the call. The log has the cause.
        else if (thrown.code !== 'INTERNAL_ERROR') this.#markRefused([file], thrown.message);
      }
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      this.#problem = thrown;
      // The reason applies to all waiting calls, so sending the others would fail too.
      if (isRefusedCall(thrown)) this.#markRefused(await this.#spool.readWaiting(), thrown.message);
    }
  }

  async #storeOne(file: WaitingFile, patience: 'attempt' | 'call', ids: Map<string, string>): Promise<void> {
    const { method, params, callId, now, made } = file.call;
    const engine = await this.#engines.openDurable();
    try {
      if (made !== undefined) {
        const renamed = await sendWaitingCall(file.call, ids, (name, given, id) =>
          retryWithoutUnknownLookup(given, (fitting) => engine[patience](name, fitting, id, now)),
        );
        await this.#spool.writeIds(callId, renamed);
        for (const [own, team] of renamed) ids.set(own, team);
      } else {
        const value = await engine[patience](method, params, callId, now);
        // A diagnosis returns an answer although it was not stored, so it must wait again.
        if ('notStored' in value && value.notStored !== undefined)
          throw new EngineError(value.notStored, UNKNOWN_PROBLEM.message);
      }
    } catch (thrown) {
      if (thrown instanceof CallRejectedError && thrown.isOfCall) {
        // If the call was not refused, the server failed, and the call waits again.
        if (thrown.isRefused) this.#markRefused([file], thrown.message);
        return;
      }
      if (!(thrown instanceof EngineError) || thrown.code !== 'CALL_REPEATED') throw thrown;
    }
    this.#spool.remove(file);
  }
}

/** End of a message about a refused call. */
const RETRY_ADVICE = 'it is kept, and argus team push sends it again';

function isRefusedCall(problem: EngineError): boolean {
  return problem instanceof CallRejectedError && problem.isRefused;
}

interface FailedCall {
  file: WaitingFile;
  thrown: EngineError;
}

/**
 * Makes the calls of all files. Calls that fail are tried again after the others, as long as at least one call
 * succeeds, because a clock that was set back may have put a fix before its run. Returns the calls that still fail.
 * Throws if the database cannot be used.
 */
async function callUntilNoProgress(
  files: readonly WaitingFile[],
  make: (file: WaitingFile) => Promise<unknown>,
): Promise<FailedCall[]> {
  let remaining = files;
  for (;;) {
    const failed: FailedCall[] = [];
    for (const file of remaining) {
      try {
        await make(file);
      } catch (thrown) {
        if (!(thrown instanceof EngineError) || isStorageProblem(thrown)) throw thrown;
        failed.push({ file, thrown });
      }
    }
    if (failed.length === 0 || failed.length === remaining.length) return failed;
    remaining = failed.map(({ file }) => file);
  }
}
