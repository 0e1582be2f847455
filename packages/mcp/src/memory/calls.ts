/**
 * The four calls of the debug memory, for the tools, the command line and the fix loop. Each call chooses the memory
 * and adds the detected environment.
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

/** The source of the memories. */
export interface WithMemories {
  memories: Pick<Memories, 'of'>;
}

/** The params of a call without the detected environment, with the path of the project that has the memory. */
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

/** Removes invisible characters from texts, and replaces `undefined` by the engine's `null`. */
function cleaned<T extends object>(params: T): { [K in keyof T]: Defined<T[K]> };
function cleaned(params: object): object {
  const entries = Object.entries(visibleDeep(params));
  return Object.fromEntries(entries.map(([key, value]) => [key, value ?? null]));
}

type Defined<T> = undefined extends T ? Exclude<T, undefined> | null : T;
