/**
 * Imports zod on first use, because importing it would double the duration of a short command. Also describes the
 * schemas that zod produces.
 */

import type { z } from 'zod';

/** Passed to functions that build schemas. */
export type Zod = typeof z;

export async function loadZod(): Promise<Zod> {
  const { z } = await import('zod');
  return z;
}

/** The part of JSON Schema that schemars and zod produce in this project. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: unknown[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
}
