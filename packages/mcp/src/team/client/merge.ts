/** Merges the answers of two memories to one search. */

import { type Calls, type IncidentMatch, LIMITS, type RankedSolution, type RankedSolutionsResult } from 'argus-engine';

/** The number of incidents in an answer. */
const MAX_INCIDENTS = 10;

/**
 * Merges two results, best first. No solution is lost that a single memory with all the data would have found. If both
 * have a solution, the result of `first` counts. `lookup_id` refers to the search in `first`, because later calls go
 * there.
 */
export function merged(
  first: RankedSolutionsResult,
  second: RankedSolutionsResult | undefined,
  { limit }: Calls['rankedSolutions']['params'],
): RankedSolutionsResult {
  if (second === undefined || second.incidents.length === 0) return first;
  const [own, claims] = divided(solutionsOf(first, second));
  const ranked = [...own, ...claims].slice(0, limit ?? LIMITS.DEFAULT_SOLUTIONS);
  const incidents = incidentsOf(first, second);
  const all = incidents.reduce((sum, { solution_count }) => sum + solution_count, 0);
  const warnings = [...new Set([...(first.warnings ?? []), ...(second.warnings ?? [])])];
  const next = [first, second].find(({ ranked_solutions }) => ranked_solutions.length > 0) ?? first;
  const { lookup_id, env_bucket, detected_env } = first;
  return {
    lookup_id,
    env_bucket,
    ...(detected_env === undefined ? {} : { detected_env }),
    incidents,
    ranked_solutions: ranked,
    recommended_solution: own[0] ?? null,
    more: Math.max(0, all - ranked.length),
    next_action: first.incidents.length > 0 && ranked.length === 0 ? first.next_action : next.next_action,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function solutionsOf(first: RankedSolutionsResult, second: RankedSolutionsResult): RankedSolution[] {
  const known = new Set(first.ranked_solutions.map(({ solution_id }) => solution_id));
  const added = second.ranked_solutions.filter(({ solution_id }) => !known.has(solution_id));
  // The sort is stable, so solutions of `first` come before equal solutions of `second`.
  return [...first.ranked_solutions, ...added].sort((a, b) => b.final_solution_score - a.final_solution_score);
}

/** Solutions of other people come after all known solutions and are never recommended. */
function divided(solutions: readonly RankedSolution[]): [RankedSolution[], RankedSolution[]] {
  const isClaim = ({ memory }: RankedSolution) => memory === 'foreign';
  return [solutions.filter((one) => !isClaim(one)), solutions.filter(isClaim)];
}

function incidentsOf(first: RankedSolutionsResult, second: RankedSolutionsResult): IncidentMatch[] {
  const known = new Set(first.incidents.map(({ incident_id }) => incident_id));
  const added = second.incidents.filter(({ incident_id }) => !known.has(incident_id));
  return [...first.incidents, ...added].sort((a, b) => b.score - a.score).slice(0, MAX_INCIDENTS);
}
