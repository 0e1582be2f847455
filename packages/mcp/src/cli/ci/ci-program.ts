/** The commands of continuous integration and their options. What does the work is imported when a command is called. */

import { REPORT_FORMATS } from 'argus-engine';
import { type Command, Option } from 'commander';
import { condition } from '../terminal/condition.ts';
import type { CiOptions } from './ci.ts';
import type { GateOptions } from './gate.ts';
import { OUTCOMES } from './outcomes.ts';

const GATE_HELP = `
Fails: regression, broken, new, unknown; a run without tests, or that failed without a failing test; an entry of
argus-quarantine.yaml that is over. Passes, and is reported: flaky, infrastructure, order, environment, and what
argus-quarantine.yaml of the base names.

Exit codes: 0 passed, 1 failed, 2 wrong usage or an error.`;

const BASE = 'branch or whole hash that the change is to go to (default: what CI says; elsewhere HEAD)';

export function addCiCommands(root: Command): void {
  addCi(root);
  addGate(root);
}

const CI_HELP = `
In GitHub Actions the summary of the job and annotations are written without being asked for. Needs GITHUB_TOKEN for the
comment alone, and permissions: pull-requests: write.

Exit codes: 0 done, 1 the gate failed (--gate), 2 wrong usage or an error.`;

function addCi(root: Command): void {
  root
    .command('ci <reports>')
    .description('record the reports of a job (a glob in quotes), and say what failed where people look')
    .addOption(new Option('--format <format>', 'default: told from the content').choices(REPORT_FORMATS))
    .option('--environment <name=value>', 'a condition, such as browser=firefox; may be repeated', condition, {})
    .option('--gate', 'end as argus gate does')
    .option('--base <branch>', BASE)
    .addOption(new Option('--outcome <outcome>', 'how the step that ran the tests ended').choices(OUTCOMES))
    .option('--artifact <file>', 'write the run as a line for argus import --runs')
    .option('--markdown <file>', 'write the summary there')
    .option(
      '--comment [name]',
      'write it on the pull request too (GitHub); a name tells several apart (default: the job)',
    )
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', CI_HELP)
    .action(async (reports: string, options: CiOptions) => {
      const { ci } = await import('./ci.ts');
      await ci(reports, options);
    });
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
