/**
 * Finds or generates the inputs file of a command, and creates the command's input from it. The order of precedence is:
 * the file of `--inputs`, an existing file, a generated file, no input. Generating a file does not run the command.
 */

import path from 'node:path';
import { createInspector } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import type { ProgramStart } from '../../run/execute.ts';
import { getField, readManifest } from '../../run/planning/scripts.ts';
import { quoteArgument, splitQuotedWords } from '../../system/command-line.ts';
import { isFile } from '../../system/files/path-safety.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { ProjectFiles } from '../context/code/project-files.ts';
import { INPUTS_VERSION, type Input, type InputsFile, readInputs, writeInputs } from './inputs-file.ts';
import { findPrompts, type Prompt, type Source, UNKNOWN } from './prompts.ts';
import { isCredential, proposeAnswer, readProjectValues, toEnvironmentName } from './propose-answer.ts';

interface InputsRequest {
  root: string;
  /** A command line, or the path of a script in the project. */
  command: string;
  now: string;
  /** Prompts that stopped the last run. */
  prompts?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

interface ResolveRequest extends InputsRequest {
  command_hash: string;
  inputs?: string | undefined;
  /** True to generate a missing file, and to add `prompts` to an existing file. */
  auto: boolean;
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface ResolvedInputs {
  /** Path of the inputs file, relative to the project. Null if the command gets no input. */
  path: string | null;
  /** Standard input of the command, or of `program`. */
  input?: string;
  /** The program `expect`, which runs the command and returns its exit code. It reads the answers from `env`. */
  program?: ProgramStart;
  env?: Record<string, string>;
  /** Prompts without an answer, each with the next step for the user. */
  missing: { name: string; advice: string }[];
  /** Values of environment variables, which must not appear in logs. */
  secrets: string[];
  notes: string[];
}

export async function resolveInputs(request: ResolveRequest): Promise<ResolvedInputs> {
  const { root, command, inputs: named, auto, prompts } = request;
  const redact = createRedactor();
  const names = listInputsFileNames(redact(command), request.command_hash).map((name) => getInputsPath(root, name));
  const file = named === undefined ? names.find(isFile) : path.resolve(root, named);
  const existing = file && (await readInputs(file, root, (text) => redact(text) !== text));
  if (file && existing && (named !== undefined || !auto || !prompts))
    return createResolvedInputs(existing, file, request);
  const nothing: ResolvedInputs = { path: null, missing: [], secrets: [], notes: [] };
  if (!auto) return nothing;
  const { file: generated, name } = await generateInputs(request, existing ? existing.inputs : []);
  if (generated.inputs.length === 0) return nothing;
  const target = file ?? getInputsPath(root, name);
  await writeInputs(target, generated);
  return createResolvedInputs(generated, target, request);
}

/** Creates a redactor that replaces secrets by `…` and returns a text without secrets unchanged. */
function createRedactor(): (text: string) => string {
  const inspector = createInspector();
  return (text) => {
    const { redacted, redactions } = inspector.inspect({ text });
    return redactions.length > 0 ? redacted.replaceAll(/\[REDACTED:[^\]]*\]/gu, UNKNOWN) : text;
  };
}

/**
 * Generates an inputs file. `known` are the inputs of an existing file. Returns the content, and the base name of the
 * file without `-inputs.yaml`.
 */
export async function generateInputs({ root, now, signal, ...request }: InputsRequest, known: readonly Input[] = []) {
  const given = request.command.trim();
  if (given === '') throw new ArgusError('INVALID_INPUT', 'The command is empty. Give a script or a command line.');
  const redact = createRedactor();
  const files = new ProjectFiles(root);
  const script = readSource(files, given);
  const sources = script ? [script] : readSources(files, given);
  const scriptPrompts = sources.flatMap(findPrompts);
  const unseenPrompts = (request.prompts ?? []).filter(
    (text) => !scriptPrompts.some((one) => normalizePrompt(one.text) === normalizePrompt(text)),
  );
  const prompts = [...scriptPrompts, ...unseenPrompts.map((text) => ({ text }))].map((one) =>
    redactPrompt(one, redact),
  );
  const names = namePrompts(prompts);
  const project = await readProjectValues(files, signal);
  const answers = prompts.map((one, at) => proposeAnswer(one, names[at] ?? '', project, redact));
  const inputs = mergeInputs(answers, known);
  const shown = redact(script?.name ?? given);
  const interpreter = /^#!.*\b((?:ba|z|da|k)?sh|python[\d.]*|node|expect)\b/u.exec(script?.text ?? '')?.[1];
  const defaultInterpreter = shown.endsWith('.py') ? 'python3' : /\.[cm]?[jt]s$/u.test(shown) ? 'node' : 'bash';
  const command = script ? `${interpreter ?? defaultInterpreter} ${quoteArgument(shown, false)}` : shown;
  const expect_script = createExpectScript(command, inputs);
  const file: InputsFile = { version: INPUTS_VERSION, script: shown, generated: now, inputs, expect_script };
  return { file, name: listInputsFileNames(command, 'command')[0] ?? '' };
}

/** Reduces a prompt to its letters and digits, so that prompts can be compared. */
function normalizePrompt(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** Returns the words of a command line that may be scripts, judged by their ending or their position. */
function findScriptWords(command: string): string[] {
  const words = splitQuotedWords(command.slice(0, 10_000).replaceAll(/[;&|()]+/gu, ' ; ')).words;
  return words.filter((word, at) => {
    const before = words.slice(0, at).findLast((one) => !/^-|=/u.test(one)) ?? ';';
    const isRun = /^(?:;|sudo|(?:ba|z|da|k)?sh|python[\d.]*|node|source|\.)$/u.test(before) && !word.startsWith('-');
    return /\.(?:sh|bash|zsh|py|[cm]?[jt]s|exp)$/u.test(word) || (isRun && (word.includes('/') || before !== ';'));
  });
}

/** Returns the command line, its script in package.json, and the script files that both of them name. */
function readSources(files: ProjectFiles, command: string): Source[] {
  const name = /\b(?:npm|pnpm|yarn|bun)[ \t]+run[ \t]+([\w:.-]+)/u.exec(command)?.[1];
  const text = name && getField(getField(readManifest(files.root), 'scripts'), name);
  const lines = [command, ...(typeof text === 'string' ? [text] : [])];
  const scripts = lines.flatMap(findScriptWords).flatMap((word) => readSource(files, word) ?? []);
  return [...lines.map((line) => ({ text: line, name: '' })), ...scripts];
}

function readSource(files: ProjectFiles, file: string): Source | undefined {
  const name = files.toRelativePath(file);
  const text = name === undefined ? undefined : files.readText(name);
  return name === undefined || text === undefined ? undefined : { text, name };
}

/**
 * Redacts a prompt. The default in a prompt may be a secret; if the prompt asks for a credential, the default always
 * counts as a secret.
 */
function redactPrompt(prompt: Prompt, redact: (text: string) => string): Prompt {
  const { text, variable = '', fallback } = prompt;
  const shown = isCredential(prompt, variable) ? text.replaceAll(/([[(])[^\])]*(?=[\])])/gu, `$1${UNKNOWN}`) : text;
  return { ...prompt, text: redact(shown), fallback: fallback && redact(fallback) };
}

/** Returns a distinct name for each prompt, from its variable or its words. */
function namePrompts(prompts: readonly Prompt[]): string[] {
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
 * Returns possible base names of the file, the preferred name first. One of them is the name that the shell pipeline of
 * the contract (`basename` and `sed`) creates.
 */
export function listInputsFileNames(command: string, commandHash: string): string[] {
  const slug = (text: string) => path.posix.basename(text.trim()).replaceAll(/[^a-zA-Z0-9]/gu, '-');
  const safe = (name: string) =>
    name
      .replaceAll(/[^\w.-]/gu, '-')
      .replace(/^\.+/u, '')
      .slice(0, 80);
  const scripts = findScriptWords(command).reverse();
  const own = scripts.map((file) => path.posix.basename(file).replace(/\.[A-Za-z]+$/u, ''));
  const tidy = own.length > 0 ? [] : [slug(command).replaceAll(/-+/gu, '-').replaceAll(/^-|-$/gu, '')];
  const names = [...own, ...tidy, slug(command), ...scripts.map(slug), commandHash].map(safe);
  return [...new Set(names)].filter((name) => name !== '');
}

export function getInputsPath(root: string, name: string): string {
  return path.join(root, '.claude', 'inputs', `${name}-inputs.yaml`);
}

/** Keeps the answers of an existing file, because a person may have edited them, and adds new prompts. */
function mergeInputs(found: readonly Input[], known: readonly Input[]): Input[] {
  const isSame = (one: Input, other: Input) =>
    one.name === other.name ||
    (normalizePrompt(one.prompt) !== '' && normalizePrompt(one.prompt) === normalizePrompt(other.prompt));
  const all = found.map((input) => ({ ...input, ...known.find((one) => isSame(one, input) && !one.deferred) }));
  return [...all, ...known.filter((one) => !found.some((input) => isSame(one, input)))];
}

function createResolvedInputs(
  { inputs, expect_script: script }: InputsFile,
  file: string,
  request: ResolveRequest,
): ResolvedInputs {
  const env = request.env ?? io().env;
  const name = path.relative(request.root, file);
  const expect = script ? findProgram('expect', request.root, env.PATH ?? '') : undefined;
  const getValue = ({ value, value_from_env }: Input) => (value_from_env ? env[value_from_env] : value);
  const values = inputs.map((input) => ({ ...input, value: getValue(input) }));
  const known = values.filter(({ value }) => value !== undefined);
  const missing = values.filter(({ value, conditional }) => value === undefined && !(expect && conditional));
  const common = {
    path: name,
    missing: missing.map((input) => ({ name: input.name, advice: formatAdvice(input, name) })),
    secrets: known.flatMap(({ value_from_env, value }) => (value_from_env && value ? [value] : [])),
  };
  if (script && expect) {
    // The script contains its prompts in UTF-8.
    const locale = /^(?:C|POSIX)?$/u.test(env.LC_ALL ?? '') ? { LC_ALL: 'C.UTF-8' } : {};
    const variables = Object.fromEntries(known.map(({ name: input, value = '' }) => [toValueVariable(input), value]));
    const all = { ...locale, ...variables, [COMMAND_VARIABLE]: request.command };
    return { ...common, notes: [], program: { file: expect, args: ['-'] }, input: script, env: all };
  }
  if (script && known.some(({ terminal }) => terminal)) {
    const why = `${name} answers a program that reads from the terminal, which needs the program 'expect'`;
    const advice = 'Install it (Debian: apt-get install expect, macOS: brew install expect)';
    throw new ArgusError('INVALID_INPUT', `${why}. ${advice}.`);
  }
  const notes = script ? [`expect is not installed, so the answers of ${name} are sent in order.`] : [];
  const lines = values.map(({ value = '', enter }) => `${value}${enter === false ? '' : '\n'}`);
  return { ...common, notes, input: lines.join('') };
}

function formatAdvice({ name, value_from_env, credential }: Input, file: string): string {
  if (value_from_env) return `Set the environment variable ${value_from_env} of ${file}.`;
  const instead = credential ? '' : ', or write its value in the file';
  return `Set an environment variable and write value_from_env: ${toEnvironmentName(name)} in ${file}${instead}.`;
}

/*
 * Creates a program for `expect` that runs a command and answers the prompts in its output. The program contains no
 * secrets, because it reads them from the environment.
 */

/**
 * The environment variable with a command that replaces the command in the script, for example with other arguments.
 */
const COMMAND_VARIABLE = 'ARGUS_EXPECT_COMMAND';

/** Returns the environment variable with the value of an input. Case matters: `NAME` and `name` are two inputs. */
function toValueVariable(name: string): string {
  return `ARGUS_INPUT_${name.replaceAll(/\W/gu, '_')}`;
}

/** Returns undefined if sending the answers in order is enough, or if a prompt has no text by which to recognize it. */
function createExpectScript(command: string, inputs: readonly Input[]): string | undefined {
  const needsTerminal = inputs.some(({ terminal, enter }) => terminal || enter === false);
  const isUnsure = inputs.length > 1 && inputs.some(({ conditional }) => conditional);
  const countVisibleCharacters = ({ prompt }: Input) => prompt.replaceAll(/[\s…]/gu, '').length;
  if (!(needsTerminal || isUnsure) || inputs.some((input) => countVisibleCharacters(input) < 2)) return undefined;
  // Longer prompts come first, because a longer match is more specific.
  const rows = [...inputs]
    .sort((one, other) => countVisibleCharacters(other) - countVisibleCharacters(one))
    .map(({ name, prompt, value, enter, deferred }) => {
      const args = `${enter === false ? '""' : '"\\r"'}${deferred || value === undefined ? '' : ` ${quoteForTcl(value)}`}`;
      return `  -re {${createPromptPattern(prompt)}} { answer ${toValueVariable(name)} ${args}; exp_continue }`;
    });
  return `# Runs the command and answers its questions by what it asks.
set timeout -1
proc answer {name end args} {
  global asked env
  # A program that repeats a question this often rejects the answer.
  if {[incr asked($name)] > 10} { puts stderr "\\nThe answer of $name was rejected."; exit 1 }
  if {[info exists env($name)]} { set args [list $env($name)] }
  if {![llength $args]} { puts stderr "\\n$name has no value."; exit 1 }
  # A program that turns off the echo discards earlier input.
  after 100
  send -- "[lindex $args 0]$end"
}
set command ${quoteForTcl(command)}
if {[info exists env(${COMMAND_VARIABLE})]} { set command $env(${COMMAND_VARIABLE}) }
spawn -noecho /bin/sh -c $command
expect {
${rows.join('\n')}
  eof {}
}
lassign [wait] pid id failed code
exit [expr {$failed ? 1 : $code}]
`;
}

function quoteForTcl(text: string): string {
  const escaped = text.replaceAll(/[\\"$[\]{};]/gu, '\\$&');
  return `"${escaped.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}

/**
 * Returns a Tcl pattern that matches the prompt at the end of the output. Braces are escaped for Tcl, and a space
 * matches any white space.
 */
function createPromptPattern(prompt: string): string {
  const parts = prompt.split(UNKNOWN).map((part) => {
    const escaped = part.trim().replaceAll(/[.*+?^$()[\]|\\]/gu, '\\$&');
    return escaped.replaceAll(/[{}]/gu, (brace) => (brace === '{' ? '\\x7b' : '\\x7d')).replaceAll(/\s+/gu, '\\s+');
  });
  return `${parts.join('[^\\r\\n]*')}(?:[ \\t\\r\\n]|\\u001b\\[[0-9;]*m)*$`;
}
