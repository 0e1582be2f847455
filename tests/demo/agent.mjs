// A real MCP client over stdio that acts as a coding agent and prints every call and answer. session.mjs uses it.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { dim, formatCall } from './show.mjs';

const serverPath = resolve(fileURLToPath(new URL('../../packages/mcp/dist/cli.mjs', import.meta.url)));

/** No shorter limit for a run, because the reader's tests may take long. Progress messages keep the call alive. */
const RUN_TIMEOUT_MS = 60 * 60_000;

/** Spawns the built server as an agent would. `call` returns an answer's data, or throws the error of the answer. */
export async function connectAgent({ environment = {} } = {}) {
  const client = new Client({ name: 'argus-demo', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [serverPath],
      env: { ...getDefaultEnvironment(), ...environment },
    }),
  );
  const { name, version } = client.getServerVersion() ?? {};
  console.log(dim(`connected to ${name} ${version}, MCP ${client.getNegotiatedProtocolVersion()}`));
  return { call: (tool, args) => callTool(client, tool, args), close: () => client.close() };
}

async function callTool(client, tool, args) {
  const result = await client.callTool(
    { name: tool, arguments: args },
    { timeout: RUN_TIMEOUT_MS, onprogress: showProgress },
  );
  const text = result.content.find((part) => part.type === 'text')?.text ?? '';
  const answer = result.structuredContent ?? JSON.parse(text);
  if (result.isError) throw new ToolFailed(tool, answer.error);
  // The tools of the debug memory answer without an envelope.
  const data = answer.success ? answer.data : answer;
  console.log(formatCall(tool, args, data));
  return data;
}

function showProgress({ message }) {
  if (process.stdout.isTTY && message) process.stdout.write(`\r\x1b[2K  ${message.slice(0, 100)}\r`);
}

/** Error answer of a tool, with the code and the message that the agent reads. */
export class ToolFailed extends Error {
  constructor(tool, { code, message }) {
    super(`${tool} answered ${code}: ${message}`);
  }
}
