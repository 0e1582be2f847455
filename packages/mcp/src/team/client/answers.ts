/**
 * Checks the answers of a team's server against the schemas of the calls, because the server can be broken or
 * malicious. Texts of the server are cleaned so that an agent cannot mistake them for sentences of this program.
 */

import type { CallName, Calls, NextAction, NextActionType } from 'argus-engine';
import generated from '../../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { Schema } from '../../system/json-schema.ts';
import { quotedLine, visible } from '../../text/untrusted.ts';

const RESULTS: Record<string, Schema | undefined> = generated.results;
const CALLS: Record<string, { result: Schema } | undefined> = generated.calls;

/** The contract's texts, as in `crates/engine/src/memory/next.rs`. A test compares them. */
const INSTRUCTIONS: Record<NextActionType, string> = {
  NO_MATCH_DEBUG_THEN_ADD_INCIDENT:
    'No relevant incidents found. Debug normally. If a fix is found, call add_incident to store the incident + solution + outcome.',
  NO_SOLUTIONS_ADD_ONE:
    'Incidents were found but no solutions exist. Debug normally. Once you find a fix that works, call add_solution for the best matching incident, then record_outcome.',
  TRY_SOLUTION_AND_RECORD_OUTCOME:
    'Try the recommended solution. After attempting it, call record_outcome with worked=true or false.',
  DONE_OR_ADD_ENV_VARIANT:
    'Done. If this fix works in another environment, add_solution to the same incident and then record_outcome.',
  DEBUG_FURTHER_THEN_ADD_SOLUTION_OR_INCIDENT:
    'Debug further. If you find a new fix for the same incident, call add_solution (then record_outcome). If the root cause is different, call add_incident to create a new incident.',
  RECORD_OUTCOME_FOR_NEW_SOLUTION: 'If you try this solution, call record_outcome with solution_id, worked, and env.',
  USE_ADD_SOLUTION_FOR_EXISTING_INCIDENT:
    'An incident already exists. Use add_solution with this incident_id, then record_outcome after you try it.',
};

/** Fields that may hold several lines, because programs and people write them. All other fields are one line. */
const TEXTS: ReadonlySet<string> = new Set([
  'description',
  'error',
  'errorSignature',
  'error_signature',
  'fixDescription',
  'hunks',
  'lines',
  'message',
  'normalized',
  'notes',
  'outputTail',
  'redacted',
  'sample',
  'signaturePattern',
  'stderrTail',
  'stdoutTail',
  'steps',
  'suggestedFix',
  'summary',
  'text',
]);

/** Lists of sentences that the engine writes for the reader. */
const SENTENCES: ReadonlySet<string> = new Set(['warnings', 'notes']);

/** A value does not match its schema. Never leaves this file. */
class Unfitting extends Error {}

/**
 * Returns the result in the body of an answer, or undefined when the body does not match the call. `own` lists
 * sentences that this machine sent with the call and that the answer repeats, so they are not marked as the server's.
 */
export function resultIn<N extends CallName>(
  method: N,
  body: unknown,
  own: readonly string[] = [],
): Calls[N]['result'] | undefined {
  const schema = CALLS[method]?.result;
  if (!isObject(body) || !Object.hasOwn(body, 'result') || schema === undefined) return undefined;
  try {
    return fitted(body.result, schema, { field: '', own: new Set(own) }) as Calls[N]['result'];
  } catch (thrown) {
    if (!(thrown instanceof Unfitting)) throw thrown;
    return undefined;
  }
}

/** The position of a value. */
interface Place {
  /** The name of the nearest field. */
  field: string;
  own: ReadonlySet<string>;
}

/**
 * Returns the value without fields that the schema does not describe, because a newer server may add fields. Supports
 * the part of JSON Schema that the engine's results use. Throws `Unfitting`.
 */
function fitted(value: unknown, schema: Schema, place: Place): unknown {
  const { $ref, type, anyOf, oneOf = anyOf } = schema;
  if ($ref !== undefined) return fitted(value, RESULTS[$ref.slice('#/results/'.length)] ?? {}, place);
  if (oneOf !== undefined) return firstFitted(value, oneOf, place);
  const isListed = schema.enum === undefined || schema.enum.includes(value);
  const isTyped = type === undefined || [type].flat().some((one) => isOf(value, one));
  if (!isListed || !isTyped || (schema.const !== undefined && schema.const !== value)) throw new Unfitting();
  if (typeof value === 'string') return TEXTS.has(place.field) ? value : oneLine(value);
  if (Array.isArray(value)) return value.map((item: unknown) => fittedItem(item, schema.items ?? {}, place));
  return isObject(value) ? fittedObject(value, schema, place) : value;
}

function firstFitted(value: unknown, schemas: readonly Schema[], place: Place): unknown {
  for (const schema of schemas) {
    try {
      return fitted(value, schema, place);
    } catch (thrown) {
      if (!(thrown instanceof Unfitting)) throw thrown;
    }
  }
  throw new Unfitting();
}

function fittedItem(item: unknown, schema: Schema, place: Place): unknown {
  const checked = fitted(item, schema, place);
  const isSaid = typeof item === 'string' && SENTENCES.has(place.field) && !place.own.has(item);
  return isSaid ? `The team's server says: ${quotedLine(item)}` : checked;
}

function fittedObject(value: Record<string, unknown>, schema: Schema, { own }: Place): object {
  const { properties, required = [], additionalProperties = properties === undefined } = schema;
  if (required.some((name) => !Object.hasOwn(value, name))) throw new Unfitting();
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  const entries = Object.entries(value).flatMap(([field, item]) => {
    const described = properties !== undefined && Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (described === undefined && additionalProperties === false) return [];
    return [
      [field, field === 'next_action' ? ownNext(item) : fitted(item, described ?? others, { field, own })] as const,
    ];
  });
  return Object.fromEntries(entries);
}

/** Keeps the type of the next step and replaces the server's text by the contract's text. */
function ownNext(next: unknown): NextAction {
  const type = isObject(next) ? next.type : undefined;
  if (!isNextActionType(type)) throw new Unfitting();
  return { type, instructions: INSTRUCTIONS[type] };
}

function isNextActionType(type: unknown): type is NextActionType {
  return typeof type === 'string' && Object.hasOwn(INSTRUCTIONS, type);
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      // `string`, `number` and `boolean` have the same names in JavaScript.
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes only texts with line breaks, because names are compared exactly. */
function oneLine(text: string): string {
  return /[\n\r]/u.test(text)
    ? visible(text)
        .replaceAll(/\s*\n\s*/gu, ' ')
        .trim()
    : text;
}
