/**
 * Turns a command line into the one that is really run: with a filter, and with a report beside its output. Running it:
 * execute.ts.
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

/** Scripts that call scripts; deeper is a loop. */
const MAX_SCRIPT_DEPTH = 4;

/** Of a filter, where the project has none to show. */
const ANY_EXAMPLE = "npx vitest run -t 'adds two'";

export interface Plan {
  /** As a person would type it. */
  shown: string;
  /** As it is run. */
  command: string;
  /** The arguments that were added for the report alone; a package manager shows them and they are taken out again. */
  added: readonly string[];
  /** Null: not one of the runners Argus knows. */
  runner: string | null;
  reporting: Reporting;
  /** What a filter of the command itself names. */
  ownFilter?: string | undefined;
}

type ReportPlace = Pick<AdapterContext, 'dir' | 'env'>;

export interface PlanInput extends Omit<AdapterContext, 'words' | 'throughScript' | 'filtered'> {
  command: string;
  filter?: string | undefined;
  /** The whole name of the case that the filter is for, from the root on, where it is known. */
  caseName?: string | undefined;
  /** The configuration names the reports; then nothing is added to the command. */
  ownReports?: boolean;
}

/** What a command line starts, seen through package scripts. */
interface Recognised {
  adapter: Adapter;
  words: string[];
  /** Offset in the typed line where arguments go in. */
  insertAt: number;
  /** What must stand before them (`--` of npm). */
  lead: string;
  /** Offset where `run` must stand: pnpm reads the options behind the short form `pnpm test` as its own. */
  runAt?: number | undefined;
  throughScript: boolean;
  /** It is started in several packages: what one file is for, no other may write. */
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

/** `PYTHONPATH=src pytest` would hide what was added to the variable. */
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

/** Undefined where none can be added to the command, or the runner takes no such name. */
function argumentsFor(filter: string, found: Recognised): string[] | undefined {
  if (!canFilter(found)) return undefined;
  const name = filterName(filter, found.adapter);
  // An empty name selects every test, and no argument holds a NUL.
  return name.trim() === '' || name.includes('\0') ? undefined : found.adapter.filter?.(name);
}

/** Whether a filter can be added to the command. */
export function takesFilter(command: string, root: string): boolean {
  const found = recognise(command, root);
  return found !== undefined && canFilter(found);
}

function canFilter(found: Recognised): boolean {
  return found.adapter.filter !== undefined && readsArgumentsAtItsEnd(found);
}

/** What the runner needs, and what reaches those that it may start. */
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
 * What makes the runners of a command report that is run as it was typed: its environment, and what they write anyhow.
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

/** The plan without what the command complained of. */
export function withoutRefused({ shown, runner, ownFilter }: Plan, complaint: string, input: ReportPlace): Plan {
  const reporting = pytestReport(complaint, input) ?? { reports: [] };
  return { ...asTyped(shown, runner), reporting, ownFilter };
}

function asTyped(command: string, runner: string | null): Plan {
  return { shown: command, command, added: [], runner, reporting: { reports: [] } };
}

/** Behind a script arguments come last, and node reads none after the names of files. */
function readsArgumentsAtItsEnd({ adapter, throughScript, words }: Recognised): boolean {
  if (!throughScript || adapter.name !== 'node:test') return true;
  return words.slice(1).every((word) => word.startsWith('-'));
}

/** The runner's name, for showing what would be run. */
export function recognisedRunner(command: string, root: string): string | null {
  return recognise(command, root)?.adapter.name ?? null;
}

/** The words of the last of its commands, without variables that are set for it. */
export function commandWords(command: string): string[] {
  const words = lastCommand(command).words.map((word) => word.text);
  return words.slice(startOfProgram(words));
}

function watches(command: string, advice: string): ArgusError {
  const text = `'${shortLine(command)}' watches for changes and would not end. ${advice}, and call again.`;
  return new ArgusError('INVALID_INPUT', text);
}

/** The same of what it runs, seen through package scripts. */
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
  // Behind the name of the script its arguments may follow.
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

/** What the script of every package starts, where that is one runner. */
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

/** Each npm on the way takes one `--` for itself. */
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

/** Behind variables that are set for it. */
function startOfProgram(words: readonly string[]): number {
  return Math.max(0, words.findIndex(isNoAssignment));
}

/** `CI=1` before a command sets a variable for it. */
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

/** What follows `--` belongs to someone else. */
function endOfArguments({ words }: LastCommand): number {
  const dashes = words.findIndex((word, index) => index > 0 && word.text === '--' && !isLauncherDashes(words, index));
  return endOfWord(words[dashes > 0 ? dashes - 1 : words.length - 1]);
}

/** `npm exec -- vitest`: the runner comes after these. */
function isLauncherDashes(words: readonly Word[], index: number): boolean {
  return matchAdapter(words.slice(index + 1).map((word) => word.text)) !== undefined;
}

function endOfWord(word: Word | undefined): number {
  return word?.end ?? 0;
}

/**
 * A whole case name is cut down to the test's own name, and taken literally where the runner reads a pattern. What may be a
 * name or a pattern of the user's is both.
 */
function filterName(filter: string, adapter: Adapter): string {
  if (adapter.takesCaseNames) return filter;
  const name = filter.split(' > ').at(-1) ?? filter;
  if (!adapter.filterIsPattern) return name;
  const literal = literalPattern(name);
  const pattern = name === filter ? nameOrPattern(filter, literal) : literal;
  // In brackets it finds the same text, and is no option.
  return isReadAsOption(pattern) ? pattern.replace(/^./u, '[$&]') : pattern;
}

/** As `adds (fast)`, which as a pattern is `adds fast`; where a pattern finds itself, it finds what is called so. */
function nameOrPattern(filter: string, literal: string): string {
  try {
    // Go and PCRE take flags in front, as in `(?i)adds`.
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
  /** Else it runs all tests of the package: its script takes no filter at its end. */
  isFiltered: boolean;
}

/** What runs a test in the package of a workspace that its case is in; undefined where it is in none. */
export function packageCommand(filtered: Filtered, caseName: string): string | undefined {
  return commandOf(caseName, packageCommands(filtered));
}

function commandOf(caseName: string, packages: readonly PackageCommand[]): string | undefined {
  // A package may lie in another one.
  return packages.findLast(({ folder }) => caseName.startsWith(`${folder}/`))?.text;
}

function packageCommands({ command, root, filter }: Filtered): PackageCommand[] {
  const packages = workspaceRun(scriptWords(command, root), root);
  if (packages === undefined) return [];
  const found = recognisedIn(packages, root, 0);
  return packages.folders.map((folder, at) => {
    const one = found[at];
    const args = one === undefined ? undefined : argumentsFor(filter, { ...one, throughScript: true });
    // `cd -` and `cd -P` mean something else.
    const place = folder.startsWith('-') ? `./${folder}` : folder;
    const text = `cd ${quoted(place)} && npm run ${packages.script}${args === undefined ? '' : ` --${argumentText(args)}`}`;
    return { folder, text, isFiltered: args !== undefined };
  });
}
