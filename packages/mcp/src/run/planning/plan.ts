/** Converts a command line into the command to run, which has a filter and options for a report. execute.ts runs it. */

import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { type CommandWord, type LastCommand, parseLastCommand, quoteArgument } from '../../system/command-line.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import {
  type Adapter,
  type AdapterContext,
  escapePattern,
  getOptionValue,
  mayBeReadAsOption,
  type ReportSettings,
} from '../adapters/adapter.ts';
import { ADAPTERS } from '../adapters.ts';
import { keepAdditionsInShell } from '../reporters/kept-variables.cjs';
import { createHookReportSettings, createPytestReportSettings } from '../reporters.ts';
import { findScript, getScriptArguments, readPackageScripts, type Script } from './scripts.ts';
import { createNoWatchVariables, getWatchAdvice } from './watch-mode.ts';
import { findWorkspaceRun, type WorkspaceRun } from './workspaces.ts';

/** Maximum depth of scripts that call scripts. Deeper nesting is a loop. */
const MAX_SCRIPT_DEPTH = 4;

/** Example of a command with a filter, for a project without packages. */
const DEFAULT_EXAMPLE = "npx vitest run -t 'adds two'";

export interface RunPlan {
  /** The command as a person would type it, with the filter but without options for a report. */
  displayCommand: string;
  /** The command that is run. */
  command: string;
  /**
   * Arguments that were added only for the report. They are removed from the output, because package managers print
   * them.
   */
  addedArguments: readonly string[];
  /** Null if Argus does not know the runner. */
  runner: string | null;
  reporting: ReportSettings;
  /** The test that a filter in the typed command selects. */
  commandFilter?: string | undefined;
}

type ReportContext = Pick<AdapterContext, 'dir' | 'env'>;

export interface PlanInput extends Omit<AdapterContext, 'words' | 'runsThroughScript' | 'isFiltered'> {
  filter?: string | undefined;
  /** The full name of the case that the filter selects, relative to the root, if the name is known. */
  caseName?: string | undefined;
  /** True if the configuration names the reports, so that the plan adds nothing to the command. */
  hasConfiguredReports?: boolean;
}

/** The runner that a command line starts, directly or through package scripts. */
interface RecognizedRunner {
  adapter: Adapter;
  words: string[];
  /** Offset in the typed line at which arguments are inserted. */
  insertAt: number;
  /** Text before the arguments, such as ` --` for npm. */
  separator: string;
  /** Offset at which `run` is inserted, because pnpm itself reads the options after the short form `pnpm test`. */
  runAt?: number | undefined;
  runsThroughScript: boolean;
  /** The typed line with the command of the script in place of the script. Undefined if the two do not do the same. */
  lineWithoutScript?: string | undefined;
  /** True if the runner runs in several packages, which would overwrite a single report file. */
  isInSeveralPackages?: boolean;
}

export function planRun(input: PlanInput): RunPlan {
  if (input.filter !== undefined) input = { ...input, command: removeEarlierRunners(input.command) };
  const recognized = recognizeRunner(input.command, input.root);
  const advice = getWatchAdvice(recognized?.words ?? parseScriptWords(input.command, input.root));
  if (advice !== undefined) throw createWatchError(input.command, advice);
  if (!recognized) {
    if (input.filter !== undefined) throw createFilterError(input, input.filter);
    const noWatchVariables = createNoWatchVariables(parseScriptWords(input.command, input.root));
    const reporting = input.hasConfiguredReports ? { reports: [] } : createHookReportSettings(input);
    const plan = {
      ...createUnchangedPlan(input.command, null),
      reporting: { ...reporting, env: { ...reporting.env, ...noWatchVariables } },
    };
    return keepAdditions(plan);
  }
  const { lineWithoutScript } = recognized;
  if (input.filter !== undefined && lineWithoutScript !== undefined && !readsArgumentsAtEnd(recognized))
    return planRun({ ...input, command: lineWithoutScript });
  const filterArgs = getFilterArguments(recognized, input);
  const reporting = input.hasConfiguredReports ? { reports: [] } : createAllReportSettings(recognized, input);
  return keepAdditions({
    displayCommand: insertArguments(input.command, recognized, filterArgs),
    command: insertArguments(input.command, recognized, [...(reporting.args ?? []), ...filterArgs]),
    addedArguments: reporting.args ?? [],
    runner: recognized.adapter.name,
    reporting,
    commandFilter: getOptionValue(recognized.words, recognized.adapter.filterOptions ?? []),
  });
}

/**
 * Removes test runners that the line starts before its last command, as in `cargo test --doc && cargo nextest run`. A
 * filter is passed to the last command only, so they would run all of their tests.
 */
function removeEarlierRunners(line: string): string {
  const start = parseLastCommand(line).words[0]?.start ?? 0;
  const before = /^(.*)&&\s*$/su.exec(line.slice(0, start))?.[1];
  if (before === undefined) return line;
  const { words } = parseLastCommand(before);
  if (matchAdapter(words.map((word) => word.text)) === undefined) return line;
  return removeEarlierRunners(`${before.slice(0, words[0]?.start)}${line.slice(start)}`);
}

/**
 * Changes the command so that it keeps the values that Argus adds to environment variables. Otherwise a command such as
 * `PYTHONPATH=src pytest` would overwrite them.
 */
function keepAdditions<T extends Pick<RunPlan, 'command' | 'reporting'>>(plan: T): T {
  const isShell = process.platform !== 'win32' && plan.reporting.env !== undefined;
  return isShell ? { ...plan, command: keepAdditionsInShell(plan.command) } : plan;
}

function getFilterArguments(recognized: RecognizedRunner, input: PlanInput): string[] {
  const { filter } = input;
  if (filter === undefined) return [];
  if (!supportsFilter(recognized)) throw createFilterError(input, filter);
  const args = buildFilterArguments(filter, recognized);
  if (args === undefined) throw createTestNameError(filter, recognized.adapter);
  return args;
}

/** Returns undefined if the command takes no filter, or if the runner does not accept the name. */
function buildFilterArguments(filter: string, recognized: RecognizedRunner): string[] | undefined {
  if (!supportsFilter(recognized)) return undefined;
  const name = createFilterName(filter, recognized.adapter);
  // An empty name selects every test, and no argument can contain a NUL.
  return name.trim() === '' || name.includes('\0') ? undefined : recognized.adapter.filter?.(name);
}

/** Returns true if a filter can be added to the command. */
export function canAddFilter(command: string, root: string): boolean {
  const recognized = recognizeRunner(command, root);
  return recognized !== undefined && supportsFilter(recognized);
}

function supportsFilter(recognized: RecognizedRunner): boolean {
  const takesFilter = readsArgumentsAtEnd(recognized) || recognized.lineWithoutScript !== undefined;
  return recognized.adapter.filter !== undefined && takesFilter;
}

/** Returns the settings for the report of the runner, and for reports of other runners that it may start. */
function createAllReportSettings(
  { adapter, words, runsThroughScript, isInSeveralPackages }: RecognizedRunner,
  input: PlanInput,
): ReportSettings {
  const hooks = createHookReportSettings(input);
  if (isInSeveralPackages) return hooks;
  const env = { ...input.env, ...hooks.env };
  const runnerReporting = adapter.createReportSettings?.({
    ...input,
    env,
    words,
    runsThroughScript,
    isFiltered: input.filter !== undefined,
  });
  if (runnerReporting === undefined) return hooks;
  return {
    ...runnerReporting,
    env: { ...hooks.env, ...runnerReporting.env },
    files: { ...hooks.files, ...runnerReporting.files },
    reports: [...runnerReporting.reports, ...hooks.reports],
  };
}

/**
 * Returns the settings with which the runners of an unchanged command write reports: the environment, and the reports
 * that the runners write without options.
 */
export function createListeningPlan(input: PlanInput): Pick<RunPlan, 'command' | 'reporting'> {
  const recognized = recognizeRunner(input.command, input.root);
  const hooks = createHookReportSettings(input);
  if (recognized === undefined) return keepAdditions({ command: input.command, reporting: hooks });
  const defaultReports = createAllReportSettings(recognized, input).reports.filter(({ kind }) => kind === 'glob');
  return keepAdditions({
    command: input.command,
    reporting: { ...hooks, reports: [...defaultReports, ...hooks.reports] },
  });
}

/** Returns the plan without the additions that the command rejected. */
export function planWithoutAdditions(
  { displayCommand, runner, commandFilter }: RunPlan,
  errorMessage: string,
  input: ReportContext,
): RunPlan {
  const reporting = createPytestReportSettings(errorMessage, input) ?? { reports: [] };
  return { ...createUnchangedPlan(displayCommand, runner), reporting, commandFilter };
}

function createUnchangedPlan(command: string, runner: string | null): RunPlan {
  return { displayCommand: command, command, addedArguments: [], runner, reporting: { reports: [] } };
}

/**
 * Returns true if the runner reads arguments at the end of the command. A script passes arguments only at the end, and
 * node reads no options after file names.
 */
function readsArgumentsAtEnd({ adapter, runsThroughScript, words }: RecognizedRunner): boolean {
  if (!runsThroughScript || adapter.name !== 'node:test') return true;
  return words.slice(1).every((word) => word.startsWith('-'));
}

/** Returns the name of the runner that the command would start. */
export function recognizeRunnerName(command: string, root: string): string | null {
  return recognizeRunner(command, root)?.adapter.name ?? null;
}

/** Returns the words of the last command of a line, without the variables that are set for the command. */
export function parseCommandWords(command: string): string[] {
  const words = parseLastCommand(command).words.map((word) => word.text);
  return words.slice(findProgramStart(words));
}

function createWatchError(command: string, advice: string): ArgusError {
  const text = `'${toShortLine(command)}' watches for changes and never ends. ${advice}, then call again.`;
  return new ArgusError('INVALID_INPUT', text);
}

/** Like [`parseCommandWords`], but for the command that package scripts start. */
export function parseScriptWords(command: string, root: string, depth = 0): string[] {
  const words = parseCommandWords(command);
  const script = findScript(words, root);
  return script === undefined || depth >= MAX_SCRIPT_DEPTH ? words : parseScriptWords(script.text, root, depth + 1);
}

function recognizeRunner(command: string, root: string, depth = 0): RecognizedRunner | undefined {
  const last = parseLastCommand(command);
  const words = last.words.map((word) => word.text);
  if (!last.editable) return undefined;
  const start = findProgramStart(words);
  const packages = findWorkspaceRun(words.slice(start), root);
  if (packages) return recognizeInEveryPackage(packages, last, root, depth);
  const script = findScript(words.slice(start), root);
  if (!script) {
    const direct = matchAdapter(words);
    if (!direct) return undefined;
    const insertAt = direct.adapter.insertsArgsFirst
      ? getWordEnd(last.words[direct.index - 1])
      : findArgumentsEnd(last);
    return { adapter: direct.adapter, words, insertAt, separator: '', runsThroughScript: false };
  }
  if (depth >= MAX_SCRIPT_DEPTH) return undefined;
  const inner = recognizeRunner(script.text, root, depth + 1);
  if (!inner) return undefined;
  const separator = getSeparator(script, words) + inner.separator;
  const runAt = script.needsRun ? getWordEnd(last.words[start]) : undefined;
  // The words after the name of the script may contain arguments.
  const scriptArguments = getScriptArguments(script, words.slice(start + script.wordCount));
  return {
    ...inner,
    words: [...inner.words, ...scriptArguments],
    insertAt: getWordEnd(last.words.at(-1)),
    separator,
    runAt,
    runsThroughScript: true,
    lineWithoutScript: scriptArguments.length === 0 ? replaceScript(command, last, start, script, inner) : undefined,
  };
}

/** Returns undefined if the script has steps before or after it, which the command of the script does not run. */
function replaceScript(
  line: string,
  { words }: LastCommand,
  start: number,
  { text, hasHooks }: Script,
  inner: RecognizedRunner,
): string | undefined {
  const command = inner.runsThroughScript ? inner.lineWithoutScript : text;
  if (hasHooks || command === undefined) return undefined;
  return `${line.slice(0, words[start]?.start)}${command}${line.slice(getWordEnd(words.at(-1)))}`;
}

/** Returns the runner of the script in all packages, if all packages have the same runner. */
function recognizeInEveryPackage(
  packages: WorkspaceRun,
  last: LastCommand,
  root: string,
  depth: number,
): RecognizedRunner | undefined {
  const recognized = recognizeInPackages(packages, root, depth);
  const [first] = recognized;
  if (first === undefined || recognized.some((other) => other?.adapter !== first.adapter)) return undefined;
  const leastFlexibleRunner = recognized.find(
    (one) => one !== undefined && !readsArgumentsAtEnd({ ...one, runsThroughScript: true }),
  );
  const words = last.words.map((word) => word.text);
  const separator = getSeparator(packages, words) + first.separator;
  const insertAt = getWordEnd(last.words.at(-1));
  return {
    ...(leastFlexibleRunner ?? first),
    insertAt,
    separator,
    runsThroughScript: true,
    isInSeveralPackages: true,
  };
}

function recognizeInPackages(
  { folders, script }: WorkspaceRun,
  root: string,
  depth: number,
): (RecognizedRunner | undefined)[] {
  if (depth >= MAX_SCRIPT_DEPTH) return [];
  return folders.map((folder) => {
    const packageRoot = path.join(root, folder);
    return recognizeRunner(readPackageScripts(packageRoot)[script] ?? '', packageRoot, depth + 1);
  });
}

/** Returns ` --` if the command needs it, because each npm between the command and the runner consumes a `--`. */
function getSeparator({ needsDashes }: { needsDashes: boolean }, words: readonly string[]): string {
  return needsDashes && !words.includes('--') ? ' --' : '';
}

function matchAdapter(words: readonly string[]): { adapter: Adapter; index: number } | undefined {
  const start = words.findIndex(isNotAssignment);
  if (start < 0) return undefined;
  for (const adapter of ADAPTERS) {
    const index = adapter.recognize(words.slice(start));
    if (index !== undefined) return { adapter, index: index + start };
  }
  return undefined;
}

/** Returns the index of the program, which follows the variables that are set for it. */
function findProgramStart(words: readonly string[]): number {
  return Math.max(0, words.findIndex(isNotAssignment));
}

/** False for a word such as `CI=1`, which sets a variable for the command. */
function isNotAssignment(word: string): boolean {
  return !/^\w+=/u.test(word);
}

function insertArguments(
  command: string,
  { insertAt, separator, runAt }: RecognizedRunner,
  args: readonly string[],
): string {
  if (args.length === 0) return command;
  const extended = `${command.slice(0, insertAt)}${separator}${formatArguments(args)}${command.slice(insertAt)}`;
  return runAt === undefined ? extended : `${extended.slice(0, runAt)} run${extended.slice(runAt)}`;
}

function formatArguments(args: readonly string[]): string {
  return args.map((arg) => ` ${quoteArgument(arg)}`).join('');
}

/** Arguments after `--` belong to another program. */
function findArgumentsEnd({ words }: LastCommand): number {
  const dashes = words.findIndex((word, index) => index > 0 && word.text === '--' && !areLauncherDashes(words, index));
  return getWordEnd(words[dashes > 0 ? dashes - 1 : words.length - 1]);
}

/** Returns true for a `--` before the name of a runner, as in `npm exec -- vitest`. */
function areLauncherDashes(words: readonly CommandWord[], index: number): boolean {
  return matchAdapter(words.slice(index + 1).map((word) => word.text)) !== undefined;
}

function getWordEnd(word: CommandWord | undefined): number {
  return word?.end ?? 0;
}

/**
 * Reduces a full case name to the name of the test, and escapes it if the runner expects a pattern. If the text may be
 * a name or a pattern, the result matches both.
 */
function createFilterName(filter: string, adapter: Adapter): string {
  if (adapter.takesCaseNames) return filter;
  const name = filter.split(' > ').at(-1) ?? filter;
  if (!adapter.filterIsPattern) return name;
  const literal = escapePattern(name);
  const pattern = name === filter ? combineNameAndPattern(filter, literal) : literal;
  // A character in brackets matches only itself and does not start an option.
  return mayBeReadAsOption(pattern) ? pattern.replace(/^./u, '[$&]') : pattern;
}

/**
 * Returns a pattern that matches the text as a name and as a pattern. For example, the pattern `adds (fast)` matches
 * `adds fast` but not the name `adds (fast)`. A pattern that matches its own text also finds a test with this name.
 */
function combineNameAndPattern(filter: string, literal: string): string {
  try {
    // Go and PCRE accept flags at the start, as in `(?i)adds`.
    return new RegExp(filter.replace(/^\(\?[a-z]+\)/u, '')).test(filter) ? filter : `${literal}|${filter}`;
  } catch {
    return literal;
  }
}

function createFilterError({ command, root, caseName }: PlanInput, filter: string): ArgusError {
  const advice = 'Omit filter and put the filter option of the runner into command';
  const packages = createPackageCommands({ command, root, filter });
  const example =
    findCommandOfCase(caseName ?? filter, packages) ?? packages.find((one) => one.isFiltered)?.text ?? DEFAULT_EXAMPLE;
  const text = `filter does not work with '${toShortLine(command)}'. ${advice}, for example ${toShortLine(example)}`;
  return new ArgusError('INVALID_INPUT', text);
}

function createTestNameError(filter: string, { name }: Adapter): ArgusError {
  const text = `'${toShortLine(filter)}' cannot be passed to ${name} as a test name`;
  return new ArgusError('INVALID_INPUT', `${text}. Use a part of the name that begins with a letter or a digit.`);
}

interface FilteredCommand extends Pick<PlanInput, 'command' | 'root'> {
  filter: string;
}

interface PackageCommand {
  folder: string;
  text: string;
  /** False if the script takes no filter at the end. In that case, the command runs all tests of the package. */
  isFiltered: boolean;
}

/** Returns the command that runs the test in the package of the case. Undefined if the case is in no package. */
export function findPackageCommand(filtered: FilteredCommand, caseName: string): string | undefined {
  return findCommandOfCase(caseName, createPackageCommands(filtered));
}

function findCommandOfCase(caseName: string, packages: readonly PackageCommand[]): string | undefined {
  // A package can be inside another package, so the last match is the innermost.
  return packages.findLast(({ folder }) => caseName.startsWith(`${folder}/`))?.text;
}

function createPackageCommands({ command, root, filter }: FilteredCommand): PackageCommand[] {
  const packages = findWorkspaceRun(parseScriptWords(command, root), root);
  if (packages === undefined) return [];
  const recognizedByPackage = recognizeInPackages(packages, root, 0);
  return packages.folders.map((folder, index) => {
    const recognized = recognizedByPackage[index];
    const args =
      recognized === undefined
        ? undefined
        : buildFilterArguments(filter, { ...recognized, runsThroughScript: true, lineWithoutScript: undefined });
    // `cd -` and `cd -P` have another meaning in a shell.
    const place = folder.startsWith('-') ? `./${folder}` : folder;
    const text = `cd ${quoteArgument(place)} && npm run ${packages.script}${args === undefined ? '' : ` --${formatArguments(args)}`}`;
    return { folder, text, isFiltered: args !== undefined };
  });
}
