/**
 * What an adapter of a runner is, and how adapters recognise words of a command.
 */

import type { ReportFormat } from 'argus-engine';
import type { GoPrinting } from '../reports/go-json.ts';

/** Where the reports of a run will be. */
export type ReportSource =
  | { kind: 'file'; path: string; format: ReportFormat | null }
  /** Files that processes of this runner wrote, each its own. */
  | { kind: 'written'; dir: string; runner: string; format: ReportFormat }
  /** Only files written during the run count. */
  | { kind: 'glob'; pattern: string; format: ReportFormat | null };

/** What makes a runner write its report. */
export interface Reporting {
  /** Arguments of the runner. */
  args?: string[];
  env?: Record<string, string>;
  /** Files to write into the report folder first. */
  files?: Record<string, string>;
  reports: ReportSource[];
  /**
   * What is done with its output: replaced events are turned back into what a person would see (`go-json`), it is kept as
   * the report (`copy`), or times that the report asks for are taken out (`bats-times`).
   */
  translate?: 'go-json' | 'copy' | 'bats-times';
  /** For `go-json`. */
  goPrinting?: GoPrinting;
  notes?: string[];
}

export interface AdapterContext {
  /** Temporary folder for reports. */
  dir: string;
  /** Project. */
  root: string;
  /** Words of the runner's command. */
  words: readonly string[];
  /** The environment the command will have. */
  env: Readonly<Record<string, string | undefined>>;
  /** Arguments reach the runner only at its end, through a package script. */
  throughScript: boolean;
  /** Only some tests are asked for. */
  filtered: boolean;
}

export interface Adapter {
  name: string;
  /** Index of the word after which the runner's arguments begin, if these words start it. */
  recognise(words: readonly string[]): number | undefined;
  /**
   * Arguments that run only tests with this name; absent where the runner has none. Undefined for a name that the runner
   * would read as something else, because names come from the files of a project.
   */
  filter?(name: string): string[] | undefined;
  /** Its options that leave tests out by name; they may be in a command from the start. */
  filterOptions?: readonly string[];
  /** What `filter` gives is a regular expression or a glob to the runner. */
  filterIsPattern?: boolean;
  /** `filter` takes a whole case name too, not only the test's own. */
  takesCaseNames?: boolean;
  /** Arguments must come before everything else, not at the end. */
  argsFirst?: boolean;
  /** It ends badly where it finds no test, unless it was told not to; but not where a filter leaves none. */
  failsWithoutTests?: boolean;
  /** What it needs to write a report; the runners of Node that `reporters.ts` reaches need nothing. */
  reporting?(context: AdapterContext): Reporting;
}

/** Programs that only start another one; their name and options are passed over. */
const LAUNCHERS = new Set(
  'npx pnpx bunx bun pnpm yarn npm node cross-env env time nice c8 nyc xvfb-run dotenv uv poetry pipenv pdm hatch rye python python3 py coverage bundle ruby php composer'.split(
    ' ',
  ),
);

/** Subcommands of launchers. */
const LAUNCHER_WORDS = new Set(['exec', 'run', 'dlx', 'x', '-m', '--']);

/** Recognises a program by its file name, behind any launchers. */
export function program(...names: string[]): Adapter['recognise'] {
  return (words) => {
    for (const [index, word] of words.entries()) {
      if (names.includes(basename(word))) return index + 1;
      if (!isLauncherWord(word)) return undefined;
    }
    return undefined;
  };
}

/** A program that starts the one behind it, its subcommand, an option, or a variable. */
export function isLauncherWord(word: string): boolean {
  return LAUNCHERS.has(basename(word)) || LAUNCHER_WORDS.has(word) || /^(?:-|\w+=)/u.test(word);
}

/** `node_modules/.bin/jest`, `jest.js`, `mvnw.cmd` and `python3.11` by their plain names. */
export function basename(word = ''): string {
  const name = word.split(/[\\/]/u).at(-1) ?? '';
  return name.replace(/\.(?:[cm]?js|cmd|exe|bat)$/u, '').replace(/^python3?\.\d+$/u, 'python3');
}

/** True for a word that a program may read as an option, or as the name of a file of arguments. */
export function isReadAsOption(word: string): boolean {
  return /^[-@]/u.test(word);
}

/** The regular expression that finds this text alone, in the syntax that all runners share. */
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

/** The value of the first of these options: `-t adds`, `-t=adds`, and of a single letter `-tadds`. */
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
