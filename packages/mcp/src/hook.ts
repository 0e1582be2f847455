#!/usr/bin/env node
/**
 * Entry point of the hook as a separate program, because an agent starts the hook after each of its commands and waits
 * for it. Only the code that decides whether a command matters is loaded; the engine is loaded when a failure must be
 * looked up. `argus-mcp hook` does the same.
 */

import { runHook } from './hook/hook.ts';
import { enableCompileCache } from './system/v8.ts';

enableCompileCache();
await runHook(process.argv.slice(2));
