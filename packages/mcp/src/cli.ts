#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, or at a terminal, where no client will
 * speak, an overview; else the command line. Everything is imported where its failure is caught, because Node ends with
 * code 1 where it can open no more files, and 1 says that tests failed.
 */

const isHelp = process.argv.some((arg) => arg === '--help' || arg === '-h');
const isHook = process.argv[2] === 'hook' && !isHelp;

// hook.ts installs its own handler.
if (!isHook) process.on('uncaughtException', endWith);
try {
  await start();
} catch (thrown) {
  endWith(thrown);
}

async function start(): Promise<void> {
  const { keepCompiledCode } = await import('./system/code-cache.ts');
  const { tuneWasmCompiler } = await import('./system/wasm-compiler.ts');
  keepCompiledCode();
  tuneWasmCompiler(process.argv[2]);
  if (isHook) {
    // Agents run it after each of their commands and wait for it.
    const { hook } = await import('./hook/hook.ts');
    await hook(process.argv.slice(3));
  } else if (process.argv.length > 2) {
    const { main } = await import('./cli/main.ts');
    await main(process.argv);
  } else if (process.stdin.isTTY && process.stdout.isTTY) {
    const { overview } = await import('./cli/overview.ts');
    await overview();
  } else {
    const { serve } = await import('./server/serve.ts');
    serve();
  }
}

/** Imports nothing, because a failed import is a reason to be here. A hook must never fail its agent. */
function endWith(thrown: unknown): never {
  if (isHook) process.exit(0);
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`argus: The program cannot go on: ${reason}\n`);
  process.exit(2);
}
