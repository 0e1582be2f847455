#!/usr/bin/env node
/**
 * Entry point of the commands `argus` and `argus-mcp`. Without arguments it starts the MCP server, or prints an
 * overview if stdin and stdout are a terminal, because then no MCP client is connected. With arguments it runs the
 * command line.
 * All imports except the launcher (which has no imports) are dynamic, so that this file can catch their errors: if Node
 * cannot open more files, it exits with code 1, which must mean that tests failed.
 */

import { launchServer } from './launcher.ts';
import type { ToolProfile } from './tools/shared/registry.ts';

const isHelp = process.argv.some((arg) => arg === '--help' || arg === '-h');
const isHook = process.argv[2] === 'hook' && !isHelp;

// hook.ts installs its own handler.
if (!isHook) process.on('uncaughtException', exitWithError);
try {
  await start();
} catch (thrown) {
  exitWithError(thrown);
}

async function start(): Promise<void> {
  const [command, value] = process.argv.slice(2);
  if (command === '--profile' && (value === 'core' || value === 'full')) {
    serveProfile(value);
  } else if (isHook) {
    await configureV8();
    const { runHook } = await import('./hook/hook.ts');
    await runHook(process.argv.slice(3));
  } else if (command !== undefined) {
    await configureV8(command);
    const { main } = await import('./cli/main.ts');
    await main(process.argv);
  } else if (process.stdin.isTTY && process.stdout.isTTY) {
    await configureV8();
    const { printOverview } = await import('./cli/overview.ts');
    await printOverview();
  } else {
    serveProfile('full');
  }
}

function serveProfile(profile: ToolProfile): void {
  launchServer(`${import.meta.dirname}/start-${profile}.json`, async () => {
    await configureV8();
    const { serveStdin } = await import('./server/server.ts');
    return (...client) => serveStdin(profile, ...client);
  });
}

async function configureV8(command?: string): Promise<void> {
  const { enableCompileCache, tuneWasmCompiler } = await import('./system/v8.ts');
  enableCompileCache();
  if (!isHook) tuneWasmCompiler(command);
}

/**
 * Prints the error without importing anything, because a failed import may be the error. The hook exits with 0 because
 * it must never make the command of an agent fail.
 */
function exitWithError(thrown: unknown): never {
  if (isHook) process.exit(0);
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`argus: The program cannot continue: ${reason}\n`);
  process.exit(2);
}
