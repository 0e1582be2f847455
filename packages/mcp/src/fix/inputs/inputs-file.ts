/** Reads and writes inputs files. Errors name the key and the line. Literal credentials are rejected. */

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { writeFileAtomically } from '../../system/files/atomic-file.ts';
import { findReadProblem, tryReadText } from '../../system/files/read.ts';
import { parseYaml, YamlError } from '../../system/files/yaml.ts';
import { isCredential, toEnvironmentName } from './propose-answer.ts';

/** Version of the file format. */
export const INPUTS_VERSION = 1;

/** A list of answers is short, so a larger file is not an inputs file. */
const INPUTS_READ_OPTIONS = { maxBytes: 1024 * 1024 };

type SecretPredicate = (text: string) => boolean;

/**
 * Schema of a prompt and its answer.
 * - `name`: a variable of the script, or a name made from the prompt.
 * - `value_from_env`: the environment variable with a credential.
 * - `deferred`: only the user can give the answer.
 * - `credential`: false if the name only looks like the name of a credential.
 * - `enter`: false if the program reads single keys.
 * - `terminal`: true if the program reads from the terminal.
 * - `conditional`: true if the program may ask any number of times.
 */
const createInputSchema = () =>
  z.looseObject({
    name: z.string().default(''),
    prompt: z.string().default(''),
    // A value without quotes, such as `8080` or `true`, counts as text.
    value: z.union([z.string(), z.number(), z.boolean()]).transform(String).optional(),
    value_from_env: z.optional(z.string().regex(/^[A-Za-z_]\w*$/u, 'must be the name of a variable')),
    source: z.string().default('user'),
    confidence: z.number().min(0).max(1).default(1),
    deferred: z.boolean().optional(),
    credential: z.boolean().optional(),
    enter: z.boolean().optional(),
    terminal: z.boolean().optional(),
    conditional: z.boolean().optional(),
    note: z.string().optional(),
  });

const TOO_NEW_MESSAGE = `is newer than this version of Argus supports (${INPUTS_VERSION}); update argus-mcp`;
const createFileSchema = () =>
  z.object({
    version: z.coerce.number().max(INPUTS_VERSION, TOO_NEW_MESSAGE).default(INPUTS_VERSION),
    script: z.string().default(''),
    /** Time in ISO 8601. */
    generated: z.string().default(''),
    inputs: z.array(createInputSchema(), 'must be a list of inputs, each with name and value').default([]),
    /** A program for `expect` that runs the command and answers its prompts. */
    expect_script: z.string().optional(),
  });

export type Input = z.infer<ReturnType<typeof createInputSchema>>;
export type InputsFile = z.infer<ReturnType<typeof createFileSchema>>;

export async function parseInputs(text: string, file: string, isSecret: SecretPredicate): Promise<InputsFile> {
  const createError = (line: number, what: string) => new ArgusError('INVALID_INPUT', `${file}:${line}: ${what}.`);
  const { value, findLine } = await parseYaml(text).catch((thrown: unknown) => {
    throw thrown instanceof YamlError ? createError(thrown.line, `not valid YAML: ${thrown.message}`) : thrown;
  });
  const createKeyError = (keys: readonly string[], what: string) =>
    createError(findLine(keys), `${keys.join('.')}: ${what}`);
  // A key whose value is null counts as a missing key.
  const { data, error } = createFileSchema().safeParse(JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined));
  if (data === undefined) throw createKeyError(error.issues[0]?.path.map(String) ?? [], error.issues[0]?.message ?? '');
  for (const [at, input] of data.inputs.entries()) {
    input.name ||= `input_${at + 1}`;
    // A user may add a value and forget to remove `deferred: true`.
    if (input.deferred && input.value === '') delete input.value;
    input.deferred = input.value === undefined && !input.value_from_env ? true : undefined;
    const secretProblem = describeSecret(input, isSecret);
    if (secretProblem) throw createKeyError(['inputs', String(at), 'value'], secretProblem);
  }
  // Patterns are not sent to the program, and a pattern such as `Password:` could look like a secret.
  const sent = (data.expect_script ?? '').replaceAll(/^\s*-re \{.*?\} \{/gmu, '');
  if (SENT_SECRET.test(sent) || isSecret(sent)) {
    const what = 'the script sends a literal credential; take it from a variable: send "$env(NAME)\\r"';
    throw createKeyError(['expect_script'], what);
  }
  return data;
}

/** Returns why a literal value is rejected, or undefined if it is not a credential. */
function describeSecret(
  { name, prompt, value, credential, source }: Input,
  isSecret: SecretPredicate,
): string | undefined {
  if (!value || credential === false) return undefined;
  const isNamed = credential === true || source === 'user_required' || isCredential({ text: prompt }, name);
  if (!isNamed && !isSecret(value)) return undefined;
  const what = isNamed ? `'${name}' asks for a credential` : `the value of '${name}' looks like a credential`;
  const instead = `write value_from_env: ${toEnvironmentName(name) || 'NAME'} and set that variable`;
  return `${what}, and the file must not contain credentials: ${instead}. If it is not a credential, add credential: false`;
}

/** Matches a script that sends a literal credential: `expect "Password:" { send "hunter2\r" }`. */
const SENT_SECRET =
  /expect\b[^\n]*(?:pass(?:word|phrase|code)|secret|token|api[ _-]?key|\bpin\b|\botp\b)[^\n]*[\s{;]+send\s+(?:--\s+)?(?:"(?!\\[rn]"|\$|\[)[^"\s]+|\{[^}$]+)/iu;

export async function readInputs(file: string, root: string, isSecret: SecretPredicate): Promise<InputsFile> {
  const text = tryReadText(file, INPUTS_READ_OPTIONS);
  const name = path.relative(root, file);
  if (text !== undefined) return parseInputs(text, name, isSecret);
  const advice = 'Correct --inputs, or omit it and create the file with argus-mcp generate-inputs SCRIPT';
  const reason = existsSync(file) ? findReadProblem(file, INPUTS_READ_OPTIONS) : 'it does not exist';
  throw new ArgusError('INVALID_INPUT', `Inputs file ${name}: ${reason}. ${advice}.`);
}

const HEADER = `# Answers for the prompts of a command. Edit the values as you like. Do not write credentials here:
# use value_from_env: NAME and set this environment variable.
`;

export async function writeInputs(file: string, content: InputsFile): Promise<void> {
  const { Document, Scalar } = await import('yaml');
  // The values are quoted, because other YAML readers convert `yes` or `08` without quotes.
  const inputs = content.inputs.map(({ name, prompt, value, ...rest }) => {
    const quoted = Object.assign(new Scalar(value), { type: 'QUOTE_DOUBLE' });
    return { name, prompt, ...(rest.deferred || value === undefined ? {} : { value: quoted }), ...rest };
  });
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileAtomically(file, HEADER + new Document({ ...content, inputs }).toString({ lineWidth: 0 }));
  } catch (thrown) {
    const why = `Inputs file ${file} could not be written: ${getErrorMessage(thrown)}. Make its folder writable.`;
    throw new ArgusError('INVALID_INPUT', why, { cause: thrown });
  }
}
