/**
 * What a tool is: its schemas, its hints and its handler. The registry is `registry.ts`.
 * Does not: know the transport.
 */

import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ArgusError } from '../errors.ts';
import type { SessionManager } from '../session.ts';

/** What a handler may use of the call it serves. */
export interface CallContext {
  signal: AbortSignal;
  /** Tells the caller that work goes on; a no-op where it did not ask. */
  progress(seconds: number, message: string): void;
}

/** A tool as it is written. */
export interface ToolDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  title: string;
  /** One line of what, then when to use it. */
  description: string;
  input: Input;
  output: Output;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  handle(params: z.output<Input>, sessionManager: SessionManager, context: CallContext): Promise<object>;
}

/** A tool as the server registers it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: StandardSchemaWithJSON;
  outputSchema: StandardSchemaWithJSON;
  call(args: unknown, sessionManager: SessionManager, context: CallContext): Promise<object>;
}

/** Binds schema and handler, so that a mistyped argument is answered like every other error. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, annotations, input, output } = definition;
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: described(input),
    outputSchema: described(output),
    call: (args, sessionManager, context) => definition.handle(parsed(input, args, name), sessionManager, context),
  };
}

/** Reads arguments, or says which one is wrong and which there are. */
function parsed<Input extends z.ZodType>(schema: Input, args: unknown, tool: string): z.output<Input> {
  const result = schema.safeParse(args ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  const known = schema instanceof z.ZodObject ? ` Arguments of ${tool}: ${Object.keys(schema.shape).join(', ')}.` : '';
  throw new ArgusError('INVALID_INPUT', `${problems.join('; ')}.${known}`);
}

/** The schema for `tools/list` only: arguments are checked by `parsed`, answers by the engine's types. */
function described(schema: z.ZodType): StandardSchemaWithJSON {
  let json: Record<string, unknown> | undefined;
  const convert = () => {
    json ??= compact(z.toJSONSchema(schema, { io: 'input' }));
    return json;
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'argus',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/**
 * Drops what a reader of the schema does not need: the dialect, and bounds that only repeat what integers are; and
 * writes "this or null" in the short way.
 */
function compact(schema: object): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    const noise = key === '$schema' || value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
    return noise ? undefined : shortNullable(value);
  });
  const plain: Record<string, unknown> = JSON.parse(text);
  return plain;
}

/** Checked by hand: it runs on every node of every schema while a client waits for its first answer. */
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
