/**
 * Converts a command line to the command that is run: with a filter and with options for a report. execute.ts runs it.
 */

import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { type LastCommand, lastCommand, quoted, type Word } from '../../system/words.ts';
import { shortLine } from '../../text/untrusted.ts';
import {
  type Adapter,
  type AdapterContext,
  isReadAsOption,
  literalPattern,
  optionValue,
  type Reporting,
} from '../adapters/adapter.ts';
import { ADAPTERS } from '../adapters.ts';
import { keepInShell } from '../reporters/kept-variables.cjs';
import { hookReporting, pytestReport } from '../reporters.ts';
import { argumentsOf, packageScripts, scriptOf } from './scripts.ts';
import { watchAdvice, watchingOff } from './watch-mode.ts';
import { type WorkspaceRun, workspaceRun } from './workspaces.ts';

/** Maximum depth of scripts that call scripts. Deeper nesting is a loop. */
const MAX_SCRIPT_DEPTH = 4;

/** Example of a filter, if the project has no packages to show. */
const ANY_EXAMPLE = "npx vitest run -t 'adds two'";

export interface Plan {
  /** The command as a person would type it. */
  shown: string;
  /** The command that is run. */
  command: string;
  /**
   * Arguments that were added only for the report. They are removed from the output again, because package managers
   * print them.
   */
  added: readonly string[];
  /** Null if Argus does not know the runner. */
  runner: string | null;
  reporting: Reporting;
  /** The test that a filter in the command itself selects. */
  ownFilter?: string | undefined;
}

type ReportPlace = Pick<AdapterContext, 'dir' | 'env'>;

export interface PlanInput extends Omit<AdapterContext, 'words' | 'throughScript' | 'filtered'> {
  command: string;
  filter?: string | undefined;
  /** The full name of the case that the filter selects, relative to the root, if known. */
  caseName?: string | undefined;
  /** True if the configuration names the reports, so that the plan adds nothing to the command. */
  ownReports?: boolean;
}

/** The runner that a command line starts, directly or through package scripts. */
interface Recognised {
  adapter: Adapter;
  words: string[];
  /** Offset in the typed line at which arguments are inserted. */
  insertAt: number;
  /** Text before the arguments, such as ` --` for npm. */
  lead: string;
  /** Offset at which `run` is inserted, because pnpm reads options after the short form `pnpm test` as its own. */
  runAt?: number | undefined;
  throughScript: boolean;
  /** True if the runner runs in several packages, which would overwrite a shared report file. */
  inPackages?: boolean;
}

export function planRun(input: PlanInput): Plan {
  const found = recognise(input.command, input.root);
  const advice = watchAdvice(found?.words ?? scriptWords(input.command, input.root));
  if (advice !== undefined) throw watches(input.command, advice);
  if (!found) {
    if (input.filter !== undefined) throw noFilter(input, input.filter);
    const off = watchingOff(scriptWords(input.command, input.root));
    const reporting = input.ownReports ? { reports: [] } : hookReporting(input);
    const plan = { ...asTyped(input.command, null), reporting: { ...reporting, env: { ...reporting.env, ...off } } };
    return keepingAdditions(plan);
  }
  const filterArgs = filterArguments(found, input);
  const reporting = input.ownReports ? { reports: [] } : reportingOf(found, input);
  return keepingAdditions({
    shown: insert(input.command, found, filterArgs),
    command: insert(input.command, found, [...(reporting.args ?? []), ...filterArgs]),
    added: reporting.args ?? [],
    runner: found.adapter.name,
    reporting,
    ownFilter: optionValue(found.words, found.adapter.filterOptions ?? []),
  });
}

/** A command such as `PYTHONPATH=src pytest` would overwrite the added value of the variable. */
function keepingAdditions<T extends Pick<Plan, 'command' | 'reporting'>>(plan: T): T {
  const isShell = process.platform !== 'win32' && plan.reporting.env !== undefined;
  return isShell ? { ...plan, command: keepInShell(plan.command) } : plan;
}

function filterArguments(found: Recognised, input: PlanInput): string[] {
  const { filter } = input;
  if (filter === undefined) return [];
  if (!canFilter(found)) throw noFilter(input, filter);
  const args = argumentsFor(filter, found);
  if (args === undefined) throw noName(filter, found.adapter);
  return args;
}

/** Returns undefined if the command takes no filter or the runner does not accept the name. */
function argumentsFor(filter: string, found: Recognised): string[] | undefined {
  if (!canFilter(found)) return undefined;
  const name = filterName(filter, found.adapter);
  // An empty name selects every test, and no argument can contain a NUL.
  return name.trim() === '' || name.includes('\0') ? undefined : found.adapter.filter?.(name);
}

/** Returns true if a filter can be added to the command. */
export function takesFilter(command: string, root: string): boolean {
  const found = recognise(command, root);
  return found !== undefined && canFilter(found);
}

function canFilter(found: Recognised): boolean {
  return found.adapter.filter !== undefined && readsArgumentsAtItsEnd(found);
}

/** Settings for the report of the runner and of other runners that it may start. */
function reportingOf({ adapter, words, throughScript, inPackages }: Recognised, input: PlanInput): Reporting {
  const hooks = hookReporting(input);
  if (inPackages) return hooks;
  const env = { ...input.env, ...hooks.env };
  const own = adapter.reporting?.({ ...input, env, words, throughScript, filtered: input.filter !== undefined });
  if (own === undefined) return hooks;
  return {
    ...own,
    env: { ...hooks.env, ...own.env },
    files: { ...hooks.files, ...own.files },
    reports: [...own.reports, ...hooks.reports],
  };
}

/**
 * Settings that let the runners of an unchanged command write reports: the environment, and reports that they write
 * anyway.
 */
export function listeningPlan(input: PlanInput): Pick<Plan, 'command' | 'reporting'> {
  const found = recognise(input.command, input.root);
  const hooks = hookReporting(input);
  if (found === undefined) return keepingAdditions({ command: input.command, reporting: hooks });
  const anyhow = reportingOf(found, input).reports.filter(({ kind }) => kind === 'glob');
  return keepingAdditions({
    command: input.command,
    reporting: { ...hooks, reports: [...anyhow, ...hooks.reports] },
  });
}

/** The plan without the additions that the command rejected. */
export function withoutRefused({ shown, runner, ownFilter }: Plan, complaint: string, input: ReportPlace): Plan {
  const reporting = pytestReport(complaint, input) ?? { reports: [] };
  return { ...asTyped(shown, runner), reporting, ownFilter };
}

function asTyped(command: string, runner: string | null): Plan {
  return { shown: command, command, added: [], runner, reporting: { reports: [] } };
}

/** Through a script, arguments come last, and node reads no options after file names. */
function readsArgumentsAtItsEnd({ adapter, throughScript, words }: Recognised): boolean {
  if (!throughScript || adapter.name !== 'node:test') return true;
  return words.slice(1).every((word) => word.startsWith('-'));
}

/** The name of the runner, to show what would run. */
export function recognisedRunner(command: string, root: string): string | null {
  return recognise(command, root)?.adapter.name ?? null;
}

/** The words of the last command of a line, without variables that are set for it. */
export function commandWords(command: string): string[] {
  const words = lastCommand(command).words.map((word) => word.text);
  return words.slice(startOfProgram(words));
}

function watches(command: string, advice: string): ArgusError {
  const text = `'${shortLine(command)}' watches for changes and would not end. ${advice}, and call again.`;
  return new ArgusError('INVALID_INPUT', text);
}

/** Like [`commandWords`], but for the command behind package scripts. */
export function scriptWords(command: string, root: string, depth = 0): string[] {
  const words = commandWords(command);
  const script = scriptOf(words, root);
  return script === undefined || depth >= MAX_SCRIPT_DEPTH ? words : scriptWords(script.text, root, depth + 1);
}

function recognise(command: string, root: string, depth = 0): Recognised | undefined {
  const last = lastCommand(command);
  const words = last.words.map((word) => word.text);
  if (!last.editable) return undefined;
  const start = startOfProgram(words);
  const packages = workspaceRun(words.slice(start), root);
  if (packages) return inEveryPackage(packages, last, root, depth);
  const script = scriptOf(words.slice(start), root);
  if (!script) {
    const direct = matchAdapter(words);
    if (!direct) return undefined;
    const insertAt = direct.adapter.argsFirst ? endOfWord(last.words[direct.index - 1]) : endOfArguments(last);
    return { adapter: direct.adapter, words, insertAt, lead: '', throughScript: false };
  }
  if (depth >= MAX_SCRIPT_DEPTH) return undefined;
  const inner = recognise(script.text, root, depth + 1);
  if (!inner) return undefined;
  const lead = leadOf(script, words) + inner.lead;
  const runAt = script.needsRun ? endOfWord(last.words[start]) : undefined;
  // Arguments may follow the name of the script.
  const given = argumentsOf(script, words.slice(start + script.wordCount));
  return {
    ...inner,
    words: [...inner.words, ...given],
    insertAt: endOfWord(last.words.at(-1)),
    lead,
    runAt,
    throughScript: true,
  };
}

/** The runner of the script in all packages, if it is the same in each. */
function inEveryPackage(
  packages: WorkspaceRun,
  last: LastCommand,
  root: string,
  depth: number,
): Recognised | undefined {
  const found = recognisedIn(packages, root, depth);
  const [first] = found;
  if (first === undefined || found.some((one) => one?.adapter !== first.adapter)) return undefined;
  const hardest = found.find((one) => one !== undefined && !readsArgumentsAtItsEnd({ ...one, throughScript: true }));
  const words = last.words.map((word) => word.text);
  const lead = leadOf(packages, words) + first.lead;
  const insertAt = endOfWord(last.words.at(-1));
  return { ...(hardest ?? first), insertAt, lead, throughScript: true, inPackages: true };
}

function recognisedIn({ folders, script }: WorkspaceRun, root: string, depth: number): (Recognised | undefined)[] {
  if (depth >= MAX_SCRIPT_DEPTH) return [];
  return folders.map((folder) => {
    const packageRoot = path.join(root, folder);
    return recognise(packageScripts(packageRoot)[script] ?? '', packageRoot, depth + 1);
  });
}

/** Returns ` --` if it is needed, because each npm between the command and the runner consumes a `--`. */
function leadOf({ needsDashes }: { needsDashes: boolean }, words: readonly string[]): string {
  return needsDashes && !words.includes('--') ? ' --' : '';
}

function matchAdapter(words: readonly string[]): { adapter: Adapter; index: number } | undefined {
  const start = words.findIndex(isNoAssignment);
  if (start < 0) return undefined;
  for (const adapter of ADAPTERS) {
    const index = adapter.recognise(words.slice(start));
    if (index !== undefined) return { adapter, index: index + start };
  }
  return undefined;
}

/** Index of the program after variables that are set for it. */
function startOfProgram(words: readonly string[]): number {
  return Math.max(0, words.findIndex(isNoAssignment));
}

/** False for a word such as `CI=1`, which sets a variable for the command. */
function isNoAssignment(word: string): boolean {
  return !/^\w+=/u.test(word);
}

function insert(command: string, { insertAt, lead, runAt }: Recognised, args: readonly string[]): string {
  if (args.length === 0) return command;
  const longer = `${command.slice(0, insertAt)}${lead}${argumentText(args)}${command.slice(insertAt)}`;
  return runAt === undefined ? longer : `${longer.slice(0, runAt)} run${longer.slice(runAt)}`;
}

function argumentText(args: readonly string[]): string {
  return args.map((arg) => ` ${quoted(arg)}`).join('');
}

/** Arguments after `--` belong to another program. */
function endOfArguments({ words }: LastCommand): number {
  const dashes = words.findIndex((word, index) => index > 0 && word.text === '--' && !isLauncherDashes(words, index));
  return endOfWord(words[dashes > 0 ? dashes - 1 : words.length - 1]);
}

/** In `npm exec -- vitest`, the runner follows the dashes. */
function isLauncherDashes(words: readonly Word[], index: number): boolean {
  return matchAdapter(words.slice(index + 1).map((word) => word.text)) !== undefined;
}

function endOfWord(word: Word | undefined): number {
  return word?.end ?? 0;
}

/**
 * Reduces a full case name to the name of the test, and escapes it if the runner reads a pattern. If the text may be a
 * name or a pattern, the result matches both.
 */
function filterName(filter: string, adapter: Adapter): string {
  if (adapter.takesCaseNames) return filter;
  const name = filter.split(' > ').at(-1) ?? filter;
  if (!adapter.filterIsPattern) return name;
  const literal = literalPattern(name);
  const pattern = name === filter ? nameOrPattern(filter, literal) : literal;
  // In brackets, the character matches the same text and is not read as an option.
  return isReadAsOption(pattern) ? pattern.replace(/^./u, '[$&]') : pattern;
}

/**
 * For example, the pattern `adds (fast)` matches `adds fast`. A pattern that matches its own text also finds a test
 * with that name.
 */
function nameOrPattern(filter: string, literal: string): string {
  try {
    // Go and PCRE accept flags at the start, as in `(?i)adds`.
    return new RegExp(filter.replace(/^\(\?[a-z]+\)/u, '')).test(filter) ? filter : `${literal}|${filter}`;
  } catch {
    return literal;
  }
}

function noFilter({ command, root, caseName }: PlanInput, filter: string): ArgusError {
  const advice = 'Leave filter out and put it into command in the way the runner takes it';
  const packages = packageCommands({ command, root, filter });
  const example =
    commandOf(caseName ?? filter, packages) ?? packages.find((one) => one.isFiltered)?.text ?? ANY_EXAMPLE;
  const text = `filter is not possible with '${shortLine(command)}'. ${advice}, as in command: ${shortLine(example)}`;
  return new ArgusError('INVALID_INPUT', text);
}

function noName(filter: string, { name }: Adapter): ArgusError {
  const text = `'${shortLine(filter)}' cannot be given to ${name} as the name of a test`;
  return new ArgusError('INVALID_INPUT', `${text}. Use a part of the name that begins with a letter or a digit.`);
}

interface Filtered extends Pick<PlanInput, 'command' | 'root'> {
  filter: string;
}

interface PackageCommand {
  folder: string;
  text: string;
  /** Otherwise it runs all tests of the package, because its script takes no filter at the end. */
  isFiltered: boolean;
}

/** The command that runs a test in the package of its case. Undefined if the case is in no package. */
export function packageCommand(filtered: Filtered, caseName: string): string | undefined {
  return commandOf(caseName, packageCommands(filtered));
}

function commandOf(caseName: string, packages: readonly PackageCommand[]): string | undefined {
  // A package can be inside another package, so the last match is the innermost.
  return packages.findLast(({ folder }) => caseName.startsWith(`${folder}/`))?.text;
}

function packageCommands({ command, root, filter }: Filtered): PackageCommand[] {
  const packages = workspaceRun(scriptWords(command, root), root);
  if (packages === undefined) return [];
  const found = recognisedIn(packages, root, 0);
  return packages.folders.map((folder, at) => {
    const one = found[at];
    const args = one === undefined ? undefined : argumentsFor(filter, { ...one, throughScript: true });
    // `cd -` and `cd -P` have another meaning.
    const place = folder.startsWith('-') ? `./${folder}` : folder;
    const text = `cd ${quoted(place)} && npm run ${packages.script}${args === undefined ? '' : ` --${argumentText(args)}`}`;
    return { folder, text, isFiltered: args !== undefined };
  });
}
