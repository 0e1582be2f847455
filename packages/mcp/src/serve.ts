/**
 * The MCP server on stdin and stdout, and its orderly end.
 * Does not: anything before a client speaks; clients start servers twice just to look.
 */

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { messageOf } from './errors.ts';
import { log } from './log.ts';
import { killAllRunning } from './run/execute.ts';
import { serverFactory } from './server.ts';
import { SessionManager } from './session.ts';

/** Closing a database takes milliseconds; a stuck one must not keep the process. */
const CLOSE_MS = 2_000;

export function serve(): void {
  const sessionManager = new SessionManager();
  const connection = serveStdio(serverFactory(sessionManager), { onerror: (error) => log(messageOf(error)) });

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(0), CLOSE_MS).unref();
    killAllRunning();
    await Promise.allSettled([connection.close(), sessionManager.closeAll()]);
    process.exit(0);
  };
  process.stdin.once('end', end).once('close', end);
  process.stdout.on('error', end);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
  process.on('unhandledRejection', (reason) => log(`unhandled: ${messageOf(reason)}`));
}
