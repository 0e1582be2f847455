/**
 * What a fix loop can be asked for: the one table behind the arguments of fix_problem, the options of the command line
 * and the arguments of the prompt. Its names and types are those of the engine's `FixStart` (`Start` in
 * crates/core/src/fix_loop/begin.rs, with the limits and defaults); a new field is one there and a row here.
 */

import type { FixStart } from 'argus-engine';

/** What a caller wants; when the loop began is the host's to say. */
export type WantedFix = Omit<FixStart, 'started'>;
export type StartFieldName = keyof WantedFix;

type ValueType = 'string' | 'number' | 'boolean';
type TypeOf<Value> = Value extends string ? 'string' : Value extends number ? 'number' : 'boolean';

export interface StartField<Type extends ValueType = ValueType> {
  type: Type;
  isRequired?: true;
  /** What an agent reads; none where the name says it. */
  argument?: string;
  /** What people read at a terminal. */
  option?: { help: string; value?: `<${string}>`; isWhole?: true };
  /** What people read of a slash command. */
  prompt?: { help: string; name?: string };
}

/** In the order in which agents read them. */
export const START_FIELDS = {
  command: {
    type: 'string',
    argument: 'Command to run until it succeeds',
    option: { value: '<command>', help: 'command to run until it succeeds' },
    prompt: { help: 'Command to run until it succeeds' },
  },
  error: {
    type: 'string',
    argument: 'Or: the error as printed',
    prompt: { name: 'error_message', help: 'The error output to diagnose and fix; or give command' },
  },
  desired: {
    type: 'string',
    isRequired: true,
    argument: 'What should happen instead',
    option: { value: '<behavior>', help: 'what should happen instead (required)' },
    prompt: { help: 'Expected correct behavior' },
  },
  test: {
    type: 'string',
    argument: 'With error: command that verifies a fix',
    option: { value: '<command>', help: 'error mode: command that verifies the fix' },
    prompt: { help: 'With an error: command that verifies the fix' },
  },
  namespace: {
    type: 'string',
    argument: 'Kubernetes namespace to look into',
    option: { value: '<ns>', help: 'Kubernetes namespace to look into' },
    prompt: { help: 'Kubernetes namespace to look into' },
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
    option: { value: '<file>', help: 'inputs for prompts (default: found by the name of the script)' },
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
    argument: 'Default 5; with error 3',
    option: { value: '<n>', help: 'at most so many runs (default: 5; error mode: 3)', isWhole: true },
    prompt: { help: 'At most so many runs (default 5)' },
  },
  backoff: {
    type: 'number',
    argument: 'First delay in seconds, doubled. Default 1',
    option: {
      value: '<seconds>',
      help: 'delay before the second run, doubled each time, at most 60 (default: 1)',
    },
    prompt: { help: 'Initial delay in seconds, doubled each time (default 1)' },
  },
  circuit_breaker: {
    type: 'number',
    argument: 'Identical errors that end it. Default 3',
    option: { value: '<n>', help: 'stop after so many identical errors in a row (default: 3)', isWhole: true },
    prompt: { help: 'Stop after so many identical errors (default 3)' },
  },
  jitter: {
    type: 'boolean',
    option: { help: 'wait a random part of each delay' },
  },
  strict_progress: {
    type: 'boolean',
    option: { help: 'open the circuit on oscillating errors and missing progress too' },
  },
} as const satisfies { [Name in StartFieldName]-?: StartField<TypeOf<NonNullable<WantedFix[Name]>>> };

/** People read the fields of the contract in its order; a field that is not named here comes last. */
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

export function fieldsForPeople(): [name: string, field: StartField][] {
  const place = (name: string) => (READING_ORDER.includes(name) ? READING_ORDER.indexOf(name) : READING_ORDER.length);
  return Object.entries<StartField>(START_FIELDS).toSorted(([a], [b]) => place(a) - place(b));
}

/** `max_attempts` as people write it, in options and prompts. */
export function dashed(name: string): string {
  return name.replaceAll('_', '-');
}
