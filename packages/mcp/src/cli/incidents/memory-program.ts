/**
 * The commands of the debug memory and their options. The code of a command is imported when it is called.
 */

import { Argument, type Command, InvalidArgumentError } from 'commander';
import { share, wholeNumber } from '../terminal/numbers.ts';
import type { MemoryOptions } from '../terminal/output.ts';
import type { EnvironmentOptions, IncidentOptions, Verdict } from './memory.ts';

const VERDICTS = ['worked', 'failed'] as const satisfies Verdict[];

export function addMemoryCommands(root: Command): void {
  for (const add of [addSolutions, addOutcome, addAddSolution, addAddIncident]) add(root);
  const memory = root.command('memory').description('the debug memory as a whole: import, export, search');
  for (const add of [addImport, addExport, addSearch]) add(memory);
}

/** Adds a command on a memory with the options that all of these commands have. */
function memoryCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option(
      '--project <dir>',
      "the project's memory (default: the user's own; searches look into the current project, too)",
    )
    .option('--config <file>', 'configuration (default: argus.yaml in the project)');
}

/** Adds a command that does the same as a tool: it takes an environment and prints JSON with --json. */
function toolCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return memoryCommand(parent, nameAndArguments, description)
    .option('--env <field=value>', 'of the environment, repeatable; the rest is detected', environmentField, {})
    .option('--json', 'print the same JSON as the MCP tool');
}

function addSolutions(root: Command): void {
  toolCommand(root, 'solutions <text>', 'find what solved a problem before; - reads the error from stdin')
    .option('--limit <n>', 'at most this many', wholeNumber)
    .action(async (text: string, options: EnvironmentOptions & { limit?: number }) => {
      const { solutions } = await import('./memory.ts');
      await solutions(text, options);
    });
}

function addOutcome(root: Command): void {
  toolCommand(root, 'outcome <solutionId>', 'record whether a solution worked')
    .addArgument(new Argument('<verdict>', 'what came of it').choices(VERDICTS))
    .option('--lookup <id>', 'the search that led to it')
    .option('--env-bucket <bucket>', 'environment as an earlier answer gave it')
    .option('--notes <text>', 'what others should know')
    .action(async (solutionId: string, verdict: Verdict, options) => {
      const { outcome } = await import('./memory.ts');
      await outcome(solutionId, verdict, options);
    });
}

function addAddSolution(root: Command): void {
  toolCommand(root, 'add-solution <incidentId> <steps>', 'add a fix to a known incident; - reads the steps from stdin')
    .option('--lookup <id>', 'the search that led to it')
    .option('--env-bucket <bucket>', 'environment as an earlier answer gave it')
    .action(async (incidentId: string, steps: string, options) => {
      const { addSolution } = await import('./memory.ts');
      await addSolution(incidentId, steps, options);
    });
}

function addAddIncident(root: Command): void {
  toolCommand(root, 'add-incident <title> <steps>', 'remember a problem and its fix; - reads the steps from stdin')
    .addArgument(new Argument('<verdict>', 'what came of the steps').choices(VERDICTS))
    .option('--error <text>', 'the error as printed')
    .option('--summary <text>', 'circumstances and cause')
    .option('--tag <tag...>', 'labels')
    .option('--lookup <id>', 'the search that found nothing')
    .option('--env-bucket <bucket>', 'environment as an earlier answer gave it')
    .option('--notes <text>', 'what others should know')
    .option('--force', 'add it although a similar one exists')
    .action(async (title: string, steps: string, verdict: Verdict, options: IncidentOptions) => {
      const { addIncident } = await import('./memory.ts');
      await addIncident(title, steps, verdict, options);
    });
}

const IMPORT_HELP = `
A line: {"type": "incident", "id"?, "title", "error_signature"?, "summary"?, "tags"?,
         "solutions": [{"steps", "env", "outcomes": [{"worked", "env", "notes"?, "created_at"?}]}]}
Incidents whose id is known are updated. Exit codes: 0 done, 1 some lines were refused, 2 an error.`;

function addImport(memory: Command): void {
  memoryCommand(memory, 'import <file>', 'take in incidents from a file of JSON lines; - reads stdin')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', IMPORT_HELP)
    .action(async (file: string, options: MemoryOptions) => {
      const { memoryImport } = await import('./memory-bulk.ts');
      await memoryImport(file, options);
    });
}

const EXPORT_HELP = `
What report-fix learned belongs to the project's runs and patterns, and is not written; copy the database for that,
or argus team push for a team.`;

const SEARCH_HELP = `
With "env", of incidents that answer alike the one that was solved in such an environment comes first.`;

function addExport(memory: Command): void {
  memoryCommand(memory, 'export', 'write all incidents to stdout, one JSON object a line, as import takes them')
    .addHelpText('after', EXPORT_HELP)
    .action(async (options: MemoryOptions) => {
      const { memoryExport } = await import('./memory-bulk.ts');
      await memoryExport(options);
    });
}

function addSearch(memory: Command): void {
  memoryCommand(memory, 'search', 'answer questions from stdin with the ids of incidents, best first')
    .requiredOption('--jsonl', 'read {"id", "text", "env"?, "limit"?} a line, write {"id", "ranked"} a line')
    .option('--threshold <score>', 'leave out what scores less, 0 to 1', share)
    .addHelpText('after', SEARCH_HELP)
    .action(async (options: MemoryOptions & { threshold?: number }) => {
      const { memorySearch } = await import('./memory-bulk.ts');
      await memorySearch(options);
    });
}

/** Collects options such as `language=python`. */
function environmentField(text: string, fields: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('field=value is needed, such as language=python.');
  return { ...fields, [text.slice(0, at)]: text.slice(at + 1) };
}
