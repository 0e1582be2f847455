/**
 * Checks the answers of a team's server against the schemas of the calls, because the server may be broken or
 * malicious. Texts from the server are cleaned, so that an agent cannot mistake them for messages of this program.
 */

import type { CallName, Calls, NextAction, NextActionType } from 'argus-engine';
import generated from '../../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { JsonSchema } from '../../system/zod.ts';
import { quoteLine, removeInvisibleCharacters } from '../../text/untrusted-text.ts';

const RESULT_SCHEMAS: Record<string, JsonSchema | undefined> = generated.results;
const CALL_SCHEMAS: Record<string, { result: JsonSchema } | undefined> = generated.calls;

/**
 * The texts of `docs/contract/debug-memory.md`, as in `crates/engine/src/memory/next_action_texts.rs`. A test compares
 * both.
 */
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

/**
 * Fields that may contain several lines, because programs and people write them. All other fields have a single line.
 */
const MULTILINE_FIELDS: ReadonlySet<string> = new Set([
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

/** Lists of messages that the engine writes for the reader. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['warnings', 'notes']);

/** Thrown if a value does not match its schema. Caught in this file. */
class SchemaMismatch extends Error {}

/**
 * Returns the result in the body of an answer, or undefined if the body does not match the call. `own` has messages
 * that this machine sent with the call and that the answer repeats, so that they are not marked as messages of the
 * server.
 */
export function parseResult<N extends CallName>(
  method: N,
  body: unknown,
  own: readonly string[] = [],
): Calls[N]['result'] | undefined {
  const schema = CALL_SCHEMAS[method]?.result;
  if (!isObject(body) || !Object.hasOwn(body, 'result') || schema === undefined) return undefined;
  try {
    return checkValue(body.result, schema, { field: '', own: new Set(own) }) as Calls[N]['result'];
  } catch (thrown) {
    if (!(thrown instanceof SchemaMismatch)) throw thrown;
    return undefined;
  }
}

/** The position of a value in a result. */
interface ValuePosition {
  /** Name of the nearest field. */
  field: string;
  own: ReadonlySet<string>;
}

/**
 * Returns the value without fields that the schema does not describe, because a newer server may add fields. Supports
 * the part of JSON Schema that the engine's results use. Throws `SchemaMismatch`.
 */
function checkValue(value: unknown, schema: JsonSchema, place: ValuePosition): unknown {
  const { $ref, type, anyOf, oneOf = anyOf } = schema;
  if ($ref !== undefined) return checkValue(value, RESULT_SCHEMAS[$ref.slice('#/results/'.length)] ?? {}, place);
  if (oneOf !== undefined) return checkAgainstFirstMatch(value, oneOf, place);
  const isListed = schema.enum === undefined || schema.enum.includes(value);
  const isTyped = type === undefined || [type].flat().some((one) => isOfType(value, one));
  if (!isListed || !isTyped || (schema.const !== undefined && schema.const !== value)) throw new SchemaMismatch();
  if (typeof value === 'string') return MULTILINE_FIELDS.has(place.field) ? value : joinTextLines(value);
  if (Array.isArray(value)) return value.map((item: unknown) => checkItem(item, schema.items ?? {}, place));
  return isObject(value) ? checkObject(value, schema, place) : value;
}

function checkAgainstFirstMatch(value: unknown, schemas: readonly JsonSchema[], place: ValuePosition): unknown {
  for (const schema of schemas) {
    try {
      return checkValue(value, schema, place);
    } catch (thrown) {
      if (!(thrown instanceof SchemaMismatch)) throw thrown;
    }
  }
  throw new SchemaMismatch();
}

function checkItem(item: unknown, schema: JsonSchema, place: ValuePosition): unknown {
  const checked = checkValue(item, schema, place);
  const isServerMessage = typeof item === 'string' && MESSAGE_FIELDS.has(place.field) && !place.own.has(item);
  return isServerMessage ? `Message of the team's server: ${quoteLine(item)}` : checked;
}

function checkObject(value: Record<string, unknown>, schema: JsonSchema, { own }: ValuePosition): object {
  const { properties, required = [], additionalProperties = properties === undefined } = schema;
  if (required.some((name) => !Object.hasOwn(value, name))) throw new SchemaMismatch();
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  const entries = Object.entries(value).flatMap(([field, item]) => {
    const described = properties !== undefined && Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (described === undefined && additionalProperties === false) return [];
    return [
      [
        field,
        field === 'next_action' ? replaceInstructions(item) : checkValue(item, described ?? others, { field, own }),
      ] as const,
    ];
  });
  return Object.fromEntries(entries);
}

/** Keeps the type of the next step, and replaces the server's text by the text of the contract. */
function replaceInstructions(next: unknown): NextAction {
  const type = isObject(next) ? next.type : undefined;
  if (!isNextActionType(type)) throw new SchemaMismatch();
  return { type, instructions: INSTRUCTIONS[type] };
}

function isNextActionType(type: unknown): type is NextActionType {
  return typeof type === 'string' && Object.hasOwn(INSTRUCTIONS, type);
}

function isOfType(value: unknown, type: string): boolean {
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

/** Joins the lines of a text. A text without line breaks is not changed, because names are compared exactly. */
function joinTextLines(text: string): string {
  return /[\n\r]/u.test(text)
    ? removeInvisibleCharacters(text)
        .replaceAll(/\s*\n\s*/gu, ' ')
        .trim()
    : text;
}
