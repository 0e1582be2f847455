/**
 * The arguments of fix-problem: the options that describe the goal (start-options.ts), and the options of this program.
 * The work is imported when the command is called.
 */

import type { Command } from 'commander';
import { timeoutSeconds } from '../terminal/numbers.ts';
import { ARGUMENTS_OPTION } from './argument-string.ts';
import type { FixOptions } from './fix-problem.ts';
import { startOptions } from './start-options.ts';

const HELP = `
Error mode: an error text ("-" reads it from stdin), repaired in at most three attempts; --test verifies, or what
argus run would run.
Command mode (--command): run, repaired and run again until it succeeds.
Without --agent, or fix.agent in argus.yaml of your own configuration folder (Linux: ~/.config/argus), it stops
before each change and prints a brief; change something, then call it again with --resume.

The hash of an error is of its type and its normalized text, not of its first 200 characters: another time, port, path
or line is the same error, and another error behind the same banner is not.

State, logs, reports: .claude/fixes/{command_hash}/. stdout has the report or the brief, stderr all the rest.

Exit codes: 0 fixed; 1 not fixed: a human is needed (circuit open, attempts used up, permanent error, suspicious
success, a fixer that changes nothing); 2 wrong usage or an error; 3 waits for a change, or for a human's word on a fix
that nothing verifies; 4 waits for inputs; 130 cancelled.`;

export function addFixCommands(root: Command): void {
  const command = root
    .command('fix-problem [error]')
    .description('repair an error, or run a command until it succeeds, with fixes between the attempts');
  const options = startOptions();
  for (const { option } of options.filter(({ isOfContract }) => isOfContract)) command.addOption(option);
  command
    .option('--agent <command>', 'program that makes the fix: brief on stdin, its path in ARGUS_BRIEF')
    .option('--no-agent', "stop before each change, whatever fix.agent in the user's configuration says")
    .option('--agent-timeout <seconds>', 'end the program after this time (default: 1800)', timeoutSeconds)
    .option('--research <command>', 'program that gets the research query on stdin; what it prints goes into the brief')
    .option('--resume', 'go on with a loop that waits; without --command and error the one worked on last')
    .option('--fix <text>', 'with --resume: what was changed, in words')
    .option('--outside <text>', 'with --resume: what was changed outside the project (a service started, a setting)')
    .option('--verified <how>', 'with --resume: how a fix was verified where no command can')
    .option('--accept [note]', 'a suspicious or unverified fix is right')
    .option('--reject [note]', 'a suspicious or unverified fix is wrong: go on')
    .option('--reset-circuit', 'let an open circuit try again');
  for (const { option } of options.filter(({ isOfContract }) => !isOfContract)) command.addOption(option);
  command
    .option(...ARGUMENTS_OPTION)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (error: string | undefined, options: FixOptions) => {
      const { fixProblem } = await import('./fix-problem.ts');
      await fixProblem(error, options);
    });
}

/**
 * Moves an error text that begins like an option (`--- FAIL: TestX`) behind `--`. A word with a space in it is not an
 * option.
 */
export function withErrorLast(argv: readonly string[], root: Command): string[] {
  const options = root.commands.find((command) => command.name() === 'fix-problem')?.options ?? [];
  // Options that take the next argument, even if it looks like an option.
  const takesValue = new Set(options.filter(({ required }) => required).map(({ long }) => long));
  const start = argv.indexOf('fix-problem');
  if (start !== 2) return [...argv];
  const index = argv.findIndex(
    (arg, at) => at > start && /^-.*\s/su.test(arg) && !takesValue.has(argv[at - 1]) && !/^--[\w-]+=/u.test(arg),
  );
  const dashes = argv.indexOf('--');
  if (index < 0 || (dashes > 0 && dashes < index)) return [...argv];
  return [...argv.toSpliced(index, 1), '--', argv[index] ?? ''];
}
