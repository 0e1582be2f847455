/**
 * The definition of a tool: its schemas, hints and handler. `registry.ts` lists the tools. The first call creates the
 * schema, and `tools/list` uses `generated/tools.json`.
 */

import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import type { CallName, Calls } from 'argus-engine';
import type { z } from 'zod';
import { ArgusError } from '../../errors.ts';
import generated from '../../generated/tools.json' with { type: 'json' };
import type { SessionManager } from '../../sessions/session-manager.ts';
import { loadZod, type Zod } from '../../system/zod.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { fitAnswer } from './answer-size.ts';

/** The parts of a call that the handler of a tool may use. */
export interface CallContext {
  signal: AbortSignal;
  /** Reports progress to the caller. Does nothing if the caller did not request progress. */
  progress(seconds: number, message: string): void;
}

/** The checked arguments of an input schema. */
export type Arguments<Input extends (z: Zod) => z.ZodType> = z.output<ReturnType<Input>>;

/** A tool as its file defines it. `Host` is the part of the program that the handler needs. */
interface ToolDefinition<Input extends z.ZodType, Answers extends Output, Host> {
  name: string;
  title: string;
  /**
   * First the situation in which to use the tool (`Use when ...`), because agents search for it. Then what the tool
   * does.
   */
  description: string;
  input(z: Zod): Input;
  output: Answers;
  /** The answer has no envelope, as the contract of the debug memory requires. */
  bare?: true;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** The page that shows the answer in a chat if the client supports it. */
  app?: string;
  handle(params: z.output<Input>, host: Host, context: CallContext): Promise<AnswerOf<Answers>>;
  /** Shortens the answer in the best way for the tool. The command line prints the whole answer. */
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
const LISTED_SCHEMAS: Record<string, { input: Record<string, unknown>; output: Record<string, unknown> } | undefined> =
  generated;

/** Combines the schema and the handler. A wrong argument then has the same error envelope as every other error. */
export function defineTool<Input extends z.ZodType, Answers extends Output, Host = SessionManager>(
  definition: ToolDefinition<Input, Answers, Host>,
): Tool<Host> {
  const { name, title, description, bare = false, annotations, app, input, output } = definition;
  let inputSchema: Input | undefined;
  return {
    name,
    title,
    description,
    bare,
    annotations: removeDefaults(annotations),
    ...(app === undefined ? {} : { _meta: { ui: { resourceUri: app } } }),
    inputSchema: createListedSchema(LISTED_SCHEMAS[name]?.input),
    outputSchema: createListedSchema(LISTED_SCHEMAS[name]?.output),
    input,
    output,
    async call(args, host, context) {
      inputSchema ??= input(await loadZod());
      const answer = await definition.handle(parseArguments(inputSchema, args, name), host, context);
      return fitAnswer(definition.fit?.(answer) ?? answer);
    },
  };
}

/** Values that a client assumes for missing hints, according to the specification of MCP. */
const DEFAULT_HINTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function removeDefaults(hints: ToolAnnotations): ToolAnnotations {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_HINTS));
  return Object.fromEntries(Object.entries(hints).filter(([name, value]) => value !== defaults.get(name)));
}

/** Parses arguments. The error names the wrong arguments and lists all arguments of the tool. */
function parseArguments<Input extends z.ZodType>(schema: Input, args: unknown, tool: string): z.output<Input> {
  const result = schema.safeParse(args ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) =>
    toShortLine(`${issue.path.join('.') || 'arguments'}: ${issue.message}`),
  );
  const argumentList =
    'shape' in schema ? ` Arguments of ${tool}: ${Object.keys(Object(schema.shape)).join(', ')}.` : '';
  throw new ArgusError('INVALID_INPUT', `${problems.join('; ')}.${argumentList}`);
}

/**
 * Creates a schema that is only for `tools/list`. `parseArguments` checks arguments, and the types of the engine check
 * answers.
 */
function createListedSchema(json: Record<string, unknown> = {}): StandardSchemaWithJSON {
  const getJson = () => json;
  return {
    '~standard': {
      version: 1,
      vendor: 'argus',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: getJson, output: getJson },
    },
  };
}

/*
 * Describes the answer of a tool: results of the engine, whose schemas and types are generated from Rust, and fields
 * that this package adds. `listing.ts` creates the schema for clients from both.
 */

export interface Output {
  /** The calls of the engine that return the result. Each answer has the result of one call. */
  calls: readonly CallName[];
  /** Fields of the result that the answer omits. */
  omits: readonly string[];
  /** Fields that are added or that replace fields of the result. */
  adds(z: Zod): z.ZodRawShape;
  /**
   * Fields of inner objects that `tools/list` names, for example those of a contract. Other inner objects may have any
   * fields.
   */
  shows?: Readonly<Record<string, readonly string[]>>;
}

/** The type of an answer without the envelope. */
export type AnswerOf<Of extends Output> = Without<
  Calls[Of['calls'][number]]['result'],
  Of['omits'][number] | keyof ReturnType<Of['adds']>
> &
  Shaped<ReturnType<Of['adds']>>;

/**
 * Applies `Omit` to each member of a union. Returns `object` for an empty union, which is the result of a tool that
 * calls no function of the engine.
 */
type Without<Result, Omitted extends PropertyKey> = [Result] extends [never]
  ? object
  : Result extends unknown
    ? Omit<Result, Omitted>
    : never;

type Shaped<Shape extends z.ZodRawShape> = keyof Shape extends never ? object : z.output<z.ZodObject<Shape>>;

/* Reports progress to a waiting agent: the elapsed seconds and the last line of output. */

/** The interval between progress messages. */
const PROGRESS_INTERVAL_MS = 1_000;

/** Time without output that is reported. Otherwise a hang looks like normal work. */
const REPORTED_SILENCE_MS = 300_000;

/** The maximum length of a progress message: one line on a screen. */
const MAX_PROGRESS_CHARACTERS = 120;

/** Shortens a very long line before redaction. Enough characters remain to recognize a secret in the visible part. */
const MAX_LINE_CHARACTERS = 2_000;

/** Runs `work`, which passes each new line of output to `onLine`. Sends the last line as progress, redacted. */
export async function withProgress<T>(
  { progress }: Pick<CallContext, 'progress'>,
  work: (onLine: (line: string) => void) => Promise<T>,
  redact: (line: string) => string,
): Promise<T> {
  const startedAt = performance.now();
  let lastLine = '';
  let lastLineAt = startedAt;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const silentMs = performance.now() - lastLineAt;
    const silence = silentMs < REPORTED_SILENCE_MS ? '' : `nothing printed for ${Math.floor(silentMs / 60_000)} min  `;
    const line = redact(lastLine.slice(0, MAX_LINE_CHARACTERS)).slice(0, MAX_PROGRESS_CHARACTERS).toWellFormed();
    progress(seconds, `${seconds} s  ${silence}${line}`.trim());
  }, PROGRESS_INTERVAL_MS);
  try {
    return await work((line) => {
      lastLine = line;
      lastLineAt = performance.now();
    });
  } finally {
    clearInterval(timer);
  }
}
