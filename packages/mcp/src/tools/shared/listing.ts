/**
 * Creates `generated/tools.json`, the tool schemas for `tools/list`. It is generated in advance, because a client waits
 * for its first answer. Input schemas come from the tools, and result schemas of the engine come from Rust. A running
 * server does not use this file.
 */

import { z } from 'zod';
import generated from '../../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { JsonSchema } from '../../system/zod.ts';
import type { Output, Tool } from './tool.ts';

const ENGINE_SCHEMAS: {
  calls: Record<string, { result: JsonSchema } | undefined>;
  results: Record<string, JsonSchema | undefined>;
} = generated;

/** Longer lists of names are omitted, because an answer contains the actual name. */
const MAX_ENUM_NAMES = 5;

/**
 * Fields of the engine's results that keep their description (once per answer), because their names are not clear
 * enough.
 */
const DESCRIBED_FIELDS = new Set(['claimed', 'failureKind', 'place', 'recommended_solution']);

type ListedTool = Pick<Tool, 'name' | 'bare' | 'input' | 'output'>;

/** Returns the schemas by tool name. */
export function createListedSchemas(tools: readonly ListedTool[]) {
  return Object.fromEntries(
    tools.map(({ name, bare, input, output }) => {
      const data = shortenSchema(createDataSchema(output), output.shows);
      return [name, { input: toJsonSchema(input(z)), output: bare ? data : createEnvelope(data) }];
    }),
  );
}

/** Returns the schemas of the answers with all fields, by tool name. Tests check answers with them. */
export function createAnswerSchemas(
  tools: readonly Pick<ListedTool, 'name' | 'bare' | 'output'>[],
): Record<string, JsonSchema> {
  return Object.fromEntries(
    tools.map(({ name, bare, output }) => {
      const data = createDataSchema(output);
      return [name, bare ? data : createEnvelope(data)];
    }),
  );
}

/** The contract of the debug memory defines these fields for every tool. */
const ALWAYS_SHOWN_FIELDS = { next_action: ['type', 'instructions'] };

/**
 * Keeps all fields of an answer. In the objects that these fields contain, keeps only the fields that `shows` names.
 */
function shortenSchema(data: JsonSchema, shows: Output['shows']): JsonSchema {
  const shown: Output['shows'] = { ...ALWAYS_SHOWN_FIELDS, ...shows };
  const fields = Object.entries(data.properties ?? {}).map(([name, field]) => [
    name,
    keepShownFields(field, shown[name] ?? []),
  ]);
  return { ...data, properties: Object.fromEntries(fields) };
}

function keepShownFields(schema: JsonSchema, shown: readonly string[]): JsonSchema {
  const { properties = {}, required: _, additionalProperties: __, items, ...rest } = schema;
  const kept = Object.entries(properties).filter(([name]) => shown.includes(name));
  return {
    ...rest,
    ...(items === undefined ? {} : { items: keepShownFields(items, shown) }),
    ...(kept.length === 0
      ? {}
      : { properties: Object.fromEntries(kept.map(([name, one]) => [name, keepShownFields(one, [])])) }),
  };
}

/** Creates the envelope of a successful answer: `{success, data, timestamp}`. */
function createEnvelope(data: JsonSchema): JsonSchema {
  const properties = { success: { type: 'boolean', const: true }, data, timestamp: { type: 'number' } };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function createDataSchema({ calls, omits, adds }: Output): JsonSchema {
  const notYetDescribed = new Set(DESCRIBED_FIELDS);
  const engineOptions = { isDescribed: (field: string) => notYetDescribed.delete(field), shown: new Set<string>() };
  const { properties, required } = mergeAlternatives(
    calls.map((call) => compactSchema(ENGINE_SCHEMAS.calls[call]?.result ?? {}, engineOptions)),
  );
  const added = compactSchema(toJsonSchema(z.object(adds(z))), { isDescribed: () => true, shown: new Set() });
  const isKept = (name: string) => !omits.includes(name) && added.properties?.[name] === undefined;
  const kept = Object.entries(properties).filter(([name]) => isKept(name));
  return {
    type: 'object',
    properties: { ...Object.fromEntries(kept), ...added.properties },
    required: [...required.filter(isKept), ...(added.required ?? [])],
  };
}

/**
 * Merges alternative objects into one object with all fields. A field is required only if all alternatives require it.
 */
function mergeAlternatives(schemas: readonly JsonSchema[]): Required<Pick<JsonSchema, 'properties' | 'required'>> {
  const objects = schemas.flatMap((schema) => schema.anyOf ?? schema);
  const [first, ...others] = objects.map(({ required = [] }) => required);
  return {
    // The first alternative has priority, because only the first occurrence of a type is written in full.
    properties: Object.assign({}, ...objects.map(({ properties }) => properties).reverse()),
    required: (first ?? []).filter((name) => others.every((required) => required.includes(name))),
  };
}

interface CompactOptions {
  isDescribed(field: string): boolean;
  /** Types that the answer already contains. */
  shown: Set<string>;
}

/**
 * Keeps the parts of a schema that a reader needs. The first use of a type is written in full, and later uses are only
 * `object`.
 */
function compactSchema(schema: JsonSchema, options: CompactOptions): JsonSchema {
  const compactPart = (part: JsonSchema) => compactSchema(part, options);
  const { $ref, type, anyOf, items, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) return compactReference($ref, options);
  const names = schema.oneOf?.map((one) => one.const) ?? schema.enum;
  if (names !== undefined) return { type: 'string', ...(names.length > MAX_ENUM_NAMES ? {} : { enum: names }) };
  if (anyOf !== undefined) return shortenNullable(anyOf.map(compactPart));
  const compactField = ([name, field]: [string, JsonSchema]) => {
    const { description } = field;
    return [
      name,
      { ...compactPart(field), ...(description !== undefined && options.isDescribed(name) ? { description } : {}) },
    ];
  };
  return {
    ...(type === undefined ? {} : { type }),
    ...(schema.const === undefined ? {} : { const: schema.const }),
    ...(items === undefined ? {} : { items: compactPart(items) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(compactField)) }),
    ...(required.length > 0 ? { required } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: compactPart(additionalProperties) } : {}),
  };
}

function compactReference($ref: string, options: CompactOptions): JsonSchema {
  const target = ENGINE_SCHEMAS.results[$ref.slice('#/results/'.length)] ?? {};
  if (target.properties === undefined) return compactSchema(target, options);
  if (options.shown.has($ref)) return { type: 'object' };
  options.shown.add($ref);
  return compactSchema(target, options);
}

/** Writes a nullable type in the short form: `type: ['string', 'null']` instead of `anyOf`. */
function shortenNullable(choices: JsonSchema[]): JsonSchema {
  const [schema, none, ...others] = choices;
  if (typeof schema?.type !== 'string' || none?.type !== 'null' || others.length > 0) return { anyOf: choices };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  };
}

/**
 * Converts a zod schema and removes useless parts: the dialect, bounds that only repeat the range of integers, and the
 * type of property names.
 */
function toJsonSchema(schema: z.ZodType): JsonSchema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), (key, value: unknown) => {
    const isUseless =
      key === '$schema' ||
      key === 'propertyNames' ||
      value === Number.MAX_SAFE_INTEGER ||
      value === Number.MIN_SAFE_INTEGER;
    return isUseless ? undefined : value;
  });
  return Object(JSON.parse(text));
}
