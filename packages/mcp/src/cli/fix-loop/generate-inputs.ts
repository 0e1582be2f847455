/**
 * The command `generate-inputs`: finds the prompts of a script and writes a file with proposed answers. It does not run
 * the script.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { ProjectFiles } from '../../fix/context/code/project-files.ts';
import { generateInputs as generate, getInputsPath } from '../../fix/inputs/inputs.ts';
import { type Input, writeInputs } from '../../fix/inputs/inputs-file.ts';
import { formatPercent, formatTable, joinLines } from '../../format/terminal.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { formatCount } from '../../text/count.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { printData, printError } from '../terminal/output.ts';

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
    io().exitCode = await writeProposedInputs(script, options);
  } catch (thrown) {
    io().exitCode = await printError(thrown, options.json ?? false);
  }
}

async function writeProposedInputs(
  script: string,
  { project, output, json, force }: GenerateInputsOptions,
): Promise<number> {
  const root = toAbsolutePath(project);
  if (!existsSync(root))
    throw new ArgusError('INVALID_INPUT', `The project ${root} does not exist. Correct --project.`);
  if (looksLikeFile(script) && !existsSync(path.resolve(root, script))) {
    throw new ArgusError('INVALID_INPUT', `The script ${script} does not exist in ${root}. Correct its path.`);
  }
  if (looksLikeFile(script) && new ProjectFiles(root).toRelativePath(script) === undefined) {
    const advice = 'Pass the folder of the script with --project';
    throw new ArgusError('INVALID_INPUT', `The script ${script} is outside ${root}. ${advice}.`);
  }
  const { file, name } = await generate({ root, command: script, now: new Date(io().now()).toISOString() });
  const target = output === undefined ? getInputsPath(root, name) : toAbsolutePath(output);
  if (existsSync(target) && !force) {
    throw new ArgusError('INVALID_INPUT', `${target} already exists. Edit it, or replace it with --force.`);
  }
  if (file.inputs.length > 0) await writeInputs(target, file);
  const written = file.inputs.length > 0 ? path.relative(io().cwd(), target) || target : null;
  const deferred = file.inputs.filter((input) => input.deferred).map((input) => input.name);
  const answer = { path: written, ...file, deferred };
  printData(answer, json ?? false, ({ path: at, inputs }) => formatProposedInputs(at, inputs));
  return deferred.length > 0 ? INPUTS_MISSING_EXIT_CODE : EXIT_CODES.done;
}

function looksLikeFile(script: string): boolean {
  return !/\s/u.test(script) && /\/|\.(?:sh|bash|zsh)$/u.test(script);
}

function formatProposedInputs(written: string | null, inputs: readonly Input[]): string {
  const rows = inputs.map(({ name, value, deferred, confidence, source }) => [
    name,
    deferred ? '(you must fill this in)' : value === '' ? '(Enter)' : (value ?? ''),
    deferred ? '' : formatPercent(confidence),
    source,
  ]);
  const missing = inputs.filter(({ deferred }) => deferred);
  return joinLines([
    written === null
      ? 'No prompts were found in the script, so no file was written.'
      : `${written}: ${formatCount(inputs.length, 'input')}`,
    rows.length > 0 && formatTable(rows),
    ...missing.map(({ name, note }) => `${name}: ${note ?? 'a value is needed'}`),
  ]);
}
