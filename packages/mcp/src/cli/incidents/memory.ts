/**
 * The tools of the debug memory as commands: the same handlers, printed for people. The options are in
 * memory-program.ts; bulk commands are in memory-bulk.ts.
 */

import { text as readText } from 'node:stream/consumers';
import {
  formatAddedIncident,
  formatAddedSolution,
  formatOutcome,
  formatSolutions,
} from '../../format/memory/memory-text.ts';
import * as memory from '../../memory/calls.ts';
import { io } from '../../system/io.ts';
import { answerBare, type MemoryOptions } from '../terminal/output.ts';

/** Options that describe the environment. */
export interface EnvironmentOptions extends MemoryOptions {
  env: Record<string, string>;
  envBucket?: string;
}

export type Verdict = 'worked' | 'failed';

export async function solutions(text: string, options: EnvironmentOptions & { limit?: number }): Promise<void> {
  const { env, limit } = options;
  await answerBare(
    options,
    async ({ projectPath, sessionManager }) =>
      memory.rankedSolutions({ query_text: await given(text), env, limit, projectPath }, sessionManager),
    formatSolutions,
  );
}

export async function outcome(
  solution_id: string,
  verdict: Verdict,
  options: EnvironmentOptions & { lookup?: string; notes?: string },
): Promise<void> {
  const { env, envBucket: env_bucket, lookup: lookup_id, notes } = options;
  const worked = verdict === 'worked';
  await answerBare(
    options,
    ({ projectPath, sessionManager }) =>
      memory.recordOutcome({ lookup_id, solution_id, worked, env, env_bucket, notes, projectPath }, sessionManager),
    formatOutcome,
  );
}

export async function addSolution(
  incident_id: string,
  steps: string,
  options: EnvironmentOptions & { lookup?: string },
): Promise<void> {
  const { env, envBucket: env_bucket, lookup: lookup_id } = options;
  await answerBare(
    options,
    async ({ projectPath, sessionManager }) =>
      memory.addSolution(
        { incident_id, steps: await given(steps), env, env_bucket, lookup_id, projectPath },
        sessionManager,
      ),
    formatAddedSolution,
  );
}

export interface IncidentOptions extends EnvironmentOptions {
  error?: string;
  summary?: string;
  tag?: string[];
  lookup?: string;
  notes?: string;
  force?: boolean;
}

export async function addIncident(
  title: string,
  steps: string,
  verdict: Verdict,
  options: IncidentOptions,
): Promise<void> {
  const { error: error_signature, summary, tag: tags, lookup: lookup_id, notes, force } = options;
  const { env, envBucket: env_bucket } = options;
  const problem = { title, error_signature, summary, tags, lookup_id, notes, force };
  await answerBare(
    options,
    async ({ projectPath, sessionManager }) =>
      memory.addIncident(
        { ...problem, steps: await given(steps), worked: verdict === 'worked', env, env_bucket, projectPath },
        sessionManager,
      ),
    formatAddedIncident,
  );
}

/** Reads stdin for `-`, for example a pasted stack trace. */
async function given(text: string): Promise<string> {
  return text === '-' ? readText(io().stdin) : text;
}
