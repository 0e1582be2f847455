/**
 * The memory of a team as the tools use it: the team's server together with the memory on this machine. Writes go to
 * the team. A call about an id that only this machine knows goes to this machine.
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

/** The limit for a text of a search or an incident. The engine keeps at most 64 KiB of its beginning and end. */
const MAX_TEXT_CHARACTERS = 128 * 1024;

/** Calls whose texts are already limited or must stay whole. */
const WHOLE: readonly CallName[] = ['recordRun', 'importRun', 'memoryImport', 'patternsImport'];

/** Calls that contain an id, which may be an id of this machine. */
const BY_ID: readonly CallName[] = ['incident', 'pattern', 'recordOutcome', 'addSolution', 'runDetail', 'viewPattern'];

export class TeamMemory extends NamedCalls implements Calling {
  readonly #remote: Remote;
  readonly #local: Engine;
  readonly #fit: <T extends object>(params: T) => T;

  /** `fit` removes data that must not leave this machine. */
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
      // If this machine does not know the id either, the caller gets the team's error.
      return this.#local.call(name, params, callId, now).catch(() => Promise.reject(thrown));
    }
  }

  /** Asks both memories at the same time. */
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
    // Report files can only be read on this machine.
    const given = name === 'recordRun' ? await this.#prepared(params as Calls['recordRun']['params']) : params;
    const fitting = this.#fit(given as Calls[N]['params']);
    // Redacts before it shortens the text, because a pattern does not recognize half a secret.
    const sent = WHOLE.includes(name) ? fitting : mapTexts(fitting, shortened);
    return this.#remote.call(name, sent, callId, now);
  }

  /** Removes the lines of uncommitted changes, because such code must stay on this machine. */
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
