/**
 * Defines the commands of the debug memory and their options. The code of a command is imported when the command is
 * called.
 */

import { Argument, type Command, InvalidArgumentError } from 'commander';
import { createHelpText } from '../terminal/help.ts';
import { parseFraction, parseWholeNumber } from '../terminal/options.ts';
import type { MemoryOptions } from '../terminal/output.ts';
import type { EnvironmentOptions, IncidentOptions, Verdict } from './memory.ts';

const VERDICTS = ['worked', 'failed'] as const satisfies Verdict[];

export function addMemoryCommands(root: Command): void {
  for (const add of [addSolutionsCommand, addOutcomeCommand, addSolutionCommand, addIncidentCommand]) add(root);
  const memory = root.command('memory').description('import, export and search the debug memory');
  for (const add of [addImportCommand, addExportCommand, addSearchCommand]) add(memory);
}

/** Adds a command with the options that all commands of the debug memory have. */
function createMemoryCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option(
      '--project <dir>',
      "use the memory of this project (default: the user's memory; searches also cover the current project)",
    )
    .option('--config <file>', 'configuration (default: argus.yaml in the project)');
}

/** Adds a command that calls a tool: it accepts an environment, and prints JSON with --json. */
function createToolCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return createMemoryCommand(parent, nameAndArguments, description)
    .option(
      '--env <field=value>',
      'field of the environment, may be repeated; other fields are detected',
      parseEnvironmentField,
    )
    .option('--json', 'print the same JSON as the MCP tool');
}

function addSolutionsCommand(root: Command): void {
  createToolCommand(root, 'solutions <text>', 'find what solved a problem before; - reads the error from stdin')
    .option('--limit <n>', 'at most this many', parseWholeNumber)
    .action(async (text: string, options: EnvironmentOptions & { limit?: number }) => {
      const { printSolutions } = await import('./memory.ts');
      await printSolutions(text, options);
    });
}

function addOutcomeCommand(root: Command): void {
  createToolCommand(root, 'outcome <solutionId>', 'record whether a solution worked')
    .addArgument(new Argument('<verdict>', 'whether it worked').choices(VERDICTS))
    .option('--lookup <id>', 'id of the search that found it')
    .option('--env-bucket <bucket>', 'environment bucket from an earlier answer')
    .option('--notes <text>', 'notes for other users')
    .action(async (solutionId: string, verdict: Verdict, options) => {
      const { recordOutcome } = await import('./memory.ts');
      await recordOutcome(solutionId, verdict, options);
    });
}

function addSolutionCommand(root: Command): void {
  createToolCommand(
    root,
    'add-solution <incidentId> <steps>',
    'add a fix to a known incident; - reads the steps from stdin',
  )
    .option('--lookup <id>', 'id of the search that found it')
    .option('--env-bucket <bucket>', 'environment bucket from an earlier answer')
    .action(async (incidentId: string, steps: string, options) => {
      const { addSolution } = await import('./memory.ts');
      await addSolution(incidentId, steps, options);
    });
}

function addIncidentCommand(root: Command): void {
  createToolCommand(
    root,
    'add-incident <title> <steps>',
    'remember a problem and its fix; - reads the steps from stdin',
  )
    .addArgument(new Argument('<verdict>', 'whether the steps worked').choices(VERDICTS))
    .option('--error <text>', 'the error as printed')
    .option('--summary <text>', 'circumstances and cause')
    .option('--tag <tag...>', 'labels')
    .option('--lookup <id>', 'id of the search that found nothing')
    .option('--env-bucket <bucket>', 'environment bucket from an earlier answer')
    .option('--notes <text>', 'notes for other users')
    .option('--force', 'add it even if a similar incident exists')
    .action(async (title: string, steps: string, verdict: Verdict, options: IncidentOptions) => {
      const { addIncident } = await import('./memory.ts');
      await addIncident(title, steps, verdict, options);
    });
}

const IMPORT_HELP = `
A line:
  {"type": "incident", "id"?, "title", "error_signature"?, "summary"?, "tags"?,
   "solutions": [{"steps", "env", "outcomes":
     [{"worked", "env", "notes"?, "created_at"?}]}]}

Updates incidents with a known id.

Exit codes: 0 done, 1 some lines were rejected, 2 an error.`;

function addImportCommand(memory: Command): void {
  createMemoryCommand(memory, 'import <file>', 'import incidents from a file of JSON lines; - reads stdin')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', createHelpText(IMPORT_HELP))
    .action(async (file: string, options: MemoryOptions) => {
      const { memoryImport } = await import('./memory.ts');
      await memoryImport(file, options);
    });
}

const EXPORT_HELP = `
Does not write fixes of report-fix, because they belong to the project's runs and patterns. Copy the database for that,
or use argus team push for a team.`;

const SEARCH_HELP = `
With "env", if incidents have the same score, those solved in a similar environment come first.`;

function addExportCommand(memory: Command): void {
  createMemoryCommand(memory, 'export', 'write all incidents to stdout as JSON lines in the format of import')
    .addHelpText('after', createHelpText(EXPORT_HELP))
    .action(async (options: MemoryOptions) => {
      const { memoryExport } = await import('./memory.ts');
      await memoryExport(options);
    });
}

function addSearchCommand(memory: Command): void {
  createMemoryCommand(memory, 'search', 'answer questions from stdin with the ids of incidents, best first')
    .requiredOption('--jsonl', 'read {"id", "text", "env"?, "limit"?} per line, write {"id", "ranked"} per line')
    .option('--threshold <score>', 'leave out results with a lower score, 0 to 1', parseFraction)
    .addHelpText('after', createHelpText(SEARCH_HELP))
    .action(async (options: MemoryOptions & { threshold?: number }) => {
      const { memorySearch } = await import('./memory.ts');
      await memorySearch(options);
    });
}

/** Parses an option such as `language=python` and adds it to the fields of earlier options. */
function parseEnvironmentField(text: string, fields: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('Use field=value, such as language=python.');
  return { ...fields, [text.slice(0, at)]: text.slice(at + 1) };
}
