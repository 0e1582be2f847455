/**
 * Defines the commands `ci` and `gate` with their options. The code of a command is imported when the command is
 * called.
 */

import { REPORT_FORMATS } from 'argus-engine';
import { type Command, Option } from 'commander';
import { STEP_OUTCOMES } from '../../format/report/gate.ts';
import { createHelpText } from '../terminal/help.ts';
import { parseCondition } from '../terminal/options.ts';
import type { GlobalOptions } from '../terminal/output.ts';
import type { CiOptions } from './ci.ts';
import type { GateOptions } from './gate-facts.ts';

const GATE_HELP = `
The gate fails on
  - the verdicts regression, broken, new and unknown
  - a run without tests, and a failed run without a failing test
  - a failed command that the excused failures do not explain
  - an expired entry of argus-quarantine.yaml

It reports but excuses
  - verdicts flaky, infrastructure and order, if the test also passed on the
    same files
  - these verdicts and environment at 70 % or more, if the test failed in the
    same way before the change
  - a test whose rerun passed
  - cases that argus-quarantine.yaml of the base lists

Exit codes: 0 passed, 1 failed, 2 wrong usage or an error.`;

const BASE_HELP =
  'branch or full hash that the change will be merged into (default: from the CI environment, otherwise HEAD)';

const LOG_HELP = 'output of the step, to find other reasons than failed tests, such as a coverage threshold';

export function addCiCommands(root: Command): void {
  addCiCommand(root);
  addGateCommand(root);
}

const CI_HELP = `
In GitHub Actions, always writes the job summary and annotations. Only the comment needs GITHUB_TOKEN and
permissions: pull-requests: write.

Exit codes: 0 done, 1 the gate failed (--gate), 2 wrong usage or an error.`;

function addCiCommand(root: Command): void {
  root
    .command('ci <reports>')
    .description('record the reports of a CI job and post a summary, annotations and a PR comment')
    .addOption(new Option('--format <format>', 'default: detected from the content').choices(REPORT_FORMATS))
    .option('--environment <name=value>', 'a condition, such as browser=firefox; may be repeated', parseCondition)
    .option('--gate', 'exit with the exit code of argus gate')
    .option('--base <branch>', BASE_HELP)
    .addOption(new Option('--outcome <outcome>', 'how the step that ran the tests ended').choices(STEP_OUTCOMES))
    .option('--log <file>', LOG_HELP)
    .option('--rerun [command]', 'rerun failures that may be flaky or caused by the machine before they are excused')
    .option('--artifact <file>', 'write the run as a JSON line for argus import --runs')
    .option('--markdown <file>', 'write the summary to this file')
    .option(
      '--comment [name]',
      'also post the summary on the pull request (GitHub); the name keeps several comments apart (default: the job)',
    )
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(CI_HELP))
    .action(async (reports: string, options: CiOptions) => {
      const { runCiCommand } = await import('./ci.ts');
      await runCiCommand(reports, options);
    });
}

function addGateCommand(root: Command): void {
  root
    .command('gate [run]')
    .description(
      'fail the build if a run has failures that should block the change (default: the newest run of this commit)',
    )
    .option('--base <branch>', BASE_HELP)
    .addOption(new Option('--outcome <outcome>', 'how the step that ran the tests ended').choices(STEP_OUTCOMES))
    .option('--log <file>', LOG_HELP)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(GATE_HELP))
    .action(async (runId: string | undefined, options: GateOptions & GlobalOptions) => {
      const { runGateCommand } = await import('./gate.ts');
      await runGateCommand(runId, options);
    });
}
