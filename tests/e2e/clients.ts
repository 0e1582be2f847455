/**
 * Drives the server with real clients of both protocol eras, and checks every answer against the envelope and the
 * schema that `tools/list` publishes. The server runs in this process or as the built program.
 */

import {
  InMemoryTransport,
  Client as ModernClient,
  type Transport as ModernClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport as LegacyClientTransport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect } from 'vitest';
import { z } from 'zod';
import { createAnswerSchemas } from '../../packages/mcp/src/tools/shared/listing.ts';
import { TOOLS } from '../../packages/mcp/src/tools/shared/registry.ts';
import {
  type Agent,
  type Answer,
  type CallOptions,
  createEnvironment,
  createProject,
  type Data,
  type Era,
  PROGRAM_PATH,
} from './harness.ts';
import { serveInProcess } from './in-process-server.ts';

const answerSchema = z.union([
  z.strictObject({ success: z.literal(true), data: z.record(z.string(), z.unknown()), timestamp: z.number() }),
  z.strictObject({
    success: z.literal(false),
    error: z.strictObject({ code: z.string(), message: z.string() }),
    timestamp: z.number(),
  }),
]);

const toolResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** Implements `connect` of harness.ts, which prepares the environment. */
export async function connectInProcess(
  era: Era,
  surroundings: { env: Record<string, string>; cwd: string; isImpatient: boolean },
): Promise<Agent> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveInProcess(far, surroundings);
  const agent = await (era === '2025' ? connectLegacyClient(near) : connectModernClient(near));
  return {
    ...agent,
    close: async () => {
      await agent.close();
      await server.close();
    },
  };
}

/** Connects to the built program. */
export async function connectProcess(
  era: Era,
  env: Record<string, string> = {},
  cwd = createProject(),
): Promise<Agent & { pid: number }> {
  const parameters = {
    command: process.execPath,
    args: [PROGRAM_PATH],
    env: createEnvironment(env),
    cwd,
    stderr: 'pipe' as const,
  };
  const transport = era === '2025' ? new LegacyTransport(parameters) : new ModernTransport(parameters);
  const agent = await (era === '2025' ? connectLegacyClient(transport) : connectModernClient(transport));
  if (transport.pid === null) throw new Error('the server has no process');
  return { ...agent, pid: transport.pid };
}

async function connectModernClient(transport: ModernClientTransport): Promise<Agent> {
  const client = new ModernClient(
    { name: 'argus-e2e', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, jsonSchemaValidator: validator },
  );
  await client.connect(transport);
  return createAgent({
    instructions: client.getInstructions(),
    close: () => client.close(),
    listTools: async () => (await client.listTools()).tools,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    read: (uri) => client.readResource({ uri }),
    complete: (uri, value) => client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value } }),
  });
}

async function connectLegacyClient(transport: LegacyClientTransport): Promise<Agent> {
  const client = new LegacyClient({ name: 'argus-e2e', version: '1.0.0' }, { jsonSchemaValidator: validator });
  await client.connect(transport);
  return createAgent({
    instructions: client.getInstructions(),
    close: () => client.close(),
    listTools: async () => (await client.listTools()).tools,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    complete: (uri, value) => client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value } }),
  });
}

/** The functions that both clients provide. */
interface ClientFunctions {
  instructions: string | undefined;
  close(): Promise<void>;
  listTools(): Promise<unknown[]>;
  listResourceTemplates(): Promise<unknown[]>;
  callTool(name: string, args: Data, options: { timeout: number } & CallOptions): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  complete(uri: string, value: string): Promise<{ completion: { values: string[] } }>;
}

const resource = z.object({ contents: z.tuple([z.object({ mimeType: z.string(), text: z.string() })]) });

async function createAgent(wire: ClientFunctions): Promise<Agent> {
  // A client that knows the output schemas checks every answer against them.
  await wire.listTools();
  const validate = createFullSchemaCheck();
  const callTool = async (tool: string, args: Data, options: CallOptions = {}) => {
    const result = toolResult.parse(await wire.callTool(tool, args, { timeout: 110_000, ...options }));
    validate(tool, result.structuredContent);
    return result;
  };
  const call: Agent['call'] = async (tool, args, options) => parseEnvelope(await callTool(tool, args, options));
  return {
    instructions: wire.instructions,
    listTools: wire.listTools,
    listResourceTemplates: wire.listResourceTemplates,
    call,
    async data(tool, args, options) {
      const answer = await call(tool, args, options);
      if (!answer.success) throw new Error(`${tool}: ${answer.error.code}: ${answer.error.message}`);
      return answer.data;
    },
    async error(tool, args) {
      const answer = await call(tool, args);
      if (answer.success) throw new Error(`${tool} succeeded: ${JSON.stringify(answer.data)}`);
      return answer.error;
    },
    async ask(tool, args) {
      const answer = parseBareAnswer(await callTool(tool, args));
      if ('error' in answer) throw new Error(`${tool}: ${JSON.stringify(answer.error)}`);
      return answer;
    },
    async askError(tool, args) {
      const answer = parseBareAnswer(await callTool(tool, args));
      return bareError.parse(answer, { error: () => `${tool} succeeded: ${JSON.stringify(answer)}` }).error;
    },
    async read(uri) {
      const { contents } = resource.parse(await wire.read(uri));
      expect(contents[0].mimeType).toBe('application/json');
      return JSON.parse(contents[0].text);
    },
    complete: async (uri, prefix) => (await wire.complete(uri, prefix)).completion.values,
    close: wire.close,
  };
}

/** Compiles each schema once, because that takes longer than most calls. */
class CachingValidator extends AjvJsonSchemaValidator {
  readonly #known = new Map<string, JsonSchemaValidator<unknown>>();

  override getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const key = JSON.stringify(schema);
    const known = this.#known.get(key) ?? super.getValidator(schema);
    this.#known.set(key, known);
    return known as JsonSchemaValidator<T>;
  }
}
const validator = new CachingValidator();

/**
 * Tools whose answers have more fields than their schema, because the schema lists only the fields that a client needs.
 */
const HAS_UNDECLARED_FIELDS = /^fix_/u;

/**
 * Returns a function that checks answers against the whole schemas and also refuses undeclared fields, which a client
 * would not report.
 */
function createFullSchemaCheck(): (tool: string, answer: unknown) => void {
  const schemas = createAnswerSchemas(TOOLS);
  return (tool, answer) => {
    const schema = schemas[tool];
    if (schema === undefined || answer === undefined) return;
    const { errorMessage } = validator.getValidator(
      Object(HAS_UNDECLARED_FIELDS.test(tool) ? schema : forbidUndeclaredFields(schema)),
    )(answer);
    if (errorMessage !== undefined) throw new Error(`${tool}: ${errorMessage}: ${JSON.stringify(answer)}`);
  };
}

/** Returns the schema with `additionalProperties: false` for every object. */
function forbidUndeclaredFields<Schema extends object>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key !== 'properties' && value?.type?.includes('object') && value.properties !== undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
}

/**
 * Parses the JSON text of an answer. Checks that a success has the same structured content and that an error has none.
 */
function parseEnvelope({ content, structuredContent, isError }: z.output<typeof toolResult>): Answer {
  const answer = answerSchema.parse(JSON.parse(content[0].text));
  expect(Math.abs(Date.now() - answer.timestamp)).toBeLessThan(300_000);
  if (answer.success)
    expect({ structuredContent, isError: isError ?? false }).toEqual({ structuredContent: answer, isError: false });
  else expect({ structuredContent, isError }).toEqual({ structuredContent: undefined, isError: true });
  return answer;
}

const bareError = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });

/** Like `parseEnvelope`, for answers without an envelope. */
function parseBareAnswer({ content, structuredContent, isError }: z.output<typeof toolResult>): Data {
  const answer = z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text));
  if ('error' in answer)
    expect({ structuredContent, isError }).toEqual({ structuredContent: undefined, isError: true });
  else expect({ structuredContent, isError: isError ?? false }).toEqual({ structuredContent: answer, isError: false });
  return answer;
}
