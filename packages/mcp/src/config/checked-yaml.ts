/** Parses and checks a YAML file of the project. The error for a mistake names its key and line. */

import type { z } from 'zod';
import { ArgusError } from '../errors.ts';
import { type ReadYaml, readYaml, YamlError } from '../system/files/yaml.ts';

/** Returns the checked value. `described` is the published schema that lists the valid keys. */
export async function checkedYaml<T>(text: string, file: string, schema: z.ZodType<T>, described: string): Promise<T> {
  const { value, lineOf } = await readConfigYaml(text, file);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problem = result.error.issues[0];
  if (!problem) throw invalid(file, 1, 'not a valid configuration');
  const { keys, message } = describeProblem(problem, described);
  throw invalid(file, lineOf(keys), `${keys.join('.') || 'the file'}: ${message}`);
}

export async function readConfigYaml(text: string, file: string): Promise<ReadYaml> {
  try {
    return await readYaml(text);
  } catch (thrown) {
    throw thrown instanceof YamlError ? invalid(file, thrown.line, thrown.message) : thrown;
  }
}

function describeProblem(problem: z.core.$ZodIssue, described: string): { keys: (string | number)[]; message: string } {
  const keys = problem.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (problem.code !== 'unrecognized_keys') return { keys, message: problem.message };
  const [unknown = ''] = problem.keys;
  return { keys: [...keys, unknown], message: `unknown key; see ${described} for the keys there are` };
}

export function invalid(file: string, line: number, what: string): ArgusError {
  return new ArgusError('CONFIG_INVALID', `${file}:${line}: ${what}. Correct it and call argus_init again.`);
}
