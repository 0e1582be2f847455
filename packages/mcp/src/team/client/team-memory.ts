/**
 * The memory of a team as the tools use it: the team's server, with what only this machine knows beside it. Writes go to
 * the team; what belongs to something that only this machine has stays here.
 */

import {
  type CallName,
  type Calls,
  type Engine,
  EngineError,
  NamedCalls,
  type RankedSolutionsResult,
} from 'argus-engine';
import { withoutHunks } from '../../git/uncommitted-change.ts';
import type { Calling } from '../../storage/database.ts';
import { mapTexts } from '../../text/untrusted.ts';
import { merged } from './merge.ts';
import type { Remote } from './remote.ts';

/** Limit for a text of a search or an incident. The engine keeps at most 64 KiB of its beginning and end. */
const MAX_TEXT_CHARACTERS = 128 * 1024;

/** Calls whose texts are bounded already or must stay whole. */
const WHOLE: readonly CallName[] = ['recordRun', 'importRun', 'memoryImport', 'patternsImport'];

/** Calls that name something by its id, which may be this machine's. */
const BY_ID: readonly CallName[] = ['incident', 'pattern', 'recordOutcome', 'addSolution', 'runDetail', 'viewPattern'];

export class TeamMemory extends NamedCalls implements Calling {
  readonly #remote: Remote;
  readonly #local: Engine;
  readonly #fit: <T extends object>(params: T) => T;

  /** `fit`: takes out what must not leave this machine. */
  constructor(remote: Remote, local: Engine, fit: <T extends object>(params: T) => T) {
    super();
    this.#remote = remote;
    this.#local = local;
    this.#fit = fit;
  }

  async call<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    try {
      return await this.#ask(name, params, callId, now);
    } catch (thrown) {
      const isUnknown = thrown instanceof EngineError && thrown.code.endsWith('_NOT_FOUND');
      if (!isUnknown || !BY_ID.includes(name)) throw thrown;
      // Whoever asks is told what the team does not know, and not what this machine does not.
      return this.#local.call(name, params, callId, now).catch(() => Promise.reject(thrown));
    }
  }

  /** Both are asked at once. */
  override async rankedSolutions(params: Calls['rankedSolutions']['params']): Promise<RankedSolutionsResult> {
    const local = this.#local.rankedSolutions(params).catch(() => undefined);
    return merged(await this.call('rankedSolutions', params), await local, params);
  }

  attempt<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId?: string,
    now?: number,
  ): Promise<Calls[N]['result']> {
    return this.#ask(name, params, callId, now);
  }

  async #ask<N extends CallName>(
    name: N,
    params: Calls[N]['params'],
    callId: string | undefined,
    now: number | undefined,
  ): Promise<Calls[N]['result']> {
    // Reports are read where they are.
    const given = name === 'recordRun' ? await this.#prepared(params as Calls['recordRun']['params']) : params;
    const fitting = this.#fit(given as Calls[N]['params']);
    // Redacted before it is cut, because half a secret looks like none.
    const sent = WHOLE.includes(name) ? fitting : mapTexts(fitting, shortened);
    return this.#remote.call(name, sent, callId, now);
  }

  /** Code that was not committed stays here. */
  async #prepared(run: Calls['recordRun']['params']): Promise<Calls['recordRun']['params']> {
    const prepared = await this.#local.call('prepareRun', run);
    return prepared.git ? { ...prepared, git: withoutHunks(prepared.git) } : prepared;
  }
}

/** Keeps the beginning and the end. */
function shortened(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  const half = MAX_TEXT_CHARACTERS / 2;
  return `${text.slice(0, half).toWellFormed()}\n${text.slice(-half).toWellFormed()}`;
}
