/**
 * `--arguments -`: the arguments of fix-problem and generate-inputs as one text on stdin, written as for a shell. An
 * agent's slash command gets them so, with errors in them that nobody must hand to a shell: here quotes group, and
 * nothing is expanded.
 */

import { text as readText } from 'node:stream/consumers';
import { ArgusError } from '../../errors.ts';
import { io } from '../../system/io.ts';
import { quotedWords } from '../../system/words.ts';

const COMMANDS: ReadonlySet<string | undefined> = new Set(['fix-problem', 'generate-inputs']);
const OPTION = '--arguments';

/** Shown in the help; it is gone before the options are read. */
export const ARGUMENTS_OPTION = [`${OPTION} <->`, 'read more arguments from stdin (-), as one text in quotes'] as const;

/** Replaces the option by the words of the text on stdin. */
export async function withArgumentString(argv: readonly string[]): Promise<readonly string[]> {
  const at = argv.indexOf(OPTION);
  if (!COMMANDS.has(argv[2]) || at < 0 || argv[at + 1] !== '-' || argv.slice(0, at).includes('--')) return argv;
  const words = wordsIn(await readText(io().stdin));
  return argv.toSpliced(at, 2, ...(argv[2] === 'generate-inputs' ? withoutPreamble(words) : words));
}

/** The contract asks for them as `for command: "./setup.sh"`. */
function withoutPreamble(words: string[]): string[] {
  return words[0] === 'for' && words[1] === 'command:' ? words.slice(2) : words;
}

/** Words of a command line; exported for tests. */
export function wordsIn(text: string): string[] {
  const { words, open } = quotedWords(text);
  if (open === undefined) return words;
  const advice = 'Put a backslash before a quote that belongs to the text';
  throw new ArgusError('INVALID_INPUT', `The arguments end inside of ${open}. ${advice}.`);
}
