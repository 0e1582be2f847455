/**
 * What a command is fed: the answers of the file that was named, else of the one that lies there, else of one that is
 * made now, else nothing.
 */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ArgusError } from '../../errors.ts';
import type { Program } from '../../run/execute.ts';
import { isFile, isWithin } from '../../system/files/way.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { environmentName } from './answers/kinds.ts';
import { COMMAND_VARIABLE, valueVariable } from './expect-script.ts';
import { type GenerateRequest, generateInputs, inputsFile, inputsNames, redactor, wordsOf } from './generate.ts';
import { type Input, type InputsFile, readInputs, writeInputs } from './inputs-file.ts';

/** Below the project. */
const FOLDER = path.join('.claude', 'inputs');

export interface ResolveRequest extends GenerateRequest {
  command_hash: string;
  /** `--inputs`. */
  inputs?: string | undefined;
  /** Make what is missing; with `prompts`, which the last run showed, also what is missing in a file. */
  auto: boolean;
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface Feed {
  /** Of the inputs file, relative to the project where it lies in it; null where the command is given nothing. */
  path: string | null;
  /** For the standard input: of the command, or of `program`. */
  input?: string;
  /** `expect`, which runs the command itself and ends with its exit code. */
  program?: Program;
  /** The values, for the environment of `program`. */
  env?: Record<string, string>;
  /** Questions without an answer, and what to do about each. */
  missing: { name: string; advice: string }[];
  /** Values out of the environment: no log may show them. */
  secrets: string[];
  notes: string[];
}

/** Throws INVALID_INPUT for a file that cannot be used. */
export async function resolveInputs(request: ResolveRequest): Promise<Feed> {
  const { root, command, inputs: named, auto, prompts } = request;
  const names = inputsNames(redactor()(command), request.command_hash).map((name) => inputsPath(root, name));
  const lying = names.flatMap((name) => [name, name.replace(/yaml$/u, 'yml')]).find(isFile);
  const file = named === undefined ? lying : path.resolve(root, named);
  const before = file === undefined ? undefined : await readInputs(file, shownIn(root, file), redactor());
  if (file !== undefined && before && (named !== undefined || !auto || !prompts)) return fed(before, file, request);
  const made = auto ? await generateInputs(request) : undefined;
  const inputs = merged(made?.file.inputs ?? [], before?.inputs ?? []);
  if (made === undefined || inputs.length === 0) return { path: null, missing: [], secrets: [], notes: [] };
  const target = file ?? inputsPath(root, made.name);
  const after = inputsFile({ ...made.file, inputs }, made.command);
  if (isDeepStrictEqual(before?.inputs, inputs)) return fed(before ?? after, target, request);
  await writeInputs(target, after);
  return fed(after, target, request);
}

/** Where the file of a name lies. */
export function inputsPath(root: string, name: string): string {
  return path.join(root, FOLDER, `${name}-inputs.yaml`);
}

/** A person may have written what the file holds, so it stays; new questions come to it. */
function merged(found: readonly Input[], known: readonly Input[]): Input[] {
  const left = [...known];
  const all = found.map((input) => {
    const words = wordsOf(input.prompt);
    const index = left.findIndex((one) => one.name === input.name || (words !== '' && words === wordsOf(one.prompt)));
    const [earlier] = index < 0 ? [] : left.splice(index, 1);
    return earlier === undefined || earlier.deferred ? input : { ...input, ...earlier };
  });
  return [...all, ...left];
}

function shownIn(root: string, file: string): string {
  return isWithin(file, root) ? path.relative(root, file) : file;
}

function fed({ inputs, expect_script: script }: InputsFile, file: string, request: ResolveRequest): Feed {
  const env = request.env ?? io().env;
  const name = shownIn(request.root, file);
  const expect = script ? findProgram('expect', request.root, env.PATH ?? '') : undefined;
  const values = inputs.map((input) => ({
    ...input,
    value: input.value_from_env ? env[input.value_from_env] : input.value,
  }));
  const known = values.filter(({ value }) => value !== undefined);
  const missing = values.filter(({ value, conditional }) => value === undefined && !(expect && conditional));
  const common = {
    path: name,
    missing: missing.map((input) => ({ name: input.name, advice: adviceFor(input, name) })),
    secrets: known.flatMap(({ value_from_env, value }) => (value_from_env && value ? [value] : [])),
  };
  if (script && expect) {
    // Prompts are UTF-8, whatever the locale.
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
