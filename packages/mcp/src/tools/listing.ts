/**
 * What `tools/list` shows of the tools' schemas: `generated/tools.json`, made from them ahead of time, because a client
 * waits for its first answer. No server runs this.
 */

import { z } from 'zod';
import type { Tool } from './tool.ts';

/** By the names of the tools. */
export function listedSchemas(tools: readonly Pick<Tool, 'name' | 'schemas'>[]): Record<string, object> {
  return Object.fromEntries(
    tools.map(({ name, schemas }) => {
      const { input, output } = schemas();
      return [name, { input: compact(input), output: compact(output) }];
    }),
  );
}

/**
 * Drops what a reader of the schema does not need: the dialect, bounds that only repeat what integers are, and that
 * names are texts; and writes "this or null" in the short way.
 */
function compact(schema: z.ZodType): object {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), (key, value: unknown) => {
    const noise =
      key === '$schema' ||
      key === 'propertyNames' ||
      value === Number.MAX_SAFE_INTEGER ||
      value === Number.MIN_SAFE_INTEGER;
    return noise ? undefined : shortNullable(value);
  });
  return Object(JSON.parse(text));
}

function shortNullable(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('anyOf' in value) || !Array.isArray(value.anyOf)) return value;
  const [schema, none, ...others]: unknown[] = value.anyOf;
  if (others.length > 0 || typeOf(none) !== 'null') return value;
  const type = typeOf(schema);
  return type === undefined ? value : { ...Object(schema), type: [type, 'null'] };
}

function typeOf(schema: unknown): string | undefined {
  if (schema === null || typeof schema !== 'object' || !('type' in schema)) return undefined;
  return typeof schema.type === 'string' ? schema.type : undefined;
}
