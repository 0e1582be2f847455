/**
 * The parameters of a fix loop. The arguments of fix_problem, the options of the command line and the arguments of the
 * prompt are created from this table. Names and types are those of the engine's `FixStart` (`Start` in
 * crates/core/src/fix_loop/begin.rs, which has the limits and defaults). A new parameter needs a field there and a row
 * here.
 */

import type { FixStart } from 'argus-engine';
import type { z } from 'zod';
import type { Zod } from '../system/zod.ts';

/** The parameters that a caller gives. The host adds the start time. */
export type FixGoal = Omit<FixStart, 'started'>;
type StartFieldName = keyof FixGoal;

type ValueType = 'string' | 'number' | 'boolean';
type TypeOf<Value> = Value extends string ? 'string' : Value extends number ? 'number' : 'boolean';

export interface StartField<Type extends ValueType = ValueType> {
  type: Type;
  isRequired?: true;
  /** Description for agents. Undefined if the name is clear. */
  argument?: string;
  /** Description for people at a terminal. Undefined if the command line has no such option. */
  option?: { help: string; value?: `<${string}>`; isWhole?: true };
  /** Description for people in a slash command. Undefined if the prompt has no such argument. */
  prompt?: { help: string; name?: string };
}

/** The parameters, in the order for agents. */
export const START_FIELDS = {
  command: {
    type: 'string',
    argument: 'Command to run until it succeeds',
    option: { value: '<command>', help: 'command to run until it succeeds' },
    prompt: { help: 'Command to run until it succeeds' },
  },
  error: {
    type: 'string',
    argument: 'Or the error output',
    prompt: { name: 'error_message', help: 'The error output to diagnose and fix; or give command' },
  },
  desired: {
    type: 'string',
    isRequired: true,
    argument: 'Expected correct behavior',
    option: { value: '<behavior>', help: 'expected correct behavior (required)' },
    prompt: { help: 'Expected correct behavior' },
  },
  test: {
    type: 'string',
    argument: 'Command that verifies a fix (with error)',
    option: { value: '<command>', help: 'command that verifies the fix (error mode)' },
    prompt: { help: 'Command that verifies the fix (with an error)' },
  },
  namespace: {
    type: 'string',
    argument: 'Kubernetes namespace to inspect',
    option: { value: '<ns>', help: 'Kubernetes namespace to inspect' },
    prompt: { help: 'Kubernetes namespace to inspect' },
  },
  auto: {
    type: 'boolean',
    argument: 'Answer prompts from generated inputs',
    option: { help: 'answer prompts from generated inputs' },
    prompt: { help: 'true: answer interactive prompts from generated inputs' },
  },
  inputs: {
    type: 'string',
    argument: 'Inputs file for prompts',
    option: { value: '<file>', help: 'inputs file for prompts (default: the generated file of the script)' },
    prompt: { help: 'Path of an inputs file' },
  },
  timeout: {
    type: 'number',
    argument: 'Seconds per run. Default 120',
    option: { value: '<seconds>', help: 'end a run after this time (default: 120)', isWhole: true },
    prompt: { help: 'Seconds per run (default 120)' },
  },
  max_attempts: {
    type: 'number',
    argument: 'Default 5, or 3 with error',
    option: { value: '<n>', help: 'maximum number of runs (default: 5; error mode: 3)', isWhole: true },
    prompt: { help: 'Maximum number of runs (default 5)' },
  },
  backoff: {
    type: 'number',
    argument: 'Initial delay in seconds, doubled. Default 1',
    option: {
      value: '<seconds>',
      help: 'delay before the second run in seconds, doubled each time, at most 60 (default: 1)',
    },
    prompt: { help: 'Initial delay in seconds, doubled each time (default 1)' },
  },
  circuit_breaker: {
    type: 'number',
    argument: 'Identical errors that stop the loop. Default 3',
    option: { value: '<n>', help: 'stop after this number of identical errors in a row (default: 3)', isWhole: true },
    prompt: { help: 'Stop after this number of identical errors (default 3)' },
  },
  jitter: {
    type: 'boolean',
    option: { help: 'wait a random part of each delay' },
  },
  strict_progress: {
    type: 'boolean',
    option: { help: 'also open the circuit if errors oscillate or the loop makes no progress' },
  },
} as const satisfies { [Name in StartFieldName]-?: StartField<TypeOf<NonNullable<FixGoal[Name]>>> };

/**
 * The order of the parameters for people, as in `docs/contract/fix-problem.md`. Parameters that are not listed come
 * last.
 */
const READING_ORDER: readonly string[] = [
  'error',
  'desired',
  'command',
  'test',
  'auto',
  'inputs',
  'timeout',
  'max_attempts',
  'backoff',
  'circuit_breaker',
  'namespace',
  'strict_progress',
  'jitter',
] satisfies StartFieldName[];

export function listFieldsInReadingOrder(): [name: string, field: StartField][] {
  const getRank = (name: string) => (READING_ORDER.includes(name) ? READING_ORDER.indexOf(name) : READING_ORDER.length);
  return Object.entries<StartField>(START_FIELDS).toSorted(([a], [b]) => getRank(a) - getRank(b));
}

/** Converts a name such as `max_attempts` to `max-attempts`, for options and prompts. */
export function toKebabCase(name: string): string {
  return name.replaceAll('_', '-');
}

/* Builds the schema of the parameters from the table of fields. */

type Fields = typeof START_FIELDS;
type Schemas = { string: z.ZodString; number: z.ZodNumber; boolean: z.ZodBoolean };
type Shape = {
  -readonly [Name in keyof Fields]: Fields[Name] extends { isRequired: true }
    ? Schemas[Fields[Name]['type']]
    : z.ZodExactOptional<Schemas[Fields[Name]['type']]>;
};

/** Optional fields must be absent, not undefined, because JSON has no undefined. */
export function createStartShape(z: Zod): Shape {
  const schemas = Object.entries<StartField>(START_FIELDS).map(
    ([name, field]) => [name, createFieldSchema(z, field)] as const,
  );
  // The cast restores the keys and types of the table, because `fromEntries` returns only a record.
  return Object.fromEntries<z.ZodType>(schemas) as Shape;
}

function createFieldSchema(z: Zod, { type, isRequired, argument }: StartField): z.ZodType {
  const value = z[type]();
  const schema = isRequired ? value : value.exactOptional();
  return argument === undefined ? schema : schema.describe(argument);
}
