/**
 * ranked_solutions: finds solutions of the same problem, best first for the current environment. A single call of the
 * engine searches, ranks the solutions and stores the search.
 */

import { LIMITS, type RankedSolution, type RankedSolutionsResult } from 'argus-engine';
import { rankedSolutions } from '../sessions/memories.ts';
import type { Zod } from '../system/zod.ts';
import { clip } from '../text/untrusted-text.ts';
import { fitTexts } from './shared/answer-size.ts';
import { env, limit, memoryPath, nonBlankText } from './shared/schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    query_text: nonBlankText(z, 'pass the error as printed, or describe the problem').describe(
      'Stack trace or error as printed, or a description of the problem',
    ),
    env: env(z),
    limit: limit(z, LIMITS.MAX_SOLUTIONS, LIMITS.DEFAULT_SOLUTIONS),
    projectPath: memoryPath(z),
  });

/** Shortens steps and summaries, and adds where the whole text is. */
function fit(answer: RankedSolutionsResult): RankedSolutionsResult {
  return fitTexts(answer, (limit) => {
    const shortenSteps = <Solution extends RankedSolution>(solution: Solution): Solution => ({
      ...solution,
      steps: clip(solution.steps, limit, ` in argus://incident/${solution.incident_id}`),
    });
    const { recommended_solution: recommended, incidents } = answer;
    return {
      ...answer,
      ranked_solutions: answer.ranked_solutions.map(shortenSteps),
      recommended_solution: recommended && shortenSteps(recommended),
      incidents: incidents.map((incident) => ({
        ...incident,
        summary: incident.summary === null ? null : clip(incident.summary, limit),
      })),
    };
  });
}

export const rankedSolutionsTool = defineTool({
  name: 'ranked_solutions',
  title: 'Find solutions',
  description:
    'Use when any error or problem appears, before debugging: finds earlier solutions, best first for this environment. Then follow next_action.',
  input,
  output: {
    calls: ['rankedSolutions'],
    omits: [],
    adds: () => ({}),
    shows: {
      ranked_solutions: [
        'solution_id',
        'steps',
        'best_env_bucket_match',
        'env_match_score',
        'reliability_score',
        'recency_boost',
        'final_solution_score',
      ],
    },
  },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: rankedSolutions,
  fit,
});
