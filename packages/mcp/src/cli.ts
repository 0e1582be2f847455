#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, else the command line.
 * Does not: load what the other of the two needs; each is loaded when it is asked for.
 */

if (process.argv.length <= 2) {
  const { serve } = await import('./serve.ts');
  serve();
} else {
  const { main } = await import('./cli/main.ts');
  await main(process.argv);
}
