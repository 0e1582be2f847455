/** The schema of what a fix loop can be asked for, made of the table of its fields. */

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

/** What is not given is absent, never undefined: JSON knows no other way. */
export function startShape(z: Zod): Shape {
  const schemas = Object.entries<StartField>(START_FIELDS).map(([name, field]) => [name, schemaOf(z, field)] as const);
  // The keys and types are the table's, which `fromEntries` forgets.
  return Object.fromEntries<z.ZodType>(schemas) as Shape;
}

function schemaOf(z: Zod, { type, isRequired, argument }: StartField): z.ZodType {
  const value = z[type]();
  const schema = isRequired ? value : value.exactOptional();
  return argument === undefined ? schema : schema.describe(argument);
}
