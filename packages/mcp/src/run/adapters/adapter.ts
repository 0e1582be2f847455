/** The interface of the adapters for test runners, and helpers that recognize the words of a command. */

import type { ReportFormat } from 'argus-engine';
import type { GoOutputOptions } from '../reports/go-json.ts';

/** Where the reports of a run are. */
export type ReportSource =
  | { kind: 'file'; path: string; format: ReportFormat | null }
  /** Files in `dir` whose names start with the runner. Each process of the runner may write such a file. */
  | { kind: 'written'; dir: string; runner: string; format: ReportFormat }
  /** Files that match a pattern. Files from before the run do not count. */
  | { kind: 'glob'; pattern: string; format: ReportFormat | null };

/** Settings that make a runner write its report. */
export interface ReportSettings {
  /** Arguments for the runner. */
  args?: string[];
  env?: Record<string, string>;
  /** Files to write into the report folder before the run. */
  files?: Record<string, string>;
  reports: ReportSource[];
  /**
   * How the output is processed: events are converted to normal output (`go-json`), the output is also the report
   * (`copy`), or the times that the report option adds are removed (`bats-times`).
   */
  translate?: 'go-json' | 'copy' | 'bats-times';
  /** Options for the conversion with `go-json`. */
  goOutputOptions?: GoOutputOptions;
  notes?: string[];
}

export interface AdapterContext {
  /** The typed line. */
  command: string;
  /** Temporary folder for reports. */
  dir: string;
  /** Root folder of the project. */
  root: string;
  /** Words of the runner's command. */
  words: readonly string[];
  /** The environment of the command. */
  env: Readonly<Record<string, string | undefined>>;
  /** True if the command starts the runner through a package script, so that arguments must be at its end. */
  runsThroughScript: boolean;
  /** True if a filter selects only some of the tests. */
  isFiltered: boolean;
}

export interface Adapter {
  name: string;
  /**
   * Returns the index of the word at which the arguments of the runner start. Undefined if these words do not start the
   * runner.
   */
  recognize(words: readonly string[]): number | undefined;
  /**
   * Returns the arguments that run only tests with this name. Missing if the runner has no such arguments. Returns
   * undefined for a name that the runner would read as something else, for example as an option, because names come
   * from files of the project.
   */
  filter?(name: string): string[] | undefined;
  /** Options of the runner that select tests by name. A command may already contain them. */
  filterOptions?: readonly string[];
  /** True if the runner reads the name in `filter` as a regular expression or a glob. */
  filterIsPattern?: boolean;
  /** True if `filter` accepts a full case name. */
  takesCaseNames?: boolean;
  /** True if added arguments must be the first arguments, not the last. */
  insertsArgsFirst?: boolean;
  /**
   * Matches the line with which the runner rejects an option, and captures the option. The runner then runs no test.
   */
  rejectedOption?: RegExp;
  /** True if the runner fails if it finds no test. A filter without a match may still succeed. */
  failsWithoutTests?: boolean;
  /** Settings for a report. The runners that `reporters.ts` covers need none. */
  createReportSettings?(context: AdapterContext): ReportSettings;
}

/** Matches the message of `optparse`, `clap` and similar parsers of options, such as `unexpected argument '--x'`. */
export const REJECTED_ARGUMENT =
  /^(?:\S.*: )?(?:error: )?(?:unrecognized arguments:|unexpected argument|unrecognized option:?|unknown option|invalid option:|bad option:) ["']?(-{0,2}[\w-]+).*$/imu;

/** Programs that only start another program. Their names and options are skipped. */
const LAUNCHERS = new Set(
  'npx pnpx bunx bun pnpm yarn npm node cross-env env time nice c8 nyc xvfb-run dotenv uv poetry pipenv pdm hatch rye python python3 py coverage bundle ruby php composer'.split(
    ' ',
  ),
);

/** Words that launchers accept before the name of the program. */
const LAUNCHER_SUBCOMMANDS = new Set(['exec', 'run', 'dlx', 'x', '-m', '--']);

/** Returns a function that recognizes a program by its file name, even after launchers. */
export function recognizeProgram(...names: string[]): Adapter['recognize'] {
  return (words) => {
    for (const [index, word] of words.entries()) {
      if (names.includes(getProgramName(word))) return index + 1;
      if (!isLauncherWord(word)) return undefined;
    }
    return undefined;
  };
}

/** Returns true if the word is a launcher, a subcommand of a launcher, an option, or a variable. */
export function isLauncherWord(word: string): boolean {
  return LAUNCHERS.has(getProgramName(word)) || LAUNCHER_SUBCOMMANDS.has(word) || /^(?:-|\w+=)/u.test(word);
}

/**
 * Returns the plain name of a program: `jest` for `node_modules/.bin/jest` and `jest.js`, `mvnw` for `mvnw.cmd`, and
 * `python3` for `python3.11`.
 */
export function getProgramName(word = ''): string {
  const name = word.split(/[\\/]/u).at(-1) ?? '';
  return name.replace(/\.(?:[cm]?js|cmd|exe|bat)$/u, '').replace(/^python3?\.\d+$/u, 'python3');
}

/** Returns true for a word that a program may read as an option or as the name of a file with arguments. */
export function mayBeReadAsOption(word: string): boolean {
  return /^[-@]/u.test(word);
}

/** Returns a regular expression that matches only this text, in a syntax that all runners share. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

export function findIndexAfterSubcommand(
  words: readonly string[],
  index: number | undefined,
  subcommand: string,
): number | undefined {
  return index !== undefined && words[index] === subcommand ? index + 1 : undefined;
}

/** Returns the value of the first of these options: `-t adds`, `-t=adds`, or `-tadds` for a single letter. */
export function getOptionValue(words: readonly string[], options: readonly string[]): string | undefined {
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
