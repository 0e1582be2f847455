/** The schema of the parameters of a fix loop, built from the table of fields. */

import type { z } from 'zod';
import type { Zod } from '../system/zod.ts';
import { START_FIELDS, type StartField } from './start-fields.ts';

type Fields = typeof START_FIELDS;
type Schemas = { string: z.ZodString; number: z.ZodNumber; boolean: z.ZodBoolean };
type Shape = {
  -readonly [Name in keyof Fields]: Fields[Name] extends { isRequired: true }
    ? Schemas[Fields[Name]['type']]
    : z.ZodExactOptional<Schemas[Fields[Name]['type']]>;
};

/** Optional fields must be absent, not undefined, because JSON has no undefined. */
export function startShape(z: Zod): Shape {
  const schemas = Object.entries<StartField>(START_FIELDS).map(([name, field]) => [name, schemaOf(z, field)] as const);
  // The cast restores the keys and types of the table, because `fromEntries` returns only a record.
  return Object.fromEntries<z.ZodType>(schemas) as Shape;
}

function schemaOf(z: Zod, { type, isRequired, argument }: StartField): z.ZodType {
  const value = z[type]();
  const schema = isRequired ? value : value.exactOptional();
  return argument === undefined ? schema : schema.describe(argument);
}
