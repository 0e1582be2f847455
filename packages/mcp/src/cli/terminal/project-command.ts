/** Shared parts of the commands on a project. */

import type { Command } from 'commander';

export const EXIT_CODES = `
Exit codes: 0 done (run, import: all passed), 1 failures (run, import) or problems (doctor), 2 wrong usage or an error.`;

/** Adds a command on a project with the options that all of these commands have. */
export function projectCommand(root: Command, nameAndArguments: string, description: string): Command {
  return root
    .command(nameAndArguments)
    .description(description)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print the same JSON as the MCP tool')
    .addHelpText('after', EXIT_CODES);
}
