/**
 * What a tool is: its schemas, its hints and its handler. The registry is `registry.ts`. A schema is made when a call
 * needs it; what a list shows is `generated/tools.json`.
 */

import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { ArgusError } from '../../errors.ts';
import generated from '../../generated/tools.json' with { type: 'json' };
import type { SessionManager } from '../../sessions/session-manager.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { shortLine } from '../../text/untrusted.ts';
import { fitAnswer } from './budget.ts';
import type { AnswerOf, Output } from './output.ts';

/** What a handler may use of the call it serves. */
export interface CallContext {
  signal: AbortSignal;
  /** Tells the caller that work goes on; a no-op where it did not ask. */
  progress(seconds: number, message: string): void;
}

/** What a handler gets: the checked arguments of an input schema. */
export type Arguments<Input extends (z: Zod) => z.ZodType> = z.output<ReturnType<Input>>;

/** A tool as it is written, for whatever its handler asks. */
export interface ToolDefinition<Input extends z.ZodType, Answers extends Output, Host> {
  name: string;
  title: string;
  /** One line of what, then when to use it. */
  description: string;
  input(z: Zod): Input;
  output: Answers;
  /** The answer is the data itself, without the envelope: the contract of the debug memory. */
  bare?: true;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** A page that shows the answer inside a conversation, where the client can. */
  app?: string;
  handle(params: z.output<Input>, host: Host, context: CallContext): Promise<AnswerOf<Answers>>;
  /** How it is best brought into so many words as an agent can read; the command line prints all of it. */
  fit?(answer: AnswerOf<Answers>): AnswerOf<Answers>;
}

/** A tool as a server registers it. */
export interface Tool<Host = SessionManager> {
  name: string;
  title: string;
  description: string;
  bare: boolean;
  annotations: ToolAnnotations;
  _meta?: { ui: { resourceUri: string } };
  inputSchema: StandardSchemaWithJSON;
  outputSchema: StandardSchemaWithJSON;
  /** What `generated/tools.json` is made of. */
  input(z: Zod): z.ZodType;
  output: Output;
  call(args: unknown, host: Host, context: CallContext): Promise<object>;
}

/** Of each tool, what a list shows of its schemas. */
const LISTED: Record<string, { input: Record<string, unknown>; output: Record<string, unknown> } | undefined> =
  generated;

/** Binds schema and handler, so that a mistyped argument is answered like every other error. */
export function defineTool<Input extends z.ZodType, Answers extends Output, Host = SessionManager>(
  definition: ToolDefinition<Input, Answers, Host>,
): Tool<Host> {
  const { name, title, description, bare = false, annotations, app, input, output } = definition;
  let checked: Input | undefined;
  return {
    name,
    title,
    description,
    bare,
    annotations,
    ...(app === undefined ? {} : { _meta: { ui: { resourceUri: app } } }),
    inputSchema: listed(LISTED[name]?.input),
    outputSchema: listed(LISTED[name]?.output),
    input,
    output,
    async call(args, host, context) {
      checked ??= input(await loadZod());
      const answer = await definition.handle(parsed(checked, args, name), host, context);
      return fitAnswer(definition.fit?.(answer) ?? answer);
    },
  };
}

/** Reads arguments, or says which one is wrong and which there are. */
function parsed<Input extends z.ZodType>(schema: Input, args: unknown, tool: string): z.output<Input> {
  const result = schema.safeParse(args ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) =>
    shortLine(`${issue.path.join('.') || 'arguments'}: ${issue.message}`),
  );
  const known = 'shape' in schema ? ` Arguments of ${tool}: ${Object.keys(Object(schema.shape)).join(', ')}.` : '';
  throw new ArgusError('INVALID_INPUT', `${problems.join('; ')}.${known}`);
}

/** The schema for `tools/list` only: arguments are checked by `parsed`, answers by the engine's types. */
function listed(json: Record<string, unknown> = {}): StandardSchemaWithJSON {
  const given = () => json;
  return {
    '~standard': {
      version: 1,
      vendor: 'argus',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: given, output: given },
    },
  };
}
