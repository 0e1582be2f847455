/** The commands of continuous integration and their options. What does the work is imported when a command is called. */

import { type Command, Option } from 'commander';
import type { GateOptions } from './gate.ts';
import { OUTCOMES } from './outcomes.ts';

const GATE_HELP = `
Fails: regression, broken, new, unknown; a run without tests, or that failed without a failing test; an entry of
argus-quarantine.yaml that is over. Passes, and is reported: flaky, infrastructure, order, environment, and what
argus-quarantine.yaml of the base names.

Exit codes: 0 passed, 1 failed, 2 wrong usage or an error.`;

const BASE = 'branch or whole hash that the change is to go to (default: what CI says; elsewhere HEAD)';

export function addCiCommands(root: Command): void {
  addGate(root);
}

function addGate(root: Command): void {
  root
    .command('gate [runId]')
    .description(
      'say by exit code whether the failures of a run keep a change out (default: the newest of this commit)',
    )
    .option('--base <branch>', BASE)
    .addOption(new Option('--outcome <outcome>', 'how the step that ran the tests ended').choices(OUTCOMES))
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', GATE_HELP)
    .action(async (runId: string | undefined, options: GateOptions) => {
      const { gate } = await import('./gate.ts');
      await gate(runId, options);
    });
}
