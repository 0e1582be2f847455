/** Runs the MCP server in the process of its test, on a transport in memory. */

import type { InMemoryTransport, Transport } from '@modelcontextprotocol/client';
import { serveTransport } from '../../packages/mcp/src/server/server.ts';
import { type ProgramIo, withIo } from '../../packages/mcp/src/system/io.ts';
import type { ToolProfile } from '../../packages/mcp/src/tools/shared/registry.ts';

/** Serves at an end of a pair of transports, with the given environment and folder instead of those of the process. */
export function serveInProcess(
  transport: InMemoryTransport,
  {
    env,
    cwd,
    isImpatient,
    profile,
  }: { env: NodeJS.ProcessEnv; cwd: string; isImpatient: boolean; profile?: ToolProfile },
): { close(): Promise<void> } {
  const own: ProgramIo = {
    env,
    cwd: () => cwd,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    isInteractive: false,
    program: '',
    isImpatient,
    exitCode: undefined,
    now: Date.now,
    exit: (code) => {
      throw new Error(`the server ended with ${code}`);
    },
    onceSignal: () => {},
  };
  const far = copyMessages(transport, own);
  return withIo(own, () => serveTransport(far, profile));
}

/** Copies each message like a pipe would, and handles the client's messages with the server's environment. */
function copyMessages(transport: InMemoryTransport, own: ProgramIo): Transport {
  const far: Transport = {
    start: () => transport.start(),
    send: (message) => transport.send(JSON.parse(JSON.stringify(message))),
    close: () => transport.close(),
  };
  transport.onmessage = (message) => withIo(own, () => far.onmessage?.(JSON.parse(JSON.stringify(message))));
  transport.onclose = () => withIo(own, () => far.onclose?.());
  transport.onerror = (error) => withIo(own, () => far.onerror?.(error));
  return far;
}
