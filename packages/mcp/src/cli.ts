#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, or at a terminal, where no client will
 * speak, an overview; else the command line. What a start does without stands behind an `import()`, and so in a file of
 * its own.
 */

import { keepCompiledCode } from './system/code-cache.ts';
import { tuneWasmCompiler } from './system/wasm-compiler.ts';

keepCompiledCode();
tuneWasmCompiler(process.argv[2]);
if (process.argv[2] === 'hook' && !process.argv.some((arg) => arg === '--help' || arg === '-h')) {
  // An agent waits for it after each of its commands.
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
