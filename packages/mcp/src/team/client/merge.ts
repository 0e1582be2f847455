/** One answer of two memories that were asked the same. */

import { type Calls, type IncidentMatch, LIMITS, type RankedSolution, type RankedSolutionsResult } from 'argus-engine';

/** Incidents in an answer. */
const MAX_INCIDENTS = 10;

/**
 * What either has found, best first: nothing is lost that one memory with all of it would have found. What was copied
 * from one to the other is the team's. Later steps are about the team's search.
 */
export function merged(
  team: RankedSolutionsResult,
  local: RankedSolutionsResult | undefined,
  { limit }: Calls['rankedSolutions']['params'],
): RankedSolutionsResult {
  if (local === undefined || local.incidents.length === 0) return team;
  const [own, claims] = divided(solutionsOf(team, local));
  const ranked = [...own, ...claims].slice(0, limit ?? LIMITS.DEFAULT_SOLUTIONS);
  const incidents = incidentsOf(team, local);
  const all = incidents.reduce((sum, { solution_count }) => sum + solution_count, 0);
  const warnings = [...new Set([...(team.warnings ?? []), ...(local.warnings ?? [])])];
  const next = [team, local].find(({ ranked_solutions }) => ranked_solutions.length > 0) ?? team;
  const { lookup_id, env_bucket, detected_env } = team;
  return {
    lookup_id,
    env_bucket,
    ...(detected_env === undefined ? {} : { detected_env }),
    incidents,
    ranked_solutions: ranked,
    recommended_solution: own[0] ?? null,
    more: Math.max(0, all - ranked.length),
    next_action: team.incidents.length > 0 && ranked.length === 0 ? team.next_action : next.next_action,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function solutionsOf(team: RankedSolutionsResult, local: RankedSolutionsResult): RankedSolution[] {
  const known = new Set(team.ranked_solutions.map(({ solution_id }) => solution_id));
  const added = local.ranked_solutions.filter(({ solution_id }) => !known.has(solution_id));
  // Stable: of equal ones the team's comes first.
  return [...team.ranked_solutions, ...added].sort((a, b) => b.final_solution_score - a.final_solution_score);
}

/** What is somebody else's comes after all that is known, and is never recommended. */
function divided(solutions: readonly RankedSolution[]): [RankedSolution[], RankedSolution[]] {
  const isClaim = ({ memory }: RankedSolution) => memory === 'foreign';
  return [solutions.filter((one) => !isClaim(one)), solutions.filter(isClaim)];
}

function incidentsOf(team: RankedSolutionsResult, local: RankedSolutionsResult): IncidentMatch[] {
  const known = new Set(team.incidents.map(({ incident_id }) => incident_id));
  const added = local.incidents.filter(({ incident_id }) => !known.has(incident_id));
  return [...team.incidents, ...added].sort((a, b) => b.score - a.score).slice(0, MAX_INCIDENTS);
}
