/** The engine's calls with the permissions of a token. */

import { type CallName, type Calls, EngineError, NamedCalls, TEAM_CALLS } from 'argus-engine';
import type { Calling } from '../../storage/database.ts';
import type { TeamCall, TeamCallName } from '../protocol.ts';

export class GrantedCalls extends NamedCalls implements Calling {
  readonly #make: (method: TeamCallName, params: TeamCall['params']) => Promise<unknown>;

  /** `make` checks the permissions of the token and makes the call. */
  constructor(make: (method: TeamCallName, params: TeamCall['params']) => Promise<unknown>) {
    super();
    this.#make = make;
  }

  async call<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    const method = TEAM_CALLS.find((known) => known === name);
    if (method === undefined) throw new EngineError('INVALID_INPUT', `${name} is no call of a team.`);
    const defined = Object.entries(params).filter(([, value]) => value !== undefined);
    return (await this.#make(method, Object.fromEntries(defined))) as Calls[N]['result'];
  }

  attempt<N extends CallName>(name: N, params: Calls[N]['params']): Promise<Calls[N]['result']> {
    return this.call(name, params);
  }
}
