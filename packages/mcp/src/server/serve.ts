/**
 * Runs the MCP server on stdin and stdout and shuts it down. It does nothing before a client speaks, because some
 * clients start a server twice only to list its tools.
 */

import type { Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '../errors.ts';
import { log } from '../log.ts';
import { killAllRunning } from '../run/execute.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { io } from '../system/io.ts';
import { serverFactory } from './server.ts';

/** Closing a database takes milliseconds, so after this time it is stuck and the process exits anyway. */
const CLOSE_MS = 2_000;

/** A larger message ends the connection. An argument that is too long but below this limit still gets an answer. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Answers one client on a transport in either protocol era. */
export function serveOn(transport: Transport): { close(): Promise<void> } {
  const sessionManager = new SessionManager();
  const connection = serveStdio(serverFactory(sessionManager), {
    transport,
    onerror: (error) => log(messageOf(error)),
  });
  return {
    close: async () => {
      await Promise.allSettled([connection.close(), sessionManager.closeAll()]);
    },
  };
}

export function serve(): void {
  const { stdin, stdout } = io();
  const connection = serveOn(new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => io().exit(0), CLOSE_MS).unref();
    killAllRunning();
    await connection.close();
    io().exit(0);
  };
  stdin.once('end', end).once('close', end);
  stdout.on('error', end);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
  process.once('exit', killAllRunning);
  process.on('unhandledRejection', (reason) => log(`unhandled: ${messageOf(reason)}`));
}
