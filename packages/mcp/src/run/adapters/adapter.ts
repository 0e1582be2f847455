/** The interface of runner adapters, and helpers to recognize the words of a command. */

import type { ReportFormat } from 'argus-engine';
import type { GoPrinting } from '../reports/go-json.ts';

/** The place of the reports of a run. */
export type ReportSource =
  | { kind: 'file'; path: string; format: ReportFormat | null }
  /** Files of several processes of this runner. */
  | { kind: 'written'; dir: string; runner: string; format: ReportFormat }
  /** Files that match a pattern. Only files that were written during the run count. */
  | { kind: 'glob'; pattern: string; format: ReportFormat | null };

/** Settings that make a runner write its report. */
export interface Reporting {
  /** Arguments for the runner. */
  args?: string[];
  env?: Record<string, string>;
  /** Files to write into the report folder before the run. */
  files?: Record<string, string>;
  reports: ReportSource[];
  /**
   * How the output is processed: events are converted to normal output (`go-json`), the output is kept as the report
   * (`copy`), or times that the report option adds are removed (`bats-times`).
   */
  translate?: 'go-json' | 'copy' | 'bats-times';
  /** Options for `go-json`. */
  goPrinting?: GoPrinting;
  notes?: string[];
}

export interface AdapterContext {
  /** Temporary folder for reports. */
  dir: string;
  /** Root folder of the project. */
  root: string;
  /** Words of the runner's command. */
  words: readonly string[];
  /** The environment of the command. */
  env: Readonly<Record<string, string | undefined>>;
  /** True if arguments reach the runner only at the end of the command, through a package script. */
  throughScript: boolean;
  /** True if only some tests are selected. */
  filtered: boolean;
}

export interface Adapter {
  name: string;
  /** Index of the word at which the arguments of the runner start. Undefined if these words do not start the runner. */
  recognise(words: readonly string[]): number | undefined;
  /**
   * Arguments that run only tests with this name. Missing if the runner has no such arguments. Returns undefined for a
   * name that the runner would read as something else, because names come from files of the project.
   */
  filter?(name: string): string[] | undefined;
  /** Options of the runner that select tests by name. A command may already contain them. */
  filterOptions?: readonly string[];
  /** True if the runner reads the name in `filter` as a regular expression or a glob. */
  filterIsPattern?: boolean;
  /** True if `filter` accepts a full case name. */
  takesCaseNames?: boolean;
  /** True if added arguments must come first, not at the end. */
  argsFirst?: boolean;
  /** True if the runner fails if it finds no test. This does not cover a filter without a match. */
  failsWithoutTests?: boolean;
  /** Settings for a report. The runners of Node that `reporters.ts` covers need none. */
  reporting?(context: AdapterContext): Reporting;
}

/** Programs that only start another program. Their names and options are skipped. */
const LAUNCHERS = new Set(
  'npx pnpx bunx bun pnpm yarn npm node cross-env env time nice c8 nyc xvfb-run dotenv uv poetry pipenv pdm hatch rye python python3 py coverage bundle ruby php composer'.split(
    ' ',
  ),
);

/** Subcommands of launchers. */
const LAUNCHER_WORDS = new Set(['exec', 'run', 'dlx', 'x', '-m', '--']);

/** Recognizes a program by its file name, even after launchers. */
export function program(...names: string[]): Adapter['recognise'] {
  return (words) => {
    for (const [index, word] of words.entries()) {
      if (names.includes(basename(word))) return index + 1;
      if (!isLauncherWord(word)) return undefined;
    }
    return undefined;
  };
}

/** Returns true if the word is a launcher, a subcommand of a launcher, an option, or a variable. */
export function isLauncherWord(word: string): boolean {
  return LAUNCHERS.has(basename(word)) || LAUNCHER_WORDS.has(word) || /^(?:-|\w+=)/u.test(word);
}

/** The plain name of a program, for example for `node_modules/.bin/jest`, `jest.js`, `mvnw.cmd` or `python3.11`. */
export function basename(word = ''): string {
  const name = word.split(/[\\/]/u).at(-1) ?? '';
  return name.replace(/\.(?:[cm]?js|cmd|exe|bat)$/u, '').replace(/^python3?\.\d+$/u, 'python3');
}

/** Returns true for a word that a program may read as an option or as the name of an argument file. */
export function isReadAsOption(word: string): boolean {
  return /^[-@]/u.test(word);
}

/** A regular expression that matches only this text, in the common syntax of all runners. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

export function afterSubcommand(
  words: readonly string[],
  index: number | undefined,
  subcommand: string,
): number | undefined {
  return index !== undefined && words[index] === subcommand ? index + 1 : undefined;
}

/** The value of the first of these options: `-t adds`, `-t=adds`, or `-tadds` for a single letter. */
export function optionValue(words: readonly string[], options: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const option = options.find((one) => word.startsWith(one));
    if (option === undefined) continue;
    const rest = word.slice(option.length);
    if (rest === '') return words[index + 1];
    if (rest.startsWith('=')) return rest.slice(1);
    if (/^-\w$/u.test(option)) return rest;
  }
  return undefined;
}

export function hasOption(words: readonly string[], option: string): boolean {
  return words.some((word) => word === option || word.startsWith(`${option}=`));
}
