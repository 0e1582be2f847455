/** Replaces tool names in advice by command names. The engine writes its advice for agents, which call tools. */

import { paint } from './terminal.ts';

/** Commands whose name differs from the name of their tool. */
const COMMANDS: Record<string, string> = { ranked_solutions: 'solutions', record_outcome: 'outcome' };

const TOOLS =
  /\b(?:argus_(run|import|history|diagnose|report_fix|patterns|tests)|(ranked_solutions|record_outcome|add_solution|add_incident|fix_problem))\b/gu;

/** Arguments of tools and the matching command line options. */
const ARGUMENTS: [string, string][] = [
  ['call argus_init again', 'run this again'],
  ['with success: false', 'with --failed'],
  ['with worked=true or false', 'with worked or failed'],
  ['with solution_id, worked, and env', 'with its id and worked or failed'],
  ['with this incident_id', 'with its id'],
  ['notSameAs', '--not-same-as'],
];

/** Rewrites a message to agents for people at a terminal. */
export function withCommands(message: string): string {
  const typed = ARGUMENTS.reduce((text, [argument, option]) => text.replaceAll(argument, option), message);
  return typed
    .replaceAll(/\bargus-mcp (?=[a-z])/gu, 'argus ')
    .replaceAll(/: call (?=argus_)/gu, ': ')
    .replaceAll(/\b([Cc])all (?=argus_|record_outcome|add_solution|add_incident)/gu, (_, first: string) =>
      first === 'C' ? 'Run ' : 'run ',
    )
    .replaceAll(TOOLS, (_, ofFailures: string | undefined, other: string) => {
      const name = ofFailures ?? other;
      return `argus ${COMMANDS[name] ?? name.replace('_', '-')}`;
    });
}

/** Formats the warnings below an answer. */
export function formatWarnings(warnings: readonly string[] = []): string[] {
  return warnings.map((warning) => paint.yellow(`warning: ${withCommands(warning)}`));
}
