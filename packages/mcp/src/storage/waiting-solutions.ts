/**
 * Sends incidents, solutions and outcomes to a team that could not be reached when they were recorded. They are already
 * stored on this machine and are sent with the same ids. If the team has an equal incident or solution, the id of this
 * machine is mapped to the team's id from then on.
 */

import { type Calls, EngineError } from 'argus-engine';
import { v5 as uuidV5 } from 'uuid';
import type { WaitingCall, WaitingCallName } from './spool.ts';

export type SolutionCallName = 'addIncident' | 'addSolution' | 'recordOutcome';

/** Maps ids of this machine to the team's ids. */
export type TeamIds = ReadonlyMap<string, string>;

/** Makes a call on the team's server. */
type TeamCaller = <N extends SolutionCallName>(
  name: N,
  params: Calls[N]['params'],
  callId: string,
) => Promise<Calls[N]['result']>;

/**
 * Sends a call. Returns the ids for which the team has other ids. Sending the call again is safe, because it has the
 * same call id.
 */
export async function sendWaitingCall(call: WaitingCall, ids: TeamIds, make: TeamCaller): Promise<Map<string, string>> {
  const { callId, made = {} } = call;
  if (isCallOf(call, 'addIncident')) {
    const added = await make('addIncident', call.params, callId);
    // The ids are equal: the team has created the incident now, or has it already from a copy of this memory.
    if (added.created || added.incident_id === made.incident_id) return new Map();
    return mapChangedIds(made, await addFixToIncident(added.incident_id, call, make));
  }
  if (isCallOf(call, 'addSolution'))
    return mapChangedIds(made, await make('addSolution', replaceIds(call.params, ids), callId));
  if (isCallOf(call, 'recordOutcome')) await make('recordOutcome', replaceIds(call.params, ids), callId);
  return new Map();
}

/**
 * Adds the fix to an incident that the team already has. An agent would do the same after the answer that the incident
 * is already known.
 */
async function addFixToIncident(
  incident_id: string,
  { callId, params }: WaitingCall<'addIncident'>,
  make: TeamCaller,
): Promise<{ incident_id: string; solution_id: string }> {
  const { steps, worked, notes = null, env, env_bucket = null, detected_env = null, lookup_id = null } = params;
  const where = { env, env_bucket, detected_env, lookup_id };
  const { solution_id } = await make('addSolution', { incident_id, steps, ...where }, uuidV5('solution', callId));
  await make('recordOutcome', { solution_id, worked, notes, ...where }, uuidV5('outcome', callId));
  return { incident_id, solution_id };
}

/** Returns the ids of incidents and solutions that a call or a result contains. */
export function extractIds(named: object): Record<string, string> {
  const entries = Object.entries(named).filter(([name, id]) => isIdName(name) && typeof id === 'string');
  return Object.fromEntries(entries);
}

/** Replaces ids of this machine by the team's ids. */
export function replaceIds<P extends object>(params: P, ids: TeamIds): P {
  const others = Object.entries(extractIds(params)).map(([name, id]) => [name, ids.get(id) ?? id]);
  return { ...params, ...Object.fromEntries(others) };
}

function isIdName(name: string): boolean {
  return name === 'incident_id' || name === 'solution_id';
}

/**
 * Makes a call. If the memory does not know the `lookup_id`, because another memory was searched, makes the call again
 * without it.
 */
export async function retryWithoutUnknownLookup<P extends object, T>(
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

function mapChangedIds(made: Readonly<Record<string, string>>, answered: object): Map<string, string> {
  const others = Object.entries(extractIds(answered)).map(([name, other]) => [made[name] ?? other, other] as const);
  return new Map(others.filter(([own, other]) => own !== other));
}

function isCallOf<N extends WaitingCallName>(call: WaitingCall, method: N): call is WaitingCall<N> {
  return call.method === method;
}
