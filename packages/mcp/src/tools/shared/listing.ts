/**
 * Builds `generated/tools.json`, the tool schemas for `tools/list`, ahead of time, because a client waits for its first
 * answer. Input schemas come from the tools, results of the engine from Rust. A running server does not use this file.
 */

import { z } from 'zod';
import generated from '../../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { Schema } from '../../system/json-schema.ts';
import type { Output } from './output.ts';
import type { Tool } from './tool.ts';

const ENGINE: { calls: Record<string, { result: Schema } | undefined>; results: Record<string, Schema | undefined> } =
  generated;

/** Longer lists of names are left out, because an answer contains the actual name. */
const MAX_SHOWN_NAMES = 5;

/**
 * Fields of the engine's results that keep their description (once per answer), because their names are not clear
 * enough.
 */
const DESCRIBED = new Set(['claimed', 'failureKind', 'place', 'recommended_solution']);

/** The schemas by tool name. */
export function listedSchemas(tools: readonly Pick<Tool, 'name' | 'bare' | 'input' | 'output'>[]) {
  return Object.fromEntries(
    tools.map(({ name, bare, input, output }) => {
      const data = dataSchema(output);
      return [name, { input: jsonSchema(input(z)), output: bare ? data : envelopeOf(data) }];
    }),
  );
}

/** The envelope of a successful answer: `{success, data, timestamp}`. */
function envelopeOf(data: Schema): Schema {
  const properties = { success: { type: 'boolean', const: true }, data, timestamp: { type: 'number' } };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function dataSchema({ calls, omits, adds }: Output): Schema {
  const undescribed = new Set(DESCRIBED);
  const ofEngine = { isDescribed: (field: string) => undescribed.delete(field), shown: new Set<string>() };
  const { properties, required } = merged(calls.map((call) => compact(ENGINE.calls[call]?.result ?? {}, ofEngine)));
  const added = compact(jsonSchema(z.object(adds(z))), { isDescribed: () => true, shown: new Set() });
  const isAnswered = (name: string) => !omits.includes(name) && added.properties?.[name] === undefined;
  const answered = Object.entries(properties).filter(([name]) => isAnswered(name));
  return {
    type: 'object',
    properties: { ...Object.fromEntries(answered), ...added.properties },
    required: [...required.filter(isAnswered), ...(added.required ?? [])],
  };
}

/**
 * Merges alternative objects into one object with the fields of all. Only fields that all of them require are required.
 */
function merged(schemas: readonly Schema[]): Required<Pick<Schema, 'properties' | 'required'>> {
  const objects = schemas.flatMap((schema) => schema.anyOf ?? schema);
  const [first, ...others] = objects.map(({ required = [] }) => required);
  return {
    // The first alternative wins, because only the first occurrence of a type is written out.
    properties: Object.assign({}, ...objects.map(({ properties }) => properties).reverse()),
    required: (first ?? []).filter((name) => others.every((required) => required.includes(name))),
  };
}

interface Compacting {
  isDescribed(field: string): boolean;
  /** Types that the answer already contains. */
  shown: Set<string>;
}

/**
 * Keeps the parts of a schema that a reader needs. A type is written out at its first use and is only `object` later.
 */
function compact(schema: Schema, how: Compacting): Schema {
  const inner = (part: Schema) => compact(part, how);
  const { $ref, type, anyOf, items, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) return referenced($ref, how);
  const names = schema.oneOf?.map((one) => one.const) ?? schema.enum;
  if (names !== undefined) return { type: 'string', ...(names.length > MAX_SHOWN_NAMES ? {} : { enum: names }) };
  if (anyOf !== undefined) return nullable(anyOf.map(inner));
  const field = ([name, field]: [string, Schema]) => {
    const { description } = field;
    return [name, { ...inner(field), ...(description !== undefined && how.isDescribed(name) ? { description } : {}) }];
  };
  return {
    ...(type === undefined ? {} : { type }),
    ...(schema.const === undefined ? {} : { const: schema.const }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(Object.entries(properties).map(field)) }),
    ...(required.length > 0 ? { required } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: inner(additionalProperties) } : {}),
  };
}

function referenced($ref: string, how: Compacting): Schema {
  const target = ENGINE.results[$ref.slice('#/results/'.length)] ?? {};
  if (target.properties === undefined) return compact(target, how);
  if (how.shown.has($ref)) return { type: 'object' };
  how.shown.add($ref);
  return compact(target, how);
}

/** Writes "this or null" in the short form. */
function nullable(choices: Schema[]): Schema {
  const [schema, none, ...others] = choices;
  if (typeof schema?.type !== 'string' || none?.type !== 'null' || others.length > 0) return { anyOf: choices };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
  };
}

/**
 * Converts a zod schema and removes noise: the dialect, bounds that only repeat the range of integers, and the type of
 * property names.
 */
function jsonSchema(schema: z.ZodType): Schema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), (key, value: unknown) => {
    const noise =
      key === '$schema' ||
      key === 'propertyNames' ||
      value === Number.MAX_SAFE_INTEGER ||
      value === Number.MIN_SAFE_INTEGER;
    return noise ? undefined : value;
  });
  return Object(JSON.parse(text));
}
