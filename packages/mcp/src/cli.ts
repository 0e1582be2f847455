#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, else the command line.
 * Does not: read what a server's start does without. That stands behind an `import()`, and so in a file of its own.
 */

import { serve } from './serve.ts';

if (process.argv.length <= 2) {
  serve();
} else {
  const { main } = await import('./cli/main.ts');
  await main(process.argv);
}
