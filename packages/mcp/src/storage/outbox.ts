/**
 * What a project's database cannot store now, and how it comes in later: calls wait in the spool, and a memory that
 * holds them answers what is asked about them meanwhile. Waiting for a lock that is somebody else's: the engine.
 */

import { type Calls, type Engine, EngineError, type EngineErrorCode } from 'argus-engine';
import { v7 as uuidV7 } from 'uuid';
import { messageOf } from '../errors.ts';
import { io } from '../system/io.ts';
import { isStorageProblem, NotTakenError } from './database.ts';
import { makeLate, type TeamIds, withoutUnknownSearch } from './late-solutions.ts';
import type { Spool, SpoolCounts, WaitingCall, WaitingCallName, WaitingFile } from './spool.ts';

/** Why an answer is not stored, and whether it will be. */
export interface NotStored {
  stored: false;
  /** The call is in the spool, until the next call that can store it or, after a refusal, until `argus team push`. */
  queued: boolean;
  code: EngineErrorCode;
}

/** What a call answered, and what became of it. */
export interface Kept<T> {
  value: T;
  /** None: it is stored. */
  notStored?: NotStored;
  warnings: string[];
}

/** What was stored on this machine in place of a team, and whether it waits for that. */
export interface KeptHere<T> {
  value: T;
  queued?: true;
  warnings: string[];
}

/** Another time the same call can be stored. */
const PASSING: readonly EngineErrorCode[] = [
  'DATABASE_LOCKED',
  'DATABASE_FULL',
  'DATABASE_READ_ONLY',
  'TEAM_UNREACHABLE',
  'TEAM_DENIED',
];

/** What waits was put there by another process, and nothing was tried since. */
const UNKNOWN_PROBLEM = new EngineError('DATABASE_LOCKED', 'Another process is writing to the database.');

/** Stands for the reason of an earlier process that was refused. */
const UNKNOWN_REFUSAL = new NotTakenError('TEAM_DENIED', "The team's server has refused the run.", {
  isRefused: true,
  isOfCall: true,
});

/** The engines it works with. */
export interface Engines {
  /** A team's server, whose refusals can end when a person changes something. */
  readonly isShared?: boolean;
  /** The file. */
  durable(): Promise<Pick<Engine, 'call' | 'attempt'>>;
  /** A memory of this process alone. */
  inMemory(): Promise<Engine>;
}

export class Outbox {
  readonly #engines: Engines;
  readonly #spool: Spool;
  /** Calls that the engine in memory has made. */
  readonly #replayed = new Set<string>();
  /** There are calls that could not even be kept in the spool; they end with this process. */
  #hasUnkept = false;
  /** Why the database took nothing when it was tried last. */
  #problem: EngineError | undefined;

  constructor(engines: Engines, spool: Spool) {
    this.#engines = engines;
    this.#spool = spool;
  }

  /** How many calls wait, and how many could not be stored and are kept for a person. */
  counts(): SpoolCounts {
    return this.#spool.counts();
  }

  /** Stores what waits, as far as that is possible at once. Answers with warnings: no call fails for those before it. */
  async takeIn(): Promise<string[]> {
    return this.#takeInWith('attempt');
  }

  /** After a call that was stored: the lock can be had, so what waits is worth waiting for. */
  async takeInRest(): Promise<string[]> {
    return this.#takeInWith('call');
  }

  /** Lets refused calls wait again. Only for a person who asks for it. */
  releaseRefused(): void {
    this.#spool.takeBackRefused();
  }

  /** The memory that knows a run which is not stored; none where the database is to be asked. */
  async memoryOf(runId: string): Promise<Engine | undefined> {
    if (!this.#hasKept() && !this.#hasUnkept) return undefined;
    const inMemory = await this.#replay();
    const known = await inMemory.runDetail({ runId, limit: 1 }).catch(() => undefined);
    return known === undefined ? undefined : inMemory;
  }

  /** Makes a call in memory and keeps it for later; `problem` is why the database did not take it. */
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

  /** Keeps a call that was answered already, by the database as it can be read. */
  async keepAnswered<N extends WaitingCallName>(
    method: N,
    params: Calls[N]['params'],
    value: Calls[N]['result'],
    problem: EngineError,
  ): Promise<Kept<Calls[N]['result']>> {
    return { value, ...(await this.#wait({ callId: uuidV7(), now: io().now(), method, params }, problem)) };
  }

  /** Keeps a call that was made on this machine for the team that it was meant for. */
  async keepMade(call: WaitingCall, problem = this.#knownProblem()): Promise<Omit<KeptHere<never>, 'value'>> {
    const obstacle = await this.#put(call, problem);
    if (obstacle === undefined) {
      const when = isRefused(problem) ? RETRIED : 'it waits for the team, and the next call that reaches it sends it';
      return { queued: true, warnings: [`Stored on this machine; ${when}. ${problem.message}`] };
    }
    const warning = `Stored on this machine alone (${obstacle}); argus team push sends it. ${problem.message}`;
    return { warnings: [warning] };
  }

  /** Whether something of these ids waits to be sent. */
  async holds(named: readonly string[]): Promise<boolean> {
    if (named.length === 0 || !this.#hasKept()) return false;
    const files = await this.#keptFiles();
    return files.some(({ call: { made = {} } }) => Object.values(made).some((id) => named.includes(id)));
  }

  /** What the team calls what was recorded here under other ids. */
  ids(): Promise<TeamIds> {
    return this.#spool.ids();
  }

  /** The last reason this process has seen, or a general one. */
  #knownProblem(): EngineError {
    return this.#problem ?? (this.#hasRefused() && this.#spool.isEmpty() ? UNKNOWN_REFUSAL : UNKNOWN_PROBLEM);
  }

  /** Whether the spool has calls that the database does not have. */
  #hasKept(): boolean {
    return !this.#spool.isEmpty() || this.#hasRefused();
  }

  /** False for a local database, whose refusals never end. */
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

  /** Returns undefined when the call is in the spool, else the obstacle. */
  async #put(call: WaitingCall, problem: EngineError): Promise<string | undefined> {
    if (!PASSING.includes(problem.code)) return 'the database has to be mended first';
    try {
      await this.#spool.put(call, isRefused(problem));
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  /** The engine in memory, with everything that waits. */
  async #replay(): Promise<Engine> {
    const inMemory = await this.#engines.inMemory();
    // Where they cannot be read, taking them in has said so.
    const files = await this.#keptFiles().catch(() => []);
    const fresh = files.filter(({ call }) => call.made === undefined && !this.#replayed.has(call.callId));
    for (const { call } of fresh) this.#replayed.add(call.callId);
    // What it refuses was about a run that is stored; the database will know it.
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
        // It is about something that only this machine has, which has it.
        if (file.call.made !== undefined && thrown.code.endsWith('_NOT_FOUND')) this.#spool.remove(file);
        // A call that stopped the engine is not wrong for that; the log has the cause.
        else if (thrown.code !== 'INTERNAL_ERROR') this.#refuse([file], thrown.message);
      }
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      this.#problem = thrown;
      // The reason holds for all waiting calls, so the others are not sent in vain.
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
        // A diagnosis answers all the same; it goes on waiting.
        if ('notStored' in value && value.notStored !== undefined)
          throw new EngineError(value.notStored, UNKNOWN_PROBLEM.message);
      }
    } catch (thrown) {
      if (thrown instanceof NotTakenError && thrown.isOfCall) {
        // Not refused: the server failed, and the call waits.
        if (thrown.isRefused) this.#refuse([file], thrown.message);
        return;
      }
      if (!(thrown instanceof EngineError) || thrown.code !== 'CALL_REPEATED') throw thrown;
    }
    this.#spool.remove(file);
  }
}

/** Ends the report of a refusal. */
const RETRIED = 'it is kept, and argus team push sends it again';

function isRefused(problem: EngineError): boolean {
  return problem instanceof NotTakenError && problem.isRefused;
}

/** A call that the engine refused. */
interface FailedCall {
  file: WaitingFile;
  thrown: EngineError;
}

/**
 * Makes the calls of all files. A clock that was set back puts a fix before its run, so what was refused is made again
 * after the others, as long as any of those succeeded. Returns what is refused in the end; throws where the database
 * cannot be used.
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
