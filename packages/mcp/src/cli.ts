#!/usr/bin/env node
/**
 * Entry point of the commands `argus` and `argus-mcp`. Without arguments it starts the MCP server, or prints an
 * overview if it runs at a terminal, because no MCP client is connected there. With arguments it runs the command line.
 * All imports are dynamic so that their failures are caught: Node exits with code 1 if it cannot open more files, but 1
 * must mean that tests failed.
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
    // Agents run the hook after each of their commands and wait for it.
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

/**
 * Reports the error without an import, because a failed import may be the reason for this call. The hook exits with 0
 * because it must never fail its agent.
 */
function endWith(thrown: unknown): never {
  if (isHook) process.exit(0);
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`argus: The program cannot go on: ${reason}\n`);
  process.exit(2);
}
