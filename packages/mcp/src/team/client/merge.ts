/** One answer of two memories that were asked the same. */

import { type Calls, type IncidentMatch, LIMITS, type RankedSolution, type RankedSolutionsResult } from 'argus-engine';

/** Incidents in an answer. */
const MAX_INCIDENTS = 10;

/**
 * What either has found, best first: nothing is lost that one memory with all of it would have found. What was copied
 * from one to the other is the first one's. Later steps are about the search in the first.
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
  // Stable: of equal ones that of the first comes first.
  return [...first.ranked_solutions, ...added].sort((a, b) => b.final_solution_score - a.final_solution_score);
}

/** What is somebody else's comes after all that is known, and is never recommended. */
function divided(solutions: readonly RankedSolution[]): [RankedSolution[], RankedSolution[]] {
  const isClaim = ({ memory }: RankedSolution) => memory === 'foreign';
  return [solutions.filter((one) => !isClaim(one)), solutions.filter(isClaim)];
}

function incidentsOf(first: RankedSolutionsResult, second: RankedSolutionsResult): IncidentMatch[] {
  const known = new Set(first.incidents.map(({ incident_id }) => incident_id));
  const added = second.incidents.filter(({ incident_id }) => !known.has(incident_id));
  return [...first.incidents, ...added].sort((a, b) => b.score - a.score).slice(0, MAX_INCIDENTS);
}
