/**
 * generate-inputs: finds the questions of a script and writes a file of proposed answers. It does not run the script.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { ProjectFiles } from '../../fix/context/code/files.ts';
import { generateInputs as generate, inputsPath } from '../../fix/inputs/inputs.ts';
import { type Input, writeInputs } from '../../fix/inputs/inputs-file.ts';
import { lines, percent, table } from '../../format/terminal.ts';
import { absolutePath, io } from '../../system/io.ts';
import { count } from '../../text/count.ts';
import { EXIT } from '../terminal/exit.ts';
import { fail, printData } from '../terminal/output.ts';

export interface GenerateInputsOptions {
  project: string;
  output?: string;
  json?: boolean;
  force?: boolean;
}

/** Exit code 4: the file is written, but the user must fill in values that must not be guessed. */
const INPUTS_MISSING_EXIT_CODE = 4;

export async function generateInputs(script: string, options: GenerateInputsOptions): Promise<void> {
  try {
    io().exitCode = await write(script, options);
  } catch (thrown) {
    io().exitCode = await fail(thrown, options.json ?? false);
  }
}

async function write(script: string, { project, output, json, force }: GenerateInputsOptions): Promise<number> {
  const root = absolutePath(project);
  if (!existsSync(root))
    throw new ArgusError('INVALID_INPUT', `The project ${root} does not exist. Correct --project.`);
  if (looksLikeFile(script) && !existsSync(path.resolve(root, script))) {
    throw new ArgusError('INVALID_INPUT', `The script ${script} does not exist in ${root}. Correct its path.`);
  }
  if (looksLikeFile(script) && new ProjectFiles(root).inside(script) === undefined) {
    const advice = 'Give the folder it belongs to with --project';
    throw new ArgusError('INVALID_INPUT', `The script ${script} lies outside of ${root}. ${advice}.`);
  }
  const { file, name } = await generate({ root, command: script, now: new Date(io().now()).toISOString() });
  const target = output === undefined ? inputsPath(root, name) : absolutePath(output);
  if (existsSync(target) && !force) {
    throw new ArgusError('INVALID_INPUT', `${target} exists already. Edit it, or write it anew with --force.`);
  }
  if (file.inputs.length > 0) await writeInputs(target, file);
  const written = file.inputs.length > 0 ? path.relative(io().cwd(), target) || target : null;
  const deferred = file.inputs.filter((input) => input.deferred).map((input) => input.name);
  const answer = { path: written, ...file, deferred };
  printData(answer, json ?? false, ({ path: at, inputs }) => shown(at, inputs));
  return deferred.length > 0 ? INPUTS_MISSING_EXIT_CODE : EXIT.done;
}

function looksLikeFile(script: string): boolean {
  return !/\s/u.test(script) && /\/|\.(?:sh|bash|zsh)$/u.test(script);
}

function shown(written: string | null, inputs: readonly Input[]): string {
  const rows = inputs.map(({ name, value, deferred, confidence, source }) => [
    name,
    deferred ? '(yours to give)' : value === '' ? '(Enter)' : (value ?? ''),
    deferred ? '' : percent(confidence),
    source,
  ]);
  const missing = inputs.filter(({ deferred }) => deferred);
  return lines([
    written === null
      ? 'Nothing is asked that could be found; no file was written.'
      : `${written}: ${count(inputs.length, 'input')}`,
    rows.length > 0 && table(rows),
    ...missing.map(({ name, note }) => `${name}: ${note ?? 'a value is needed'}`),
  ]);
}
