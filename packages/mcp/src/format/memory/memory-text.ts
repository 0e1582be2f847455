/** Formats answers of the debug memory for the terminal. */

import type {
  AddIncidentResult,
  AddSolutionResult,
  IncidentMatch,
  MemoryImported,
  NextAction,
  RankedSolution,
  RankedSolutionsResult,
  RecordOutcomeResult,
} from 'argus-engine';
import { count } from '../../text/count.ts';
import { formatWarnings, withCommands } from '../commands.ts';
import { indented, lines, paint, percent } from '../terminal.ts';

export function formatSolutions(result: RankedSolutionsResult): string {
  const known = new Map(result.incidents.map((incident) => [incident.incident_id, incident]));
  return lines([
    ...result.ranked_solutions.map((solution) => formatSolution(solution, known.get(solution.incident_id))),
    ...result.incidents.filter(({ solution_count }) => solution_count === 0).map(formatUnsolved),
    result.more > 0 && paint.dim(`… and ${count(result.more, 'more solution')}; --limit shows them`),
    result.incidents.length === 0 && 'nothing like it is known',
    paint.dim(`lookup ${result.lookup_id}  environment ${result.env_bucket || 'unknown'}`),
    formatNext(result.next_action),
    ...formatWarnings(result.warnings),
  ]);
}

function formatSolution(solution: RankedSolution, incident: IncidentMatch | undefined): string {
  return lines([
    `${paint.bold(solution.solution_id)}  ${percent(solution.final_solution_score)}  ${paint.dim(solution.why)}`,
    indented(`${incident?.title ?? solution.incident_id}`),
    indented(paint.green(solution.steps)),
  ]);
}

function formatUnsolved({ incident_id, title, score }: IncidentMatch): string {
  return `${paint.bold(incident_id)}  ${percent(score)} alike, no solution yet: ${title}`;
}

/** The fields of an answer that waits for a team's server. */
interface Remembered {
  warnings?: string[];
}

export function formatOutcome(result: RecordOutcomeResult & Remembered): string {
  const { outcome_id, solution_stats, env_bucket, next_action, warnings } = result;
  const { solution_id, worked, failed, reliability_score } = solution_stats;
  return lines([
    `${paint.bold(outcome_id)} recorded on ${solution_id} in ${env_bucket || 'an unknown environment'}`,
    `worked ${count(worked, 'time')}, failed ${count(failed, 'time')}, reliability ${percent(reliability_score)}`,
    formatNext(next_action),
    ...formatWarnings(warnings),
  ]);
}

export function formatAddedSolution(result: AddSolutionResult & Remembered): string {
  const { solution_id, env_bucket, created, next_action, warnings } = result;
  const what = created ? 'added' : 'was there already';
  return lines([
    `${paint.bold(solution_id)} ${what}, for ${env_bucket || 'any environment'}`,
    formatNext(next_action),
    ...formatWarnings(warnings),
  ]);
}

export function formatAddedIncident(result: AddIncidentResult & Remembered): string {
  if (!result.created) {
    return lines([
      `known already: ${paint.bold(result.incident_id)}  ${percent(result.similarity)} alike: ${result.title}`,
      formatNext(result.next_action),
      ...formatWarnings(result.warnings),
    ]);
  }
  const { incident_id, solution_id, outcome_id, env_bucket, next_action, warnings } = result;
  return lines([
    `${paint.bold(incident_id)} added with ${solution_id} and ${outcome_id}, for ${env_bucket || 'any environment'}`,
    formatNext(next_action),
    ...formatWarnings(warnings),
  ]);
}

/** Enough for a screen. `--json` has all refusals. */
const SHOWN_REFUSALS = 20;

export function formatImported({ added, updated, solutions, outcomes, refused }: MemoryImported): string {
  return lines([
    `${count(added, 'incident')} added, ${updated} updated, ${count(solutions, 'new solution')}, ${count(outcomes, 'new outcome')}`,
    ...refused.slice(0, SHOWN_REFUSALS).map(({ line, message }) => paint.red(`line ${line}: ${message}`)),
    refused.length > SHOWN_REFUSALS && paint.red(`… and ${refused.length - SHOWN_REFUSALS} more lines were refused`),
  ]);
}

function formatNext({ instructions }: NextAction): string {
  return paint.dim(`next: ${withCommands(instructions)}`);
}
