#!/usr/bin/env node
/**
 * Entry of the `argus-mcp` and `argus` commands: without arguments the MCP server, else the command line.
 * Does not: load lazily what a server needs. The bundler wraps every module behind an `import()` in a function, with all
 * that it imports, and V8 reads such a function twice; so only what a server does without stands behind one.
 */

import * as commands from './cli/commands.ts';
import { serve } from './serve.ts';

if (process.argv.length <= 2) {
  serve();
} else {
  const { main } = await import('./cli/main.ts');
  await main(process.argv, commands);
}
