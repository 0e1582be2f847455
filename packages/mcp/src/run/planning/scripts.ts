/** Reads the scripts of package.json and the tasks of deno.json, and finds the script that a command runs. */

import stripJsonComments from 'strip-json-comments';
import { projectFile } from '../../system/files/project-file.ts';

export interface Script {
  text: string;
  /** Number of words of the command up to the name of the script. */
  wordCount: number;
  /** True if arguments for the script follow `--`. */
  needsDashes: boolean;
  /** True if the script accepts arguments only if `run` precedes its name. */
  needsRun: boolean;
}

/** The script that a command runs. Returns undefined for options that select another folder, such as `--workspace`. */
export function scriptOf(words: readonly string[], root: string): Script | undefined {
  const [manager = '', ...rest] = words;
  if (manager === 'npm' && beforeDashes(rest).some((word) => LEADS_ELSEWHERE.test(word))) return undefined;
  const names = rest.filter((word) => word !== '--silent' && word !== '-s');
  const name = scriptName(manager, names);
  if (!name || name.startsWith('-')) return undefined;
  const text = scriptsOf(manager, root)[name];
  if (text === undefined) return undefined;
  const last = words.findIndex((word, index) => index > 0 && !isRun(word) && word !== 'task' && !word.startsWith('-'));
  return {
    text,
    wordCount: last + 1,
    needsDashes: manager === 'npm' || manager === 'composer',
    needsRun: manager === 'pnpm' && !isRun(names[0]),
  };
}

/** Options that npm reads even after the name of a script. */
const LEADS_ELSEWHERE = /^(?:-w|--workspace|-C|--prefix)(?:=|$)/u;

/** The arguments that a command passes to its script. npm keeps options before `--` for itself. */
export function argumentsOf({ needsDashes }: Script, words: readonly string[]): string[] {
  const own = needsDashes ? beforeDashes(words) : [];
  return words.filter((word, index) => word !== '--' && !(index < own.length && word.startsWith('-')));
}

function beforeDashes(words: readonly string[]): readonly string[] {
  const dashes = words.indexOf('--');
  return dashes < 0 ? words : words.slice(0, dashes);
}

function scriptsOf(manager: string, root: string): Record<string, string> {
  if (manager === 'composer') return composerScripts(root);
  return manager === 'deno' ? { ...packageScripts(root), ...denoTasks(root) } : packageScripts(root);
}

function scriptName(manager: string, [first, second]: readonly string[]): string | undefined {
  const named = isRun(first) ? second : first;
  switch (manager) {
    case 'npm':
      return named === 't' || named === 'tst' ? 'test' : named;
    case 'pnpm':
    case 'yarn':
    case 'composer':
      return named;
    case 'bun':
      // `bun test` is the runner of Bun, not the script with that name.
      return first === 'test' ? undefined : named;
    case 'deno':
      return first === 'task' ? second : undefined;
    default:
      return undefined;
  }
}

function isRun(word: string | undefined): boolean {
  return word === 'run' || word === 'run-script';
}

/** The scripts of the project's package.json. Empty without the file. */
export function packageScripts(root: string): Record<string, string> {
  return texts(field(readManifest(root), 'scripts'));
}

/** The tasks of the project's deno.json or deno.jsonc. Undefined without either file. */
export function denoTasks(root: string): Record<string, string> | undefined {
  const text = projectFile(root, 'deno.json') ?? projectFile(root, 'deno.jsonc');
  if (text === undefined) return undefined;
  return texts(field(parsed(stripJsonComments(text, { trailingCommas: true })), 'tasks'));
}

/**
 * The scripts of the project's composer.json with a single step, because Composer passes arguments to each of several
 * steps.
 */
function composerScripts(root: string): Record<string, string> {
  const scripts = field(readComposer(root), 'scripts');
  if (scripts === null || typeof scripts !== 'object') return {};
  const entries = Object.entries(scripts).map(([name, steps]) => [name, oneStep([steps].flat())] as const);
  return texts(Object.fromEntries(entries));
}

export function hasComposerScript(root: string, name: string): boolean {
  return field(field(readComposer(root), 'scripts'), name) !== undefined;
}

function readComposer(root: string): unknown {
  return parsed(projectFile(root, 'composer.json'));
}

/** Composer replaces `@php` with the PHP that runs Composer, and `@putenv` only sets a variable. */
function oneStep(steps: readonly unknown[]): string | undefined {
  const [step, ...others] = steps.filter((one) => typeof one === 'string' && !one.startsWith('@putenv '));
  return typeof step === 'string' && others.length === 0 ? step.replace(/^@php\b/u, 'php') : undefined;
}

/** The project's package.json, or undefined. */
export function readManifest(root: string): unknown {
  return parsed(projectFile(root, 'package.json'));
}

/** A field of an unknown value. */
export function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, name) : undefined;
}

/** Commands by name. A task may be an object with its command. */
function texts(scripts: unknown): Record<string, string> {
  if (scripts === null || typeof scripts !== 'object') return {};
  const entries = Object.entries(scripts).map(([name, one]) => [name, field(one, 'command') ?? one] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The parsed JSON, or undefined. */
export function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
