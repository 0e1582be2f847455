/**
 * Defines the command `fix-problem`: the options that describe the goal (from the table in fix/start-fields.ts), and
 * the options of the command line. The code of the command is imported when the command is called.
 */

import { text as readText } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ArgusError } from '../../errors.ts';
import { listFieldsInReadingOrder, type StartField, toKebabCase } from '../../fix/start-fields.ts';
import { splitQuotedWords } from '../../system/command-line.ts';
import { io } from '../../system/io.ts';
import { createHelpText } from '../terminal/help.ts';
import { parseTimeoutSeconds, parseWholeNumber } from '../terminal/options.ts';
import type { FixOptions } from './fix-problem.ts';

const HELP = `
Error mode: repairs an error text ("-" reads it from stdin) in at most three attempts. Verifies with --test, or with
the command of argus run.
Command mode (--command): runs the command, repairs its error and runs it again until it succeeds.
Without --agent, or fix.agent in argus.yaml of your configuration folder (Linux: ~/.config/argus), it stops
before each change and prints a brief. Change something, then call it again with --resume.

The hash of an error covers its type and its normalized text, not its first 200 characters. A different time, port, path
or line is the same error. A different error behind the same banner is a different error.

State, logs and reports: .claude/fixes/{command_hash}/. The report or the brief goes to stdout, everything else to stderr.

Exit codes: 0 fixed; 1 not fixed, a human is needed (circuit open, attempts used up, permanent error, suspicious
success, a fixer that changes nothing); 2 wrong usage or an error; 3 waits for a change, or for a human to verify a fix
that no command verifies; 4 waits for inputs; 130 cancelled.`;

export function addFixCommands(root: Command): void {
  const command = root
    .command('fix-problem [error]')
    .description('repair an error, or run a command until it succeeds, with a fix between the attempts');
  const options = createStartOptions();
  for (const { option } of options.filter(({ isInContract }) => isInContract)) command.addOption(option);
  command
    .option('--agent <command>', 'program that makes the fix: brief on stdin, its path in ARGUS_BRIEF')
    .option('--no-agent', "stop before each change, even if the user's configuration sets fix.agent")
    .option('--agent-timeout <seconds>', 'end the program after this time (default: 1800)', parseTimeoutSeconds)
    .option('--research <command>', 'program that gets the research query on stdin; its output goes into the brief')
    .option('--resume', 'resume a waiting loop (default without --command and error: the last loop)')
    .option('--fix <text>', 'with --resume: description of the change')
    .option('--outside <text>', 'with --resume: description of a change outside the project, such as a started service')
    .option('--verified <how>', 'with --resume: how you verified a fix that no command can verify')
    .option('--accept [note]', 'accept a suspicious or unverified fix')
    .option('--reject [note]', 'reject a suspicious or unverified fix and continue')
    .option('--reset-circuit', 'reset an open circuit breaker so that the loop can continue');
  for (const { option } of options.filter(({ isInContract }) => !isInContract)) command.addOption(option);
  command
    .option(...ARGUMENTS_OPTION)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(HELP))
    .action(async (error: string | undefined, options: Omit<FixOptions, 'start'>) => {
      const { fixProblem } = await import('./fix-problem.ts');
      await fixProblem(error, { ...options, start: pickStartValues(options) });
    });
}

/**
 * Moves an error text that starts like an option (`--- FAIL: TestX`) behind `--`. An argument that contains a space is
 * not an option.
 */
export function moveErrorLast(argv: readonly string[], root: Command): string[] {
  const options = root.commands.find((command) => command.name() === 'fix-problem')?.options ?? [];
  // Options that use the next argument as their value, even if that argument looks like an option.
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

/*
 * `--arguments -`: reads the arguments of fix-problem and generate-inputs from stdin as a single text with shell
 * quoting. Slash commands of agents use it, because the text contains error output that a shell must not interpret.
 * Quotes group words, and nothing is expanded.
 */

const COMMANDS_WITH_ARGUMENTS_FLAG: ReadonlySet<string | undefined> = new Set(['fix-problem', 'generate-inputs']);
const ARGUMENTS_FLAG = '--arguments';

/** Only for the help: the option is replaced before the options are parsed. */
export const ARGUMENTS_OPTION = [
  `${ARGUMENTS_FLAG} <->`,
  'read more arguments from stdin (-) as a quoted string',
] as const;

/** Replaces `--arguments -` by the words from stdin. */
export async function expandArgumentsOption(argv: readonly string[]): Promise<readonly string[]> {
  const at = argv.indexOf(ARGUMENTS_FLAG);
  if (!COMMANDS_WITH_ARGUMENTS_FLAG.has(argv[2]) || at < 0 || argv[at + 1] !== '-' || argv.slice(0, at).includes('--'))
    return argv;
  const words = splitArguments(await readText(io().stdin));
  return argv.toSpliced(at, 2, ...(argv[2] === 'generate-inputs' ? removeForCommandPrefix(words) : words));
}

/** Removes `for command:`, because the contract also allows the form `for command: "./setup.sh"`. */
function removeForCommandPrefix(words: string[]): string[] {
  return words[0] === 'for' && words[1] === 'command:' ? words.slice(2) : words;
}

/** Splits a text with shell quoting into words. Exported for tests. */
export function splitArguments(text: string): string[] {
  const { words, open } = splitQuotedWords(text);
  if (open === undefined) return words;
  const advice = 'Put a backslash before a quote that belongs to the text';
  throw new ArgusError('INVALID_INPUT', `The arguments end inside ${open}. ${advice}.`);
}

interface StartOption {
  name: string;
  /** True for an option of the contract, which the MCP prompt has too. The other options exist only in Argus. */
  isInContract: boolean;
  option: Option;
}

/**
 * Returns the options of fix-problem that describe the goal of the loop, built from the table in fix/start-fields.ts.
 */
export function createStartOptions(): StartOption[] {
  return listFieldsInReadingOrder().flatMap(([name, field]) => {
    const option = createOption(name, field);
    return option === undefined ? [] : [{ name, isInContract: field.prompt !== undefined, option }];
  });
}

/** Returns the values of the given options by field name. */
export function pickStartValues(options: object): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(options));
  const values = createStartOptions().map(({ name, option }) => [name, given.get(option.attributeName())] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function createOption(name: string, { type, option }: StartField): Option | undefined {
  if (option === undefined) return undefined;
  const { value, help, isWhole } = option;
  const created = new Option([`--${toKebabCase(name)}`, value].filter(Boolean).join(' '), help);
  return type === 'number' ? created.argParser(isWhole ? parseWholeNumber : parseDecimal) : created;
}

function parseDecimal(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/u.test(text))
    throw new InvalidArgumentError('The value must be a number of 0 or more.');
  return Number(text);
}
