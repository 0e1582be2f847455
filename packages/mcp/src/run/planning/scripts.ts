/** Reads the scripts of package.json and the tasks of deno.json, and finds the script that a command runs. */

import stripJsonComments from 'strip-json-comments';
import { readProjectFile } from '../../system/files/project-file.ts';

export interface Script {
  text: string;
  /** Number of words of the command, up to and including the name of the script. */
  wordCount: number;
  /** True if arguments for the script must follow `--`. */
  needsDashes: boolean;
  /** True if the script accepts arguments only if `run` precedes its name. */
  needsRun: boolean;
  /** True if the manager runs another script before or after this script, such as `pretest`. */
  hasHooks: boolean;
}

/**
 * Returns the script that a command runs. Returns undefined if an option such as `--workspace` selects another folder.
 */
export function findScript(words: readonly string[], root: string): Script | undefined {
  const [manager = '', ...rest] = words;
  if (manager === 'npm' && takeBeforeDashes(rest).some((word) => OTHER_FOLDER_OPTION.test(word))) return undefined;
  const names = rest.filter((word) => word !== '--silent' && word !== '-s');
  const name = getScriptName(manager, names);
  if (!name || name.startsWith('-')) return undefined;
  const scripts = readScripts(manager, root);
  const text = scripts[name];
  if (text === undefined) return undefined;
  const last = words.findIndex(
    (word, index) => index > 0 && !isRunWord(word) && word !== 'task' && !word.startsWith('-'),
  );
  return {
    text,
    wordCount: last + 1,
    needsDashes: manager === 'npm' || manager === 'composer',
    needsRun: manager === 'pnpm' && !isRunWord(names[0]),
    hasHooks: `pre${name}` in scripts || `post${name}` in scripts,
  };
}

/** Matches options that npm reads even after the name of a script. */
const OTHER_FOLDER_OPTION = /^(?:-w|--workspace|-C|--prefix)(?:=|$)/u;

/** Returns the arguments that a command passes to its script. npm itself reads options before `--`. */
export function getScriptArguments({ needsDashes }: Script, words: readonly string[]): string[] {
  const npmWords = needsDashes ? takeBeforeDashes(words) : [];
  return words.filter((word, index) => word !== '--' && !(index < npmWords.length && word.startsWith('-')));
}

function takeBeforeDashes(words: readonly string[]): readonly string[] {
  const dashes = words.indexOf('--');
  return dashes < 0 ? words : words.slice(0, dashes);
}

function readScripts(manager: string, root: string): Record<string, string> {
  if (manager === 'composer') return readComposerScripts(root);
  return manager === 'deno' ? { ...readPackageScripts(root), ...readDenoTasks(root) } : readPackageScripts(root);
}

function getScriptName(manager: string, [first, second]: readonly string[]): string | undefined {
  const scriptOrRunner = isRunWord(first) ? second : first;
  switch (manager) {
    case 'npm':
      return scriptOrRunner === 't' || scriptOrRunner === 'tst' ? 'test' : scriptOrRunner;
    case 'pnpm':
    case 'yarn':
    case 'composer':
      return scriptOrRunner;
    case 'bun':
      // `bun test` is the runner of Bun, not the script with that name.
      return first === 'test' ? undefined : scriptOrRunner;
    case 'deno':
      return first === 'task' ? second : undefined;
    default:
      return undefined;
  }
}

function isRunWord(word: string | undefined): boolean {
  return word === 'run' || word === 'run-script';
}

/** Reads the scripts of the project's package.json. Empty if the file is missing. */
export function readPackageScripts(root: string): Record<string, string> {
  return toCommands(getField(readManifest(root), 'scripts'));
}

/** Reads the tasks of the project's deno.json or deno.jsonc. Returns undefined if both files are missing. */
export function readDenoTasks(root: string): Record<string, string> | undefined {
  const text = readProjectFile(root, 'deno.json') ?? readProjectFile(root, 'deno.jsonc');
  if (text === undefined) return undefined;
  return toCommands(getField(tryParseJson(stripJsonComments(text, { trailingCommas: true })), 'tasks'));
}

/**
 * Reads the scripts of the project's composer.json that have a single step. With several steps, Composer passes
 * arguments to each of them.
 */
function readComposerScripts(root: string): Record<string, string> {
  const scripts = getField(readComposer(root), 'scripts');
  if (scripts === null || typeof scripts !== 'object') return {};
  const entries = Object.entries(scripts).map(([name, steps]) => [name, getOnlyStep([steps].flat())] as const);
  return toCommands(Object.fromEntries(entries));
}

export function hasComposerScript(root: string, name: string): boolean {
  return getField(getField(readComposer(root), 'scripts'), name) !== undefined;
}

function readComposer(root: string): unknown {
  return tryParseJson(readProjectFile(root, 'composer.json'));
}

/**
 * Returns the command of a script with a single step. Composer replaces `@php` with the PHP that runs Composer, and
 * `@putenv` only sets a variable.
 */
function getOnlyStep(steps: readonly unknown[]): string | undefined {
  const [step, ...otherSteps] = steps.filter(
    (candidate) => typeof candidate === 'string' && !candidate.startsWith('@putenv '),
  );
  return typeof step === 'string' && otherSteps.length === 0 ? step.replace(/^@php\b/u, 'php') : undefined;
}

/** Reads the project's package.json. Returns undefined if it is missing or invalid. */
export function readManifest(root: string): unknown {
  return tryParseJson(readProjectFile(root, 'package.json'));
}

/** Returns a field of a value whose type is unknown. */
export function getField(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined;
}

/** Returns the commands by name. A task may be an object that contains its command. */
function toCommands(scripts: unknown): Record<string, string> {
  if (scripts === null || typeof scripts !== 'object') return {};
  const entries = Object.entries(scripts).map(
    ([name, script]) => [name, getField(script, 'command') ?? script] as const,
  );
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Parses JSON. Returns undefined if the text is missing or invalid. */
export function tryParseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
