/**
 * The four calls of the debug memory, for tools, command line and fix loop alike: each on the memory it names, with the
 * environment at hand.
 */

import type { AddIncidentResult, AddSolutionResult, RankedSolutionsResult, RecordOutcomeResult } from 'argus-engine';
import type { Memories } from '../sessions/memories.ts';
import { visibleDeep } from '../text/untrusted.ts';

/** Where the calls find the memories. */
export interface WithMemories {
  memories: Pick<Memories, 'of'>;
}

export interface AddIncidentParams {
  title: string;
  error_signature?: string | undefined;
  summary?: string | undefined;
  tags?: string[] | undefined;
  lookup_id?: string | undefined;
  steps: string;
  env: Record<string, unknown>;
  env_bucket?: string | undefined;
  worked: boolean;
  notes?: string | undefined;
  force?: boolean | undefined;
  projectPath?: string | undefined;
}

export async function addIncident(
  { projectPath, ...params }: AddIncidentParams,
  { memories }: WithMemories,
): Promise<AddIncidentResult> {
  const memory = await memories.of(projectPath);
  const incident = { ...cleaned(params), detected_env: memory.environment() };
  return memory.write((engine) => engine.addIncident(incident));
}

export interface AddSolutionParams {
  incident_id: string;
  steps: string;
  env: Record<string, unknown>;
  env_bucket?: string | undefined;
  lookup_id?: string | undefined;
  projectPath?: string | undefined;
}

export async function addSolution(
  { projectPath, ...params }: AddSolutionParams,
  { memories }: WithMemories,
): Promise<AddSolutionResult> {
  const memory = await memories.of(projectPath);
  const solution = { ...cleaned(params), detected_env: memory.environment() };
  return memory.write((engine) => engine.addSolution(solution));
}

export interface RecordOutcomeParams {
  lookup_id?: string | undefined;
  solution_id: string;
  worked: boolean;
  env: Record<string, unknown>;
  env_bucket?: string | undefined;
  notes?: string | undefined;
  projectPath?: string | undefined;
}

export async function recordOutcome(
  { projectPath, ...params }: RecordOutcomeParams,
  { memories }: WithMemories,
): Promise<RecordOutcomeResult> {
  const memory = await memories.of(projectPath);
  const outcome = { ...cleaned(params), detected_env: memory.environment() };
  return memory.write((engine) => engine.recordOutcome(outcome));
}

export interface RankedSolutionsParams {
  query_text: string;
  env: Record<string, unknown>;
  limit?: number | undefined;
  projectPath?: string | undefined;
}

export async function rankedSolutions(
  { projectPath, ...params }: RankedSolutionsParams,
  { memories }: WithMemories,
): Promise<RankedSolutionsResult> {
  const memory = await memories.of(projectPath);
  const search = { ...cleaned(params), detected_env: memory.environment() };
  const { value, warnings } = await memory.search((engine) => engine.rankedSolutions(search));
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
