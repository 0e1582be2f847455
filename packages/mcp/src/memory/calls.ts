/**
 * The four calls of the debug memory, for tools, command line and fix loop alike: each on the memory it names, with the
 * environment at hand.
 */

import type {
  AddIncidentResult,
  AddSolutionResult,
  Calls,
  RankedSolutionsResult,
  RecordOutcomeResult,
} from 'argus-engine';
import type { Memories, Remembered } from '../sessions/memories.ts';
import { visibleDeep } from '../text/untrusted.ts';

/** Where the calls find the memories. */
export interface WithMemories {
  memories: Pick<Memories, 'of'>;
}

/** What a caller gives: the params of the call but for what is found out here, and whose memory it is. */
type Given<Call extends 'addIncident' | 'addSolution' | 'recordOutcome' | 'rankedSolutions'> = {
  [Name in keyof Omit<Calls[Call]['params'], 'detected_env'>]: OrUndefined<Calls[Call]['params'][Name]>;
} & { projectPath?: string | undefined };

type OrUndefined<T> = null extends T ? Exclude<T, null> | undefined : T;

export async function addIncident(
  { projectPath, ...params }: Given<'addIncident'>,
  { memories }: WithMemories,
): Promise<Remembered<AddIncidentResult>> {
  const memory = await memories.of(projectPath);
  const incident = { ...cleaned(params), detected_env: memory.environment() };
  return memory.remember('addIncident', incident);
}

export async function addSolution(
  { projectPath, ...params }: Given<'addSolution'>,
  { memories }: WithMemories,
): Promise<Remembered<AddSolutionResult>> {
  const memory = await memories.of(projectPath);
  const solution = { ...cleaned(params), detected_env: memory.environment() };
  return memory.remember('addSolution', solution);
}

export async function recordOutcome(
  { projectPath, ...params }: Given<'recordOutcome'>,
  { memories }: WithMemories,
): Promise<Remembered<RecordOutcomeResult>> {
  const memory = await memories.of(projectPath);
  const outcome = { ...cleaned(params), detected_env: memory.environment() };
  return memory.remember('recordOutcome', outcome);
}

export async function rankedSolutions(
  { projectPath, ...params }: Given<'rankedSolutions'>,
  { memories }: WithMemories,
): Promise<RankedSolutionsResult> {
  const memory = await memories.of(projectPath);
  const search = { ...cleaned(params), detected_env: memory.environment() };
  const { value, warnings } = await memory.search(search);
  const all = [...warnings, ...(value.warnings ?? [])];
  return { ...value, ...(all.length > 0 ? { warnings: all } : {}) };
}

/** Texts without what no reader can see; `undefined` as the engine's `null`. */
function cleaned<T extends object>(params: T): { [K in keyof T]: Defined<T[K]> };
function cleaned(params: object): object {
  const entries = Object.entries(visibleDeep(params));
  return Object.fromEntries(entries.map(([key, value]) => [key, value ?? null]));
}

type Defined<T> = undefined extends T ? Exclude<T, undefined> | null : T;
