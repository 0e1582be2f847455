/** Reads and writes inputs files. An error names the key and the line. A secret in the file is refused. */

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ArgusError, messageOf } from '../../errors.ts';
import { refusalOf, textOf } from '../../system/files/read.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { readYaml, YamlError } from '../../system/files/yaml.ts';
import { environmentName, isCredential } from './answers.ts';

/** Version of the written format. */
export const INPUTS_VERSION = 1;

/** A list of answers is short. A longer file is something else. */
const READING = { maxBytes: 1024 * 1024 };

type Test = (text: string) => boolean;

/**
 * A question and its answer.
 * - `name`: the variable that gets the answer, or a name made from the prompt.
 * - `value_from_env`: the environment variable that holds a credential.
 * - `deferred`: only the user knows the answer.
 * - `credential: false`: the value only looks like a credential.
 * - `enter: false`: the program reads single keys.
 * - `terminal`: the program does not read standard input.
 * - `conditional`: the question may be asked any number of times, or never.
 */
const inputSchema = () =>
  z.looseObject({
    name: z.string().default(''),
    prompt: z.string().default(''),
    // Accept unquoted `8080` and `true` as text.
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

const NEWER = `is newer than this Argus knows (${INPUTS_VERSION}); update argus-mcp`;
const fileSchema = () =>
  z.object({
    version: z.coerce.number().max(INPUTS_VERSION, NEWER).default(INPUTS_VERSION),
    script: z.string().default(''),
    /** ISO 8601 time. */
    generated: z.string().default(''),
    inputs: z.array(inputSchema(), 'must be a list of inputs, each with name and value').default([]),
    /** A program for `expect` that runs the command and answers it. */
    expect_script: z.string().optional(),
  });

export type Input = z.infer<ReturnType<typeof inputSchema>>;
export type InputsFile = z.infer<ReturnType<typeof fileSchema>>;

export async function parseInputs(text: string, file: string, isSecret: Test): Promise<InputsFile> {
  const invalid = (line: number, what: string) => new ArgusError('INVALID_INPUT', `${file}:${line}: ${what}.`);
  const { value, lineOf } = await readYaml(text).catch((thrown: unknown) => {
    throw thrown instanceof YamlError ? invalid(thrown.line, `not valid YAML: ${thrown.message}`) : thrown;
  });
  const refuse = (keys: readonly string[], what: string) => invalid(lineOf(keys), `${keys.join('.')}: ${what}`);
  // A key without a value counts as missing.
  const { data, error } = fileSchema().safeParse(JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined));
  if (data === undefined) throw refuse(error.issues[0]?.path.map(String) ?? [], error.issues[0]?.message ?? '');
  for (const [at, input] of data.inputs.entries()) {
    input.name ||= `input_${at + 1}`;
    // If `deferred: true` has a value, the user has answered since.
    if (input.deferred && input.value === '') delete input.value;
    input.deferred = input.value === undefined && !input.value_from_env ? true : undefined;
    const secret = secretIn(input, isSecret);
    if (secret) throw refuse(['inputs', String(at), 'value'], secret);
  }
  // Remove the patterns first: they are not sent, and `Password:` in a pattern looks like a secret.
  const sent = (data.expect_script ?? '').replaceAll(/^\s*-re \{.*?\} \{/gmu, '');
  if (SENT_SECRET.test(sent) || isSecret(sent)) {
    const what = 'the script sends a credential that stands in it; take it from a variable: send "$env(NAME)\\r"';
    throw refuse(['expect_script'], what);
  }
  return data;
}

/** Returns why a literal value must not be in the file. */
function secretIn({ name, prompt, value, credential, source }: Input, isSecret: Test): string | undefined {
  if (!value || credential === false) return undefined;
  const isNamed = credential === true || source === 'user_required' || isCredential({ text: prompt }, name);
  if (!isNamed && !isSecret(value)) return undefined;
  const what = isNamed ? `'${name}' asks for a credential` : `the value of '${name}' looks like a credential`;
  const instead = `write value_from_env: ${environmentName(name) || 'NAME'} and set that variable`;
  return `${what}, and none may stand in the file: ${instead}; if it is none, add credential: false`;
}

/** For example `expect "Password:" { send "hunter2\r" }`. */
const SENT_SECRET =
  /expect\b[^\n]*(?:pass(?:word|phrase|code)|secret|token|api[ _-]?key|\bpin\b|\botp\b)[^\n]*[\s{;]+send\s+(?:--\s+)?(?:"(?!\\[rn]"|\$|\[)[^"\s]+|\{[^}$]+)/iu;

export async function readInputs(file: string, root: string, isSecret: Test): Promise<InputsFile> {
  const text = textOf(file, READING);
  const name = path.relative(root, file);
  if (text !== undefined) return parseInputs(text, name, isSecret);
  const advice = 'Correct --inputs, or leave it out and make the file with: argus-mcp generate-inputs SCRIPT';
  const reason = existsSync(file) ? refusalOf(file, READING) : 'it does not exist';
  throw new ArgusError('INVALID_INPUT', `Inputs file ${name}: ${reason}. ${advice}.`);
}

const HEADER = `# Answers for a command that asks. Edit values freely. A credential never stands here:
# give it as value_from_env: NAME and set that environment variable.
`;

export async function writeInputs(file: string, content: InputsFile): Promise<void> {
  const { Document, Scalar } = await import('yaml');
  // Values are quoted, because other YAML readers take a bare yes for a boolean and 08 for a number.
  const inputs = content.inputs.map(({ name, prompt, value, ...rest }) => {
    const quoted = Object.assign(new Scalar(value), { type: 'QUOTE_DOUBLE' });
    return { name, prompt, ...(rest.deferred || value === undefined ? {} : { value: quoted }), ...rest };
  });
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeWholeFile(file, HEADER + new Document({ ...content, inputs }).toString({ lineWidth: 0 }));
  } catch (thrown) {
    const why = `Inputs file ${file} could not be written: ${messageOf(thrown)}. Make its folder writable.`;
    throw new ArgusError('INVALID_INPUT', why, { cause: thrown });
  }
}
