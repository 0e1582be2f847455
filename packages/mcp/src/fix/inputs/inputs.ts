/**
 * Finds the input for a command: from the named inputs file, otherwise from an existing file, otherwise from a
 * generated file, otherwise none. The command is never run to generate a file.
 */

import path from 'node:path';
import { createInspector } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import type { Program } from '../../run/execute.ts';
import { field, readManifest } from '../../run/planning/scripts.ts';
import { isFile } from '../../system/files/way.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { quoted, quotedWords } from '../../system/words.ts';
import { ProjectFiles } from '../context/code/files.ts';
import { answer, environmentName, isCredential, projectValues } from './answers.ts';
import { COMMAND_VARIABLE, expectScript, valueVariable } from './expect-script.ts';
import { INPUTS_VERSION, type Input, type InputsFile, readInputs, writeInputs } from './inputs-file.ts';
import { type Prompt, promptsIn, type Source, UNKNOWN } from './prompts.ts';

interface InputsRequest {
  root: string;
  /** A command line, or the path of a script in the project. */
  command: string;
  now: string;
  /** Prompts that the last run showed. */
  prompts?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

interface ResolveRequest extends InputsRequest {
  command_hash: string;
  inputs?: string | undefined;
  /** True to generate a missing file. With `prompts`, missing questions are added to an existing file too. */
  auto: boolean;
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface Feed {
  /** Path of the inputs file relative to the project. Null if the command gets no inputs. */
  path: string | null;
  /** Standard input of the command or of `program`. */
  input?: string;
  /** `expect`, which runs the command and exits with its exit code. `env` has the values for its environment. */
  program?: Program;
  env?: Record<string, string>;
  /** Questions without an answer, and what to do about each. */
  missing: { name: string; advice: string }[];
  /** Values from the environment. They must not appear in a log. */
  secrets: string[];
  notes: string[];
}

export async function resolveInputs(request: ResolveRequest): Promise<Feed> {
  const { root, command, inputs: named, auto, prompts } = request;
  const redact = redactor();
  const names = inputsNames(redact(command), request.command_hash).map((name) => inputsPath(root, name));
  const file = named === undefined ? names.find(isFile) : path.resolve(root, named);
  const before = file && (await readInputs(file, root, (text) => redact(text) !== text));
  if (file && before && (named !== undefined || !auto || !prompts)) return fed(before, file, request);
  const nothing: Feed = { path: null, missing: [], secrets: [], notes: [] };
  if (!auto) return nothing;
  const { file: made, name } = await generateInputs(request, before ? before.inputs : []);
  if (made.inputs.length === 0) return nothing;
  const target = file ?? inputsPath(root, name);
  await writeInputs(target, made);
  return fed(made, target, request);
}

/** Returns a function that replaces secrets, and returns a text without secrets unchanged. */
function redactor(): (text: string) => string {
  const inspector = createInspector();
  return (text) => {
    const { redacted, redactions } = inspector.inspect({ text });
    return redactions.length > 0 ? redacted.replaceAll(/\[REDACTED:[^\]]*\]/gu, UNKNOWN) : text;
  };
}

/**
 * Generates an inputs file that also contains the `known` inputs. The returned `name` is the base name of the file
 * without `-inputs.yaml`.
 */
export async function generateInputs({ root, now, signal, ...request }: InputsRequest, known: readonly Input[] = []) {
  const given = request.command.trim();
  if (given === '') throw new ArgusError('INVALID_INPUT', 'The command is empty. Give a script or a command line.');
  const redact = redactor();
  const files = new ProjectFiles(root);
  const script = sourceAt(files, given);
  const sources = script ? [script] : scriptsOf(files, given);
  const asked = sources.flatMap(promptsIn);
  const seen = (request.prompts ?? []).filter((text) => !asked.some((one) => wordsOf(one.text) === wordsOf(text)));
  const prompts = [...asked, ...seen.map((text) => ({ text }))].map((one) => withoutSecrets(one, redact));
  const names = namesOf(prompts);
  const project = await projectValues(files, signal);
  const answers = prompts.map((one, at) => answer(one, names[at] ?? '', project, redact));
  const inputs = merged(answers, known);
  const shown = redact(script?.name ?? given);
  const named = /^#!.*\b((?:ba|z|da|k)?sh|python[\d.]*|node|expect)\b/u.exec(script?.text ?? '')?.[1];
  const usual = shown.endsWith('.py') ? 'python3' : /\.[cm]?[jt]s$/u.test(shown) ? 'node' : 'bash';
  const command = script ? `${named ?? usual} ${quoted(shown, false)}` : shown;
  const expect_script = expectScript(command, inputs);
  const file: InputsFile = { version: INPUTS_VERSION, script: shown, generated: now, inputs, expect_script };
  return { file, name: inputsNames(command, 'command')[0] ?? '' };
}

/** Returns only letters and digits, so that a prompt can be recognized again. */
function wordsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Returns the words of a command line that may be scripts: by their ending, or by their position after a command or an
 * interpreter.
 */
function scriptWords(command: string): string[] {
  const words = quotedWords(command.slice(0, 10_000).replaceAll(/[;&|()]+/gu, ' ; ')).words;
  return words.filter((word, at) => {
    const before = words.slice(0, at).findLast((one) => !/^-|=/u.test(one)) ?? ';';
    const isRun = /^(?:;|sudo|(?:ba|z|da|k)?sh|python[\d.]*|node|source|\.)$/u.test(before) && !word.startsWith('-');
    return /\.(?:sh|bash|zsh|py|[cm]?[jt]s|exp)$/u.test(word) || (isRun && (word.includes('/') || before !== ';'));
  });
}

/** Returns the command line, its script in package.json, and the scripts that they name. */
function scriptsOf(files: ProjectFiles, command: string): Source[] {
  const name = /\b(?:npm|pnpm|yarn|bun)[ \t]+run[ \t]+([\w:.-]+)/u.exec(command)?.[1];
  const text = name && field(field(readManifest(files.root), 'scripts'), name);
  const lines = [command, ...(typeof text === 'string' ? [text] : [])];
  const scripts = lines.flatMap(scriptWords).flatMap((word) => sourceAt(files, word) ?? []);
  return [...lines.map((line) => ({ text: line, name: '' })), ...scripts];
}

function sourceAt(files: ProjectFiles, file: string): Source | undefined {
  const name = files.inside(file);
  const text = name === undefined ? undefined : files.text(name);
  return name === undefined || text === undefined ? undefined : { text, name };
}

/** Removes secrets, because a prompt may show its default. The default of a credential always counts as a secret. */
function withoutSecrets(one: Prompt, redact: (text: string) => string): Prompt {
  const { text, variable = '', fallback } = one;
  const shown = isCredential(one, variable) ? text.replaceAll(/([[(])[^\])]*(?=[\])])/gu, `$1${UNKNOWN}`) : text;
  return { ...one, text: redact(shown), fallback: fallback && redact(fallback) };
}

/** Returns a different name for each prompt, so that a reader of the file can tell them apart. */
function namesOf(prompts: readonly Prompt[]): string[] {
  const used: string[] = [];
  return prompts.map(({ variable = '', text }) => {
    const words = text.replaceAll(/[[(][^\])]*[\])]/gu, ' ').match(/[a-z0-9]+/giu) ?? [];
    const name = variable || words.slice(0, 4).join('_').toLowerCase() || 'input';
    used.push(name);
    const count = used.filter((one) => one === name).length;
    return count === 1 ? name : `${name}_${count}`;
  });
}

/**
 * Returns the possible base names of files for a command. A new file gets the first name, which is the name of the
 * script. The contract's `basename | sed` gives a further name.
 */
export function inputsNames(command: string, commandHash: string): string[] {
  const slug = (text: string) => path.posix.basename(text.trim()).replaceAll(/[^a-zA-Z0-9]/gu, '-');
  const safe = (name: string) =>
    name
      .replaceAll(/[^\w.-]/gu, '-')
      .replace(/^\.+/u, '')
      .slice(0, 80);
  const scripts = scriptWords(command).reverse();
  const own = scripts.map((file) => path.posix.basename(file).replace(/\.[A-Za-z]+$/u, ''));
  const tidy = own.length > 0 ? [] : [slug(command).replaceAll(/-+/gu, '-').replaceAll(/^-|-$/gu, '')];
  const names = [...own, ...tidy, slug(command), ...scripts.map(slug), commandHash].map(safe);
  return [...new Set(names)].filter((name) => name !== '');
}

export function inputsPath(root: string, name: string): string {
  return path.join(root, '.claude', 'inputs', `${name}-inputs.yaml`);
}

/** Merges found and known questions. Known answers stay, because a person may have written them. */
function merged(found: readonly Input[], known: readonly Input[]): Input[] {
  const isSame = (one: Input, other: Input) =>
    one.name === other.name || (wordsOf(one.prompt) !== '' && wordsOf(one.prompt) === wordsOf(other.prompt));
  const all = found.map((input) => ({ ...input, ...known.find((one) => isSame(one, input) && !one.deferred) }));
  return [...all, ...known.filter((one) => !found.some((input) => isSame(one, input)))];
}

function fed({ inputs, expect_script: script }: InputsFile, file: string, request: ResolveRequest): Feed {
  const env = request.env ?? io().env;
  const name = path.relative(request.root, file);
  const expect = script ? findProgram('expect', request.root, env.PATH ?? '') : undefined;
  const given = ({ value, value_from_env }: Input) => (value_from_env ? env[value_from_env] : value);
  const values = inputs.map((input) => ({ ...input, value: given(input) }));
  const known = values.filter(({ value }) => value !== undefined);
  const missing = values.filter(({ value, conditional }) => value === undefined && !(expect && conditional));
  const common = {
    path: name,
    missing: missing.map((input) => ({ name: input.name, advice: adviceFor(input, name) })),
    secrets: known.flatMap(({ value_from_env, value }) => (value_from_env && value ? [value] : [])),
  };
  if (script && expect) {
    // Prompts are UTF-8 in any locale.
    const locale = /^(?:C|POSIX)?$/u.test(env.LC_ALL ?? '') ? { LC_ALL: 'C.UTF-8' } : {};
    const variables = Object.fromEntries(known.map(({ name: input, value = '' }) => [valueVariable(input), value]));
    const all = { ...locale, ...variables, [COMMAND_VARIABLE]: request.command };
    return { ...common, notes: [], program: { file: expect, args: ['-'] }, input: script, env: all };
  }
  if (script && known.some(({ terminal }) => terminal)) {
    const why = `${name} answers a program that reads from the terminal, for which the program 'expect' is needed`;
    const advice = 'Install it (Debian: apt-get install expect, macOS: brew install expect)';
    throw new ArgusError('INVALID_INPUT', `${why}. ${advice}.`);
  }
  const notes = script ? [`expect is not installed; the answers of ${name} are given in order.`] : [];
  const lines = values.map(({ value = '', enter }) => `${value}${enter === false ? '' : '\n'}`);
  return { ...common, notes, input: lines.join('') };
}

function adviceFor({ name, value_from_env, credential }: Input, file: string): string {
  if (value_from_env) return `Set the environment variable ${value_from_env}, which ${file} names.`;
  const instead = credential ? '' : ', or write its value there';
  return `Set an environment variable and write value_from_env: ${environmentName(name)} in ${file}${instead}.`;
}
