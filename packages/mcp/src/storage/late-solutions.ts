/**
 * Incidents, solutions and outcomes that were recorded while a team could not be reached: made on this machine then, and
 * with the team now, under the same ids. Where the team knew the same already, an id of this machine stands for the
 * team's from then on.
 */

import { type Calls, EngineError } from 'argus-engine';
import { v5 as uuidV5 } from 'uuid';
import type { WaitingCall, WaitingCallName } from './spool.ts';

export type SolutionCallName = 'addIncident' | 'addSolution' | 'recordOutcome';

/** What the team calls what this machine has other ids for. */
export type TeamIds = ReadonlyMap<string, string>;

/** Makes a call with the team. */
type Make = <N extends SolutionCallName>(
  name: N,
  params: Calls[N]['params'],
  callId: string,
) => Promise<Calls[N]['result']>;

/** Answers the ids that the team has others for. Made again, it does nothing more. */
export async function makeLate(call: WaitingCall, ids: TeamIds, make: Make): Promise<Map<string, string>> {
  const { callId, made = {} } = call;
  if (isCall(call, 'addIncident')) {
    const added = await make('addIncident', call.params, callId);
    // It has come there by a copy.
    if (added.created || added.incident_id === made.incident_id) return new Map();
    return renamed(made, await addFix(added.incident_id, call, make));
  }
  if (isCall(call, 'addSolution')) return renamed(made, await make('addSolution', withIdsOf(call.params, ids), callId));
  if (isCall(call, 'recordOutcome')) await make('recordOutcome', withIdsOf(call.params, ids), callId);
  return new Map();
}

/** What an agent is told to do where an incident is known already. */
async function addFix(
  incident_id: string,
  { callId, params }: WaitingCall<'addIncident'>,
  make: Make,
): Promise<{ incident_id: string; solution_id: string }> {
  const { steps, worked, notes = null, env, env_bucket = null, detected_env = null, lookup_id = null } = params;
  const where = { env, env_bucket, detected_env, lookup_id };
  const { solution_id } = await make('addSolution', { incident_id, steps, ...where }, uuidV5('solution', callId));
  await make('recordOutcome', { solution_id, worked, notes, ...where }, uuidV5('outcome', callId));
  return { incident_id, solution_id };
}

/** Incident and solution that a call or its answer names. */
export function idsIn(named: object): Record<string, string> {
  const entries = Object.entries(named).filter(([name, id]) => isIdName(name) && typeof id === 'string');
  return Object.fromEntries(entries);
}

/** The same call for the team. */
export function withIdsOf<P extends object>(params: P, ids: TeamIds): P {
  const others = Object.entries(idsIn(params)).map(([name, id]) => [name, ids.get(id) ?? id]);
  return { ...params, ...Object.fromEntries(others) };
}

function isIdName(name: string): boolean {
  return name === 'incident_id' || name === 'solution_id';
}

/** Without the search that it names, where that was made with another memory. */
export async function withoutUnknownSearch<P extends object, T>(
  params: P,
  make: (params: P) => Promise<T>,
): Promise<T> {
  try {
    return await make(params);
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.code !== 'LOOKUP_NOT_FOUND') throw thrown;
    return make({ ...params, lookup_id: null });
  }
}

function renamed(made: Readonly<Record<string, string>>, answered: object): Map<string, string> {
  const others = Object.entries(idsIn(answered)).map(([name, other]) => [made[name] ?? other, other] as const);
  return new Map(others.filter(([own, other]) => own !== other));
}

function isCall<N extends WaitingCallName>(call: WaitingCall, method: N): call is WaitingCall<N> {
  return call.method === method;
}
