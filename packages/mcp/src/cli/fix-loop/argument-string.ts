/**
 * `--arguments -`: reads the arguments of fix-problem and generate-inputs from stdin as one text with shell quoting.
 * Slash commands of agents pass them so, because the text contains errors that must not reach a shell. Here quotes
 * group words, and nothing is expanded.
 */

import { text as readText } from 'node:stream/consumers';
import { ArgusError } from '../../errors.ts';
import { io } from '../../system/io.ts';
import { quotedWords } from '../../system/words.ts';

const COMMANDS: ReadonlySet<string | undefined> = new Set(['fix-problem', 'generate-inputs']);
const OPTION = '--arguments';

/** Appears in the help only, because it is replaced before the options are parsed. */
export const ARGUMENTS_OPTION = [`${OPTION} <->`, 'read more arguments from stdin (-), as one text in quotes'] as const;

/** Replaces the option by the words from stdin. */
export async function withArgumentString(argv: readonly string[]): Promise<readonly string[]> {
  const at = argv.indexOf(OPTION);
  if (!COMMANDS.has(argv[2]) || at < 0 || argv[at + 1] !== '-' || argv.slice(0, at).includes('--')) return argv;
  const words = wordsIn(await readText(io().stdin));
  return argv.toSpliced(at, 2, ...(argv[2] === 'generate-inputs' ? withoutPreamble(words) : words));
}

/** Removes the prefix of the contract's form `for command: "./setup.sh"`. */
function withoutPreamble(words: string[]): string[] {
  return words[0] === 'for' && words[1] === 'command:' ? words.slice(2) : words;
}

/** Splits a command line into words. Exported for tests. */
export function wordsIn(text: string): string[] {
  const { words, open } = quotedWords(text);
  if (open === undefined) return words;
  const advice = 'Put a backslash before a quote that belongs to the text';
  throw new ArgusError('INVALID_INPUT', `The arguments end inside of ${open}. ${advice}.`);
}
