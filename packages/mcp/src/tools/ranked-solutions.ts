/**
 * ranked_solutions: finds solutions of the same problem, best first for the current environment. One call of the engine
 * searches, ranks and remembers the search.
 */

import { LIMITS, type RankedSolution, type RankedSolutionsResult } from 'argus-engine';
import { rankedSolutions } from '../memory/calls.ts';
import type { Zod } from '../system/zod.ts';
import { clipped } from '../text/untrusted.ts';
import { fitTexts } from './shared/budget.ts';
import { env, filled, projectPath } from './shared/memory-schemas.ts';
import { limit } from './shared/schemas.ts';
import { defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    query_text: filled(z, 'pass the error as it was printed, or the problem in words').describe(
      'Stack trace or error as printed, or the problem in words',
    ),
    env: env(z),
    limit: limit(z, LIMITS.MAX_SOLUTIONS, LIMITS.DEFAULT_SOLUTIONS),
    projectPath: projectPath(z),
  });

/** Shortens steps and summaries, with the address of the whole text. */
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
  output: { calls: ['rankedSolutions'], omits: [], adds: () => ({}) },
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: rankedSolutions,
  fit,
});
