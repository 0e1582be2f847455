/** Reads and writes inputs files. Errors name the key and the line; literal credentials are refused. */

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ArgusError, messageOf } from '../../errors.ts';
import { refusalOf, textOf } from '../../system/files/read.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { readYaml, YamlError } from '../../system/files/yaml.ts';
import { environmentName, isCredential } from './answers.ts';

/** Version of the file format. */
export const INPUTS_VERSION = 1;

/** A list of answers is short, so a longer file is not an inputs file. */
const READING = { maxBytes: 1024 * 1024 };

type Test = (text: string) => boolean;

/**
 * One question and its answer. `name` is a variable of the script, or comes from the prompt; `value_from_env` names the
 * environment variable with a credential; `deferred`: only the user can answer; `credential: false`: the name only looks
 * like a credential's; `enter: false`: the program reads single keys; `terminal`: it reads from the terminal;
 * `conditional`: it may ask any number of times.
 */
const inputSchema = () =>
  z.looseObject({
    name: z.string().default(''),
    prompt: z.string().default(''),
    // A bare `8080` or `true` counts as text.
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
    /** ISO 8601. */
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
  // A key with the value null counts as a missing key.
  const { data, error } = fileSchema().safeParse(JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined));
  if (data === undefined) throw refuse(error.issues[0]?.path.map(String) ?? [], error.issues[0]?.message ?? '');
  for (const [at, input] of data.inputs.entries()) {
    input.name ||= `input_${at + 1}`;
    // A user may add a value and leave `deferred: true` in place.
    if (input.deferred && input.value === '') delete input.value;
    input.deferred = input.value === undefined && !input.value_from_env ? true : undefined;
    const secret = secretIn(input, isSecret);
    if (secret) throw refuse(['inputs', String(at), 'value'], secret);
  }
  // Patterns are not sent, and one such as `Password:` could be mistaken for a secret.
  const sent = (data.expect_script ?? '').replaceAll(/^\s*-re \{.*?\} \{/gmu, '');
  if (SENT_SECRET.test(sent) || isSecret(sent)) {
    const what = 'the script sends a literal credential; take it from a variable: send "$env(NAME)\\r"';
    throw refuse(['expect_script'], what);
  }
  return data;
}

/** The reason why a literal value is refused. */
function secretIn({ name, prompt, value, credential, source }: Input, isSecret: Test): string | undefined {
  if (!value || credential === false) return undefined;
  const isNamed = credential === true || source === 'user_required' || isCredential({ text: prompt }, name);
  if (!isNamed && !isSecret(value)) return undefined;
  const what = isNamed ? `'${name}' asks for a credential` : `the value of '${name}' looks like a credential`;
  const instead = `write value_from_env: ${environmentName(name) || 'NAME'} and set that variable`;
  return `${what}, which the file must not contain: ${instead}; if it is none, add credential: false`;
}

/** `expect "Password:" { send "hunter2\r" }`. */
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

const HEADER = `# Answers for a command that asks. Edit values freely. Do not write credentials here:
# use value_from_env: NAME and set that environment variable.
`;

export async function writeInputs(file: string, content: InputsFile): Promise<void> {
  const { Document, Scalar } = await import('yaml');
  // Quoted, because other YAML readers convert a bare `yes` or `08`.
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
