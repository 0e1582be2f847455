#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, else the command line. What a start
 * does without stands behind an `import()`, and so in a file of its own.
 */

import { keepCompiledCode } from './system/code-cache.ts';
import { tuneWasmCompiler } from './system/wasm-compiler.ts';

await keepCompiledCode();
tuneWasmCompiler(process.argv[2]);
if (process.argv.length <= 2) {
  const { serve } = await import('./server/serve.ts');
  serve();
} else if (process.argv[2] === 'hook' && !process.argv.some((arg) => arg === '--help' || arg === '-h')) {
  // An agent waits for it after each of its commands.
  const { hook } = await import('./hook/hook.ts');
  await hook(process.argv.slice(3));
} else {
  const { main } = await import('./cli/main.ts');
  await main(process.argv);
}
