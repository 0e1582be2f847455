/** The commands for continuous integration and their options. The code of a command is imported when it is called. */

import { REPORT_FORMATS } from 'argus-engine';
import { type Command, Option } from 'commander';
import { condition } from '../terminal/condition.ts';
import type { GlobalOptions } from '../terminal/output.ts';
import type { CiOptions } from './ci.ts';
import type { GateOptions } from './gate-facts.ts';
import { OUTCOMES } from './outcomes.ts';

const GATE_HELP = `
Fails: regression, broken, new, unknown; a run without tests, or that failed without a failing test; a failed command that
the excused failures do not explain; an entry of argus-quarantine.yaml that is over. Excuses, and reports: flaky,
infrastructure, order and environment at 70 % or more that a run without this change had too, or that passed on the same
files; and what argus-quarantine.yaml of the base names.

Exit codes: 0 passed, 1 failed, 2 wrong usage or an error.`;

const BASE = 'branch or whole hash that the change is to go to (default: what CI says; elsewhere HEAD)';

const LOG = 'what the step printed, for reasons other than failed tests, such as a coverage threshold';

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
    .option('--log <file>', LOG)
    .option('--rerun [command]', 'run failures again that may be chance or the machine, before they are excused')
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
    .option('--log <file>', LOG)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', GATE_HELP)
    .action(async (runId: string | undefined, options: GateOptions & GlobalOptions) => {
      const { gate } = await import('./gate.ts');
      await gate(runId, options);
    });
}
