/**
 * What `tools/list` shows of the tools' schemas: `generated/tools.json`, made ahead of time, because a client waits for
 * its first answer. Inputs are the tools' own; what the engine answers is generated from Rust. No server runs this.
 */

import { z } from 'zod';
import generated from '../../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { Schema } from '../../system/json-schema.ts';
import type { Output } from './output.ts';
import type { Tool } from './tool.ts';

const ENGINE: { calls: Record<string, { result: Schema } | undefined>; results: Record<string, Schema | undefined> } =
  generated;

/** A longer list of names is not shown in an answer: whoever has the answer has the name. */
const MAX_SHOWN_NAMES = 5;

/** Fields of the engine's results that keep their description, once in an answer: their names do not say enough. */
const DESCRIBED = new Set(['claimed', 'failureKind', 'place', 'recommended_solution']);

/** By the names of the tools. */
export function listedSchemas(tools: readonly Pick<Tool, 'name' | 'bare' | 'input' | 'output'>[]) {
  return Object.fromEntries(
    tools.map(({ name, bare, input, output }) => {
      const data = dataSchema(output);
      return [name, { input: jsonSchema(input(z)), output: bare ? data : envelopeOf(data) }];
    }),
  );
}

/** `{success, data, timestamp}`: an answer that is no error. */
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

/** One of several objects, as one: it has the fields of all, and only those surely that all of them require. */
function merged(schemas: readonly Schema[]): Required<Pick<Schema, 'properties' | 'required'>> {
  const objects = schemas.flatMap((schema) => schema.anyOf ?? schema);
  const [first, ...others] = objects.map(({ required = [] }) => required);
  return {
    // The first wins: a type that is there again is not written out.
    properties: Object.assign({}, ...objects.map(({ properties }) => properties).reverse()),
    required: (first ?? []).filter((name) => others.every((required) => required.includes(name))),
  };
}

interface Compacting {
  isDescribed(field: string): boolean;
  /** Types that the answer has already. */
  shown: Set<string>;
}

/**
 * What a reader of an answer needs. A type stands where it is used first; where an answer has it again, that it is an
 * object must do.
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

/** "This or null" in the short way. */
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
 * Of zod's: without what a reader does not need, which is the dialect, bounds that only repeat what integers are, and
 * that names are texts.
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
