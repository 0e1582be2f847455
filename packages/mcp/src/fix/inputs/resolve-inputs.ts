/**
 * Which answers a command is given: the file that was named, else the one that lies there, else one made now, else
 * none. Reading and writing the file: inputs-file.ts.
 */

import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { isFile } from '../../system/files/way.ts';
import { io } from '../../system/io.ts';
import { findProgram } from '../../system/programs.ts';
import { environmentName } from './answers/answers.ts';
import { inputsNames } from './answers/names.ts';
import { hidden, redactor } from './answers/secrets.ts';
import { COMMAND_VARIABLE, expectScript, valueVariable } from './expect-script.ts';
import { generateInputs } from './generate.ts';
import { inputsText, parseInputs, readInputs, writeInputs } from './inputs-file.ts';
import type { DeferredInput, Input, InputsFile, ResolvedInputs, ResolveRequest } from './inputs-model.ts';

export { generateInputs } from './generate.ts';
export type { DeferredInput, ResolvedInputs } from './inputs-model.ts';

/** Below the project. */
const FOLDER = path.join('.claude', 'inputs');

/** Throws INVALID_INPUT for a file that cannot be used; what is missing in it is in `deferred`. */
export async function resolveInputs(request: ResolveRequest): Promise<ResolvedInputs> {
  const { root, command, command_hash, inputs, auto, again } = request;
  const given = inputs === undefined ? undefined : path.resolve(root, inputs);
  const file = given ?? existing(root, inputsNames(hidden(command, redactor()), command_hash));
  if (file !== undefined && !(auto && again && given === undefined)) {
    return fed(await read(file, root), shown(file, root), request, false);
  }
  if (!auto) return none([]);
  return await made(request, file);
}

/** Where the file of a generated name lies. */
export function inputsPath(root: string, name: string): string {
  return path.join(root, FOLDER, `${name}-inputs.yaml`);
}

/** Made anew, with what a person has written kept. */
async function made(request: ResolveRequest, earlier: string | undefined): Promise<ResolvedInputs> {
  const { root, command, now, again, signal } = request;
  const before = earlier === undefined ? undefined : await read(earlier, root);
  const generated = await generateInputs({ root, command, now, prompts: again?.prompts ?? [], signal });
  const all = merged(generated.file.inputs, before?.inputs ?? []);
  const answering = generated.file.expect_script ? expectScript(generated.command, all) : null;
  const { version, script: about, generated: when } = generated.file;
  const after: InputsFile = {
    version,
    script: about,
    generated: when,
    inputs: all,
    ...(answering === null ? {} : { expect_script: answering }),
  };
  if (after.inputs.length === 0) return none(generated.notes);
  if (before && sameInputs(before, after)) {
    return fed(before, shown(earlier ?? '', root), request, false, generated.notes);
  }
  const file = earlier ?? inputsPath(root, generated.name);
  writeInputs(file, await inputsText(after));
  return fed(after, shown(file, root), request, true, generated.notes);
}

/** What the file holds stays as it is, for a person may have written it; what is new comes to it. */
function merged(found: readonly Input[], known: readonly Input[]): Input[] {
  const left = [...known];
  const all = found.map((input) => {
    const index = left.findIndex((one) => isSame(one, input));
    const [earlier] = index < 0 ? [] : left.splice(index, 1);
    return earlier === undefined || earlier.deferred ? input : { ...input, ...earlier };
  });
  return [...all, ...left];
}

function isSame(a: Input, b: Input): boolean {
  const words = ({ prompt }: Input) => prompt.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return a.name === b.name || (words(a) !== '' && words(a) === words(b));
}

function sameInputs(a: InputsFile, b: InputsFile): boolean {
  return JSON.stringify(a.inputs) === JSON.stringify(b.inputs) && a.expect_script === b.expect_script;
}

function existing(root: string, names: readonly string[]): string | undefined {
  const candidates = names.flatMap((name) => [`${name}-inputs.yaml`, `${name}-inputs.yml`]);
  return candidates.map((name) => path.join(root, FOLDER, name)).find(isFile);
}

async function read(file: string, root: string): Promise<InputsFile> {
  const name = shown(file, root);
  const redact = redactor();
  return await parseInputs(readInputs(file, name), name, (text) => redact(text) !== text);
}

function shown(file: string, root: string): string {
  const relative = path.relative(root, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative.split(path.sep).join('/');
}

function none(notes: readonly string[]): ResolvedInputs {
  return { kind: 'none', path: null, deferred: [], secrets: [], warnings: [...notes], generated: false };
}

function fed(
  file: InputsFile,
  name: string,
  request: ResolveRequest,
  generated: boolean,
  notes: readonly string[] = [],
): ResolvedInputs {
  const env = request.env ?? io().env;
  const values = file.inputs.map((input) => ({ input, value: resolvedValue(input, env) }));
  const deferred = values.filter(({ value }) => value === undefined).map(({ input }) => deferredOf(input, name));
  const secrets = values.flatMap(({ input, value }) => (input.value_from_env && value ? [value] : []));
  const common = { path: name, deferred, secrets, generated };
  const needsTerminal = file.inputs.some(
    ({ terminal, value, value_from_env }) => terminal && (value ?? value_from_env) !== undefined,
  );
  const expect = findProgram('expect', request.root, env.PATH ?? '');
  if (file.expect_script && (expect !== undefined || needsTerminal)) {
    if (expect === undefined) throw withoutExpect(name);
    const known = values.flatMap(({ input, value }) =>
      value === undefined ? [] : [[valueVariable(input.name), value]],
    );
    const optional = deferred.map((one) => ({ ...one, required: one.required && !isConditional(file, one.name) }));
    return {
      ...common,
      deferred: optional,
      kind: 'expect',
      expect,
      script: file.expect_script,
      env: { ...Object.fromEntries(known), [COMMAND_VARIABLE]: request.command },
      warnings: [...notes],
    };
  }
  const warnings = file.expect_script
    ? [...notes, `expect is not installed; the answers of ${name} are given in order.`]
    : [...notes];
  const lines = values.map(({ value }) => value ?? '');
  const stdin = values.map(({ input, value }) => `${value ?? ''}${input.enter === false ? '' : '\n'}`).join('');
  return { ...common, kind: 'pipe', lines, stdin, warnings };
}

function resolvedValue(
  { value, value_from_env }: Input,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return value_from_env === undefined ? value : (env[value_from_env] ?? undefined);
}

function isConditional({ inputs }: InputsFile, name: string): boolean {
  return inputs.some((input) => input.name === name && input.conditional === true);
}

function deferredOf({ name, prompt, value_from_env, credential }: Input, file: string): DeferredInput {
  const variable = value_from_env ?? environmentName(name);
  const advice = value_from_env
    ? `Set the environment variable ${value_from_env}, which ${file} names.`
    : credential
      ? `Set an environment variable and write value_from_env: ${variable} in ${file}.`
      : `Write its value in ${file}, or value_from_env: ${variable}.`;
  return { name, prompt, advice, required: true };
}

function withoutExpect(file: string): ArgusError {
  const why = `${file} answers a program that reads from the terminal, for which the program 'expect' is needed`;
  return new ArgusError(
    'INVALID_INPUT',
    `${why}. Install it (Debian: apt-get install expect, macOS: brew install expect).`,
  );
}
