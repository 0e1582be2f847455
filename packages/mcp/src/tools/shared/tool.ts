/**
 * The definition of a tool: its schemas, hints and handler. `registry.ts` lists the tools. A schema is built on the
 * first call, and `tools/list` uses `generated/tools.json`.
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

/** The parts of a call that its handler may use. */
export interface CallContext {
  signal: AbortSignal;
  /** Reports progress to the caller. Does nothing if the caller did not ask for progress. */
  progress(seconds: number, message: string): void;
}

/** The checked arguments of an input schema. */
export type Arguments<Input extends (z: Zod) => z.ZodType> = z.output<ReturnType<Input>>;

/** A tool as its file defines it. `Host` is the part of the program that its handler needs. */
export interface ToolDefinition<Input extends z.ZodType, Answers extends Output, Host> {
  name: string;
  title: string;
  /** A line about the action of the tool, then the situations in which to use it. */
  description: string;
  input(z: Zod): Input;
  output: Answers;
  /** The answer is the data without the envelope, as the contract of the debug memory requires. */
  bare?: true;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** The page that shows the answer inside a conversation if the client supports it. */
  app?: string;
  handle(params: z.output<Input>, host: Host, context: CallContext): Promise<AnswerOf<Answers>>;
  /** Shortens the answer in the way that suits the tool. The command line prints the whole answer. */
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
  /** The source of `generated/tools.json`. */
  input(z: Zod): z.ZodType;
  output: Output;
  call(args: unknown, host: Host, context: CallContext): Promise<object>;
}

/** The schemas of each tool for `tools/list`. */
const LISTED: Record<string, { input: Record<string, unknown>; output: Record<string, unknown> } | undefined> =
  generated;

/** Binds schema and handler, so that a wrong argument gets the same error envelope as every other error. */
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

/** Parses arguments. The error names the wrong arguments and lists all arguments of the tool. */
function parsed<Input extends z.ZodType>(schema: Input, args: unknown, tool: string): z.output<Input> {
  const result = schema.safeParse(args ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) =>
    shortLine(`${issue.path.join('.') || 'arguments'}: ${issue.message}`),
  );
  const known = 'shape' in schema ? ` Arguments of ${tool}: ${Object.keys(Object(schema.shape)).join(', ')}.` : '';
  throw new ArgusError('INVALID_INPUT', `${problems.join('; ')}.${known}`);
}

/** A schema only for `tools/list`. `parsed` checks arguments, and the engine's types check answers. */
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
