/**
 * All tools in the order that agents see: the tools of a session, then of debugging, then of the fix loop. A tool that
 * is not in this list is not available.
 */

import type { MemorySource } from '../../sessions/memories.ts';
import { addIncidentTool } from '../add-incident.ts';
import { addSolutionTool } from '../add-solution.ts';
import { diagnoseTool } from '../diagnose.ts';
import { fixAttemptTool } from '../fix-attempt.ts';
import { fixProblemTool } from '../fix-problem.ts';
import { fixStatusTool } from '../fix-status.ts';
import { historyTool } from '../history.ts';
import { importTool } from '../import.ts';
import { initTool } from '../init.ts';
import { patternsTool } from '../patterns.ts';
import { rankedSolutionsTool } from '../ranked-solutions.ts';
import { recordOutcomeTool } from '../record-outcome.ts';
import { reportFixTool } from '../report-fix.ts';
import { runTool } from '../run.ts';
import { testsTool } from '../tests.ts';
import type { Tool } from './tool.ts';

/** The tools of the debug memory. They need no project on this machine. */
export const MEMORY_TOOLS: readonly Tool<MemorySource>[] = [
  rankedSolutionsTool,
  recordOutcomeTool,
  addSolutionTool,
  addIncidentTool,
];

export const TOOLS: readonly Tool[] = [
  initTool,
  runTool,
  importTool,
  historyTool,
  diagnoseTool,
  reportFixTool,
  patternsTool,
  testsTool,
  ...MEMORY_TOOLS,
  fixProblemTool,
  fixAttemptTool,
  fixStatusTool,
];

/** The minimum for a session: the tools whose answers name each other. */
const CORE_TOOLS = [initTool, runTool, diagnoseTool, reportFixTool, ...MEMORY_TOOLS];

export type ToolProfile = 'full' | 'core';

/**
 * The tools of each profile. Some agents always have all tools in their context, and fewer tools then need fewer
 * tokens.
 */
export const TOOLS_BY_PROFILE: Readonly<Record<ToolProfile, readonly Tool[]>> = { full: TOOLS, core: CORE_TOOLS };
