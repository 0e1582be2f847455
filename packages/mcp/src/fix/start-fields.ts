/**
 * The parameters of a fix loop. This table is the source of the arguments of fix_problem, the options of the command
 * line and the arguments of the prompt. Names and types are those of the engine's `FixStart` (`Start` in
 * crates/core/src/fix_loop/begin.rs, which has the limits and defaults). A new field needs a field there and a row
 * here.
 */

import type { FixStart } from 'argus-engine';

/** The parameters from the caller. The host sets the start time. */
export type WantedFix = Omit<FixStart, 'started'>;
export type StartFieldName = keyof WantedFix;

type ValueType = 'string' | 'number' | 'boolean';
type TypeOf<Value> = Value extends string ? 'string' : Value extends number ? 'number' : 'boolean';

export interface StartField<Type extends ValueType = ValueType> {
  type: Type;
  isRequired?: true;
  /** Description for agents. Missing if the name is clear. */
  argument?: string;
  /** Description for people at a terminal. */
  option?: { help: string; value?: `<${string}>`; isWhole?: true };
  /** Description for people in a slash command. */
  prompt?: { help: string; name?: string };
}

/** In the order for agents. */
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

/** The order of the contract, for people. A field that is missing here comes last. */
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

/** Writes a name such as `max_attempts` with dashes, for options and prompts. */
export function dashed(name: string): string {
  return name.replaceAll('_', '-');
}
