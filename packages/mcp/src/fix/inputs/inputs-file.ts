/**
 * Reads and writes inputs files; a mistake is answered with its key and line, and a secret in one is refused. Which
 * file counts: resolve-inputs.ts.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ArgusError, messageOf, systemCodeOf } from '../../errors.ts';
import { readText } from '../../system/files/read.ts';
import { readYaml, YamlError } from '../../system/files/yaml.ts';
import { environmentName } from './answers/answers.ts';
import { isCredential } from './answers/kinds.ts';
import { INPUTS_VERSION, type Input, type InputsFile, USER_REQUIRED } from './inputs-model.ts';

/** A list of answers is short; past this it is some other file. */
const MAX_BYTES = 1024 * 1024;

/** A value as people write it: `8080` and `true` are text all the same. */
const scalar = () => z.union([z.string(), z.number(), z.boolean()]).nullish();

const inputSchema = () =>
  z.looseObject({
    name: z.string().nullish(),
    prompt: z.string().nullish(),
    value: scalar(),
    value_from_env: z
      .string()
      .regex(/^[A-Za-z_]\w*$/u, 'must be the name of an environment variable')
      .nullish(),
    source: z.string().nullish(),
    confidence: z.number().min(0).max(1).nullish(),
    deferred: z.boolean().nullish(),
    credential: z.boolean().nullish(),
    enter: z.boolean().nullish(),
    terminal: z.boolean().nullish(),
    conditional: z.boolean().nullish(),
    note: z.string().nullish(),
  });

const fileSchema = () =>
  z.looseObject({
    version: z.union([z.number(), z.string()]).nullish(),
    script: z.string().nullish(),
    generated: z.unknown().optional(),
    // `.inputs[].value` of yq reads both a list and a map.
    inputs: z.union([z.array(inputSchema()), z.record(z.string(), inputSchema())]).nullish(),
    expect_script: z.string().nullish(),
  });

type RawInput = z.infer<ReturnType<typeof inputSchema>>;

/** `file` is how it is named in messages. */
export async function parseInputs(
  text: string,
  file: string,
  looksSecret: (text: string) => boolean,
): Promise<InputsFile> {
  const { value, lineOf } = await readYaml(text).catch((thrown: unknown) => {
    throw thrown instanceof YamlError ? invalid(file, thrown.line, [], `not valid YAML: ${thrown.message}`) : thrown;
  });
  const refuse = (keys: readonly (string | number)[], what: string) => invalid(file, lineOf(keys), keys, what);

  const result = fileSchema().safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    const keys = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key));
    throw refuse(keys, wordsOf(issue));
  }
  const { version, script, generated, expect_script } = result.data;
  const number = Number.parseInt(String(version ?? INPUTS_VERSION), 10);
  if (number > INPUTS_VERSION) {
    throw refuse(
      ['version'],
      `version ${version} is newer than this Argus knows (${INPUTS_VERSION}); update argus-mcp`,
    );
  }
  const inputs = listOf(result.data.inputs).map(({ key, raw }) => {
    const input = inputOf(raw, key);
    const secret = secretIn(input, looksSecret);
    if (secret) throw refuse(['inputs', key, 'value'], secret);
    return input;
  });
  const leak = expect_script && secretInScript(expect_script, looksSecret);
  if (leak) throw refuse(['expect_script'], leak);
  return {
    version: INPUTS_VERSION,
    script: script ?? '',
    generated: typeof generated === 'string' ? generated : '',
    inputs,
    ...(expect_script ? { expect_script } : {}),
  };
}

function listOf(inputs: z.infer<ReturnType<typeof fileSchema>>['inputs']): { key: string | number; raw: RawInput }[] {
  if (!inputs) return [];
  if (Array.isArray(inputs)) return inputs.map((raw, key) => ({ key, raw }));
  return Object.entries(inputs).map(([key, raw]) => ({ key, raw }));
}

function inputOf(raw: RawInput, key: string | number): Input {
  const name = raw.name || (typeof key === 'string' ? key : `input_${key + 1}`);
  // `deferred: true` with a value: somebody has answered it since.
  const value = raw.value === undefined || raw.value === null ? undefined : String(raw.value);
  const answered = (value !== undefined && !(raw.deferred && value === '')) || Boolean(raw.value_from_env);
  return {
    name,
    prompt: raw.prompt ?? '',
    ...(value === undefined || !answered ? {} : { value }),
    ...(raw.value_from_env ? { value_from_env: raw.value_from_env } : {}),
    source: raw.source ?? 'user',
    confidence: raw.confidence ?? 1,
    ...(answered ? {} : { deferred: true }),
    ...(raw.credential === undefined || raw.credential === null ? {} : { credential: raw.credential }),
    ...(raw.enter === false ? { enter: false } : {}),
    ...(raw.terminal ? { terminal: true } : {}),
    ...(raw.conditional ? { conditional: true } : {}),
    ...(raw.note ? { note: raw.note } : {}),
  };
}

/** Why a literal value may not stand in the file, or undefined. */
function secretIn(input: Input, looksSecret: (text: string) => boolean): string | undefined {
  const { name, prompt, value, credential, source } = input;
  if (value === undefined || value === '' || credential === false) return undefined;
  const named = credential === true || source === USER_REQUIRED || isCredential({ prompt, variable: name });
  if (!named && !looksSecret(value)) return undefined;
  const what = named ? `'${name}' asks for a credential` : `the value of '${name}' looks like a credential`;
  const instead = `write value_from_env: ${environmentName(name) || 'NAME'} and set that variable`;
  return `${what}, and none may stand in the file: ${instead}; if it is none, add credential: false`;
}

/** `expect "Password:" { send "hunter2\r" }`. */
const SENT_SECRET =
  /expect\b[^\n]*(?:pass(?:word|phrase|code)|secret|token|api[ _-]?key|\bpin\b|\botp\b)[^\n]*[\s{;]+send(?:_user)?\s+(?:--\s+)?(?:"(?!\\[rn]"|\$|\[)[^"\s]+|\{[^}$]+|[^\s"'{}$[\]]+)/iu;

function secretInScript(script: string, looksSecret: (text: string) => boolean): string | undefined {
  // What is waited for is not sent, and `Password:` before a pattern looks like one.
  const sent = script.replaceAll(/^\s*-re \{.*?\} \{/gmu, '');
  if (!SENT_SECRET.test(script) && !looksSecret(sent)) return undefined;
  return 'the script sends a credential that stands in it; take it from a variable: send "$env(NAME)\\r"';
}

export function readInputs(file: string, shown: string): string {
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

export async function inputsText(file: InputsFile): Promise<string> {
  const { Document, Scalar } = await import('yaml');
  // Quoted, for other readers take a bare yes for a truth and 08 for a number.
  const quoted = (value: string | undefined) => {
    const scalar = new Scalar(value ?? '');
    scalar.type = 'QUOTE_DOUBLE';
    return scalar;
  };
  const document = new Document({
    version: file.version,
    script: file.script,
    generated: file.generated,
    inputs: file.inputs.map((input) => ({
      name: input.name,
      prompt: input.prompt,
      ...(input.deferred || input.value === undefined ? {} : { value: quoted(input.value) }),
      ...Object.fromEntries(Object.entries(input).filter(([key]) => !['name', 'prompt', 'value'].includes(key))),
    })),
    ...(file.expect_script ? { expect_script: file.expect_script } : {}),
  });
  return `${HEADER}${document.toString({ lineWidth: 0 })}`;
}

/** All of it or nothing: a reader never sees half a file. */
export function writeInputs(file: string, text: string): void {
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    renameSync(draft, file);
  } catch (thrown) {
    const why = `Inputs file ${file} could not be written: ${messageOf(thrown)}. Make its folder writable.`;
    throw new ArgusError('INVALID_INPUT', why, { cause: thrown });
  } finally {
    rmSync(draft, { force: true });
  }
}

function wordsOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.code === 'invalid_union'
    ? 'must be a list of inputs, each with name and value'
    : (issue?.message ?? 'not an inputs file');
}

function invalid(file: string, line: number, keys: readonly (string | number)[], what: string): ArgusError {
  const key = keys.length > 0 ? `${keys.join('.')}: ` : '';
  return new ArgusError('INVALID_INPUT', `${file}:${line}: ${key}${what}.`);
}
