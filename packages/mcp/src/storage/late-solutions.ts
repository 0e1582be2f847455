/**
 * Sends incidents, solutions and outcomes to a team that could not be reached when they were recorded. They were stored
 * on this machine meanwhile and are sent under the same ids. If the team already had an equal incident or solution, the
 * id from this machine is mapped to the team's id from then on.
 */

import { type Calls, EngineError } from 'argus-engine';
import { v5 as uuidV5 } from 'uuid';
import type { WaitingCall, WaitingCallName } from './spool.ts';

export type SolutionCallName = 'addIncident' | 'addSolution' | 'recordOutcome';

/** Maps ids of this machine to the team's ids. */
export type TeamIds = ReadonlyMap<string, string>;

/** Makes a call on the team's server. */
type Make = <N extends SolutionCallName>(
  name: N,
  params: Calls[N]['params'],
  callId: string,
) => Promise<Calls[N]['result']>;

/**
 * Sends a call and returns the ids for which the team has other ids. Repeating it is safe, because the call ids are the
 * same.
 */
export async function makeLate(call: WaitingCall, ids: TeamIds, make: Make): Promise<Map<string, string>> {
  const { callId, made = {} } = call;
  if (isCall(call, 'addIncident')) {
    const added = await make('addIncident', call.params, callId);
    // The team already has this incident from a copy.
    if (added.created || added.incident_id === made.incident_id) return new Map();
    return renamed(made, await addFix(added.incident_id, call, make));
  }
  if (isCall(call, 'addSolution')) return renamed(made, await make('addSolution', withIdsOf(call.params, ids), callId));
  if (isCall(call, 'recordOutcome')) await make('recordOutcome', withIdsOf(call.params, ids), callId);
  return new Map();
}

/** Adds the fix to an incident that the team already has, because an agent would do so after such an answer. */
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

/** The incident and solution ids that a call or its result contains. */
export function idsIn(named: object): Record<string, string> {
  const entries = Object.entries(named).filter(([name, id]) => isIdName(name) && typeof id === 'string');
  return Object.fromEntries(entries);
}

/** Replaces the ids of this machine by the team's ids. */
export function withIdsOf<P extends object>(params: P, ids: TeamIds): P {
  const others = Object.entries(idsIn(params)).map(([name, id]) => [name, ids.get(id) ?? id]);
  return { ...params, ...Object.fromEntries(others) };
}

function isIdName(name: string): boolean {
  return name === 'incident_id' || name === 'solution_id';
}

/**
 * Retries a call without its `lookup_id` if the memory does not know it, because the search was made with another
 * memory.
 */
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
