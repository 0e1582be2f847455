/**
 * ranked_solutions: finds what solved a problem before, best first for the environment at hand. Searching and ranking:
 * the engine, in one call, which also remembers the search.
 */

import type { RankedSolution, RankedSolutionsResult } from 'argus-engine';
import { z } from 'zod';
import { rankedSolutions } from '../../memory/calls.ts';
import { clipped } from '../../text/untrusted.ts';
import { fitTexts } from '../budget.ts';
import { limit, warnings } from '../schemas.ts';
import { defineTool } from '../tool.ts';
import { detectedEnv, env, filled, nextAction, projectPath } from './memory-schemas.ts';

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 5;

const input = () =>
  z.strictObject({
    query_text: filled('pass the error as it was printed, or the problem in words').describe(
      'Stack trace or error as printed, or the problem in words',
    ),
    env: env(),
    limit: limit(MAX_LIMIT, DEFAULT_LIMIT),
    projectPath: projectPath(),
  });

const memoryKind = () => z.enum(['project', 'user', 'foreign']);

const incident = () =>
  z.object({
    incident_id: z.string(),
    kind: z.enum(['incident', 'pattern']),
    title: z.string(),
    error_signature: z.string().nullable(),
    summary: z.string().nullable(),
    tags: z.array(z.string()),
    score: z.number(),
    because: z.array(z.string()),
    solution_count: z.number(),
    memory: memoryKind(),
  });

const solution = () =>
  z.object({
    solution_id: z.string(),
    incident_id: z.string(),
    steps: z.string(),
    env: z.record(z.string(), z.unknown()),
    env_bucket: z.string(),
    best_env_bucket_match: z.string(),
    env_match_score: z.number(),
    reliability_score: z.number(),
    recency_boost: z.number(),
    final_solution_score: z.number(),
    why: z.string(),
    worked: z.number(),
    failed: z.number(),
    claimed: z.number().optional().describe('Of worked: no run has proved it'),
    last_confirmed_at: z.string().nullable(),
    memory: memoryKind(),
  });

const output = () =>
  z.object({
    lookup_id: z.string(),
    env_bucket: z.string(),
    detected_env: detectedEnv(),
    incidents: z.array(incident()),
    ranked_solutions: z.array(solution()),
    recommended_solution: z
      .object({ solution_id: z.string() })
      .nullable()
      .describe('The first of ranked_solutions that is not foreign'),
    more: z.number(),
    next_action: nextAction(),
    warnings: warnings(),
  });

/** Steps and summaries cut, with the way to the whole. */
function fit(answer: RankedSolutionsResult): RankedSolutionsResult {
  return fitTexts(answer, (limit) => {
    const cut = <Solution extends RankedSolution>(solution: Solution): Solution => ({
      ...solution,
      steps: clipped(solution.steps, limit, ` in argus://incident/${solution.incident_id}`),
    });
    const { recommended_solution: recommended, incidents } = answer;
    return {
      ...answer,
      ranked_solutions: answer.ranked_solutions.map(cut),
      recommended_solution: recommended && cut(recommended),
      incidents: incidents.map((incident) => ({
        ...incident,
        summary: incident.summary === null ? null : clipped(incident.summary, limit),
      })),
    };
  });
}

export const rankedSolutionsTool = defineTool({
  name: 'ranked_solutions',
  title: 'Find solutions',
  description:
    'Find what solved this problem before, best first for this environment. Call it first for any error, before debugging; then do what next_action says.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: rankedSolutions,
  fit,
});
