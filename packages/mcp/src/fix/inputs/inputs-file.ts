/** Reads and writes inputs files. A mistake is answered with its key and line, and a secret in one is refused. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ArgusError, messageOf, systemCodeOf } from '../../errors.ts';
import { readText } from '../../system/files/read.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { readYaml, YamlError } from '../../system/files/yaml.ts';
import { environmentName, isCredential } from './answers/kinds.ts';

/** The version of the form that is written. */
export const INPUTS_VERSION = 1;

/** A list of answers is short; a longer file is some other one. */
const MAX_BYTES = 1024 * 1024;

/** One question and its answer. */
const inputSchema = () =>
  z.looseObject({
    /** The variable it goes into, or a name made of the prompt. */
    name: z.string().default(''),
    prompt: z.string().default(''),
    /** `8080` and `true` are text all the same. */
    value: z.union([z.string(), z.number(), z.boolean()]).transform(String).optional(),
    /** The environment variable that holds the value: the way to give a credential. */
    value_from_env: z
      .string()
      .regex(/^[A-Za-z_]\w*$/u, 'must be the name of an environment variable')
      .optional(),
    source: z.string().default('user'),
    confidence: z.number().min(0).max(1).default(1),
    /** Only the user knows it. */
    deferred: z.boolean().optional(),
    /** False where the user says that a name only looks like a credential's. */
    credential: z.boolean().optional(),
    /** False: the program reads single keys, so no Enter follows. */
    enter: z.boolean().optional(),
    /** It is read from the terminal, not from standard input. */
    terminal: z.boolean().optional(),
    /** It may not be asked at all, or more than once. */
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

/** `file` is its name in messages. */
export async function parseInputs(
  text: string,
  file: string,
  looksSecret: (text: string) => boolean,
): Promise<InputsFile> {
  const invalid = (line: number, what: string) => new ArgusError('INVALID_INPUT', `${file}:${line}: ${what}.`);
  const { value, lineOf } = await readYaml(text).catch((thrown: unknown) => {
    throw thrown instanceof YamlError ? invalid(thrown.line, `not valid YAML: ${thrown.message}`) : thrown;
  });
  const refuse = (keys: readonly (string | number)[], what: string) =>
    invalid(lineOf(keys), `${keys.join('.')}: ${what}`);
  // A key without a value is as good as none.
  const { data, error } = fileSchema().safeParse(JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined));
  if (data === undefined) {
    const [{ path: keys, message } = { path: [], message: '' }] = error.issues;
    throw refuse(
      keys.map((key) => (typeof key === 'number' ? key : String(key))),
      message,
    );
  }
  data.inputs = data.inputs.map((input, at) => answered({ ...input, name: input.name || `input_${at + 1}` }));
  for (const [at, input] of data.inputs.entries()) {
    const secret = secretIn(input, looksSecret);
    if (secret) throw refuse(['inputs', at, 'value'], secret);
  }
  // What is waited for is not sent, and `Password:` before a pattern looks like a secret.
  const sent = (data.expect_script ?? '').replaceAll(/^\s*-re \{.*?\} \{/gmu, '');
  if (SENT_SECRET.test(sent) || looksSecret(sent)) {
    const what = 'the script sends a credential that stands in it; take it from a variable: send "$env(NAME)\\r"';
    throw refuse(['expect_script'], what);
  }
  return data;
}

/** `deferred: true` with a value: somebody has answered it since. */
function answered({ deferred, value, ...input }: Input): Input {
  if (input.value_from_env) return input;
  return value === undefined || (deferred && value === '') ? { ...input, deferred: true } : { ...input, value };
}

/** Why a literal value may not stand in the file. */
function secretIn(
  { name, prompt, value, credential, source }: Input,
  looksSecret: (text: string) => boolean,
): string | undefined {
  if (!value || credential === false) return undefined;
  const isNamed = credential === true || source === 'user_required' || isCredential({ text: prompt }, name);
  if (!isNamed && !looksSecret(value)) return undefined;
  const what = isNamed ? `'${name}' asks for a credential` : `the value of '${name}' looks like a credential`;
  const instead = `write value_from_env: ${environmentName(name) || 'NAME'} and set that variable`;
  return `${what}, and none may stand in the file: ${instead}; if it is none, add credential: false`;
}

/** `expect "Password:" { send "hunter2\r" }`. */
const SENT_SECRET =
  /expect\b[^\n]*(?:pass(?:word|phrase|code)|secret|token|api[ _-]?key|\bpin\b|\botp\b)[^\n]*[\s{;]+send\s+(?:--\s+)?(?:"(?!\\[rn]"|\$|\[)[^"\s]+|\{[^}$]+)/iu;

/** `shown` is its name in messages. */
export async function readInputs(file: string, shown: string, redact: (text: string) => string): Promise<InputsFile> {
  const text = textOf(file, shown);
  return parseInputs(text, shown, (value) => redact(value) !== value);
}

function textOf(file: string, shown: string): string {
  try {
    return readText(file, { maxBytes: MAX_BYTES });
  } catch (thrown) {
    const reason = systemCodeOf(thrown) === 'ENOENT' ? 'it does not exist' : messageOf(thrown);
    const advice = 'Correct --inputs, or leave it out and make the file with: argus-mcp generate-inputs SCRIPT';
    throw new ArgusError('INVALID_INPUT', `Inputs file ${shown}: ${reason}. ${advice}.`, { cause: thrown });
  }
}

const HEADER = `# Answers for a command that asks. Edit values freely. A credential never stands here:
# give it as value_from_env: NAME and set that environment variable.
`;

export async function writeInputs(file: string, content: InputsFile): Promise<void> {
  const { Document, Scalar } = await import('yaml');
  // Quoted, because other readers take a bare yes for a truth and 08 for a number.
  const inputs = content.inputs.map(({ name, prompt, value, ...rest }) => {
    const quoted = Object.assign(new Scalar(value), { type: 'QUOTE_DOUBLE' });
    return { name, prompt, ...(rest.deferred || value === undefined ? {} : { value: quoted }), ...rest };
  });
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeWholeFile(file, `${HEADER}${new Document({ ...content, inputs }).toString({ lineWidth: 0 })}`);
  } catch (thrown) {
    const why = `Inputs file ${file} could not be written: ${messageOf(thrown)}. Make its folder writable.`;
    throw new ArgusError('INVALID_INPUT', why, { cause: thrown });
  }
}
