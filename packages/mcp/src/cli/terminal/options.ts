/**
 * Options that several commands share, and parsers of their values. A parser throws an error that describes the
 * expected value.
 */

import { type Command, InvalidArgumentError } from 'commander';

/** Help text of the commands that record a run. */
export const RUN_EXIT_CODES = 'Exit codes: 0 all tests passed, 1 some failed, 2 wrong usage or an error.';

/** Adds a command on a project with the options that all of these commands have. */
export function addProjectCommand(
  root: Command,
  nameAndArguments: string,
  description: string,
  json = 'print the same JSON as the MCP tool',
): Command {
  return root
    .command(nameAndArguments)
    .description(description)
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', json);
}

/** Parses `name=value` and adds it to the values of earlier options. */
export function parseCondition(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Use name=value.');
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}

export function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('The value must be a whole number.');
  return Number(text);
}

/** One week. Timers of Node accept at most 24 days. */
const MAX_TIMEOUT_SECONDS = 7 * 24 * 3_600;

/** Parses a timeout in seconds. */
export function parseTimeoutSeconds(text: string): number {
  const seconds = parseWholeNumber(text);
  if (seconds < 1 || seconds > MAX_TIMEOUT_SECONDS)
    throw new InvalidArgumentError(`The value must be between 1 and ${MAX_TIMEOUT_SECONDS}.`);
  return seconds;
}

/** Parses a port. 0 means any free port. */
export function parsePort(text: string): number {
  const port = parseWholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('The highest port is 65535.');
  return port;
}

/** Parses a number from 0 to 1. */
export function parseFraction(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('The value must be between 0 and 1.');
  return number;
}
