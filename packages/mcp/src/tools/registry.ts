/**
 * All tools, in the order agents see them: the order of a session.
 * Does not: do anything else; a tool that is not here does not exist.
 */

import { diagnoseTool } from './diagnose.ts';
import { historyTool } from './history.ts';
import { importTool } from './import.ts';
import { initTool } from './init.ts';
import { patternsTool } from './patterns.ts';
import { reportFixTool } from './report-fix.ts';
import { runTool } from './run.ts';
import type { Tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  initTool,
  runTool,
  importTool,
  historyTool,
  diagnoseTool,
  reportFixTool,
  patternsTool,
];
