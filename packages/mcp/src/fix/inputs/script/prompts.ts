/**
 * A question a program will ask, as it was found.
 */

import { UNKNOWN } from './shell-words.ts';

export interface Prompt {
  /** What is shown; `…` stands for what only a run would know. */
  text: string;
  /** The variable it goes into, or a name for it. */
  variable: string | null;
  /** What is typed is not shown. */
  silent: boolean;
  /** One key, without Enter. */
  singleKey: boolean;
  /** Read from the terminal even when standard input is something else. */
  terminal: boolean;
  /** It may not be asked. */
  conditional: boolean;
  /** What the program takes when nothing is typed. */
  fallback: string | null;
  /** A menu, by number. */
  menu: readonly string[];
  /** What was printed right before. */
  context: readonly string[];
  /** The code that a yes leads to. */
  consequence: string;
  /** The code that looks at the answer. */
  check: string;
  /** `setup.sh:12`, `npm init`. */
  source: string;
  /** Fixed by what the program is; null: to be worked out. */
  answer?: { value?: string; deferred?: string; confidence?: number } | undefined;
}

/** Longer texts are no questions. */
const MAX_TEXT_CHARACTERS = 300;

/** A prompt with what is not said of it at its usual value. */
export function prompt(text: string, source: string, rest: Partial<Prompt> = {}): Prompt {
  return {
    text: withoutColours(text.slice(0, 2 * MAX_TEXT_CHARACTERS)).slice(0, MAX_TEXT_CHARACTERS),
    variable: null,
    silent: false,
    singleKey: false,
    terminal: false,
    conditional: false,
    fallback: null,
    menu: [],
    context: [],
    consequence: '',
    check: '',
    source,
    ...rest,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one
const COLOUR = /(?:\u001b|\\(?:033|e|x1b|u001b))\[[\d;]*m/iu.source;
const ENDS = new RegExp(`^(?:\\s|${COLOUR})+|(?:\\s|${COLOUR})+$`, 'giu');
const INSIDE = new RegExp(`(?:${COLOUR})+`, 'giu');

/** Inside a text they may be there or not, depending on the terminal. */
function withoutColours(text: string): string {
  return text.replaceAll(ENDS, '').replaceAll(INSIDE, UNKNOWN);
}
