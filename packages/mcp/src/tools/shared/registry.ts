/**
 * All tools in the order that agents see: first the tools of a session, then of debugging, then of the fix loop. A tool
 * that is not listed here is not available.
 */

import type { WithMemories } from '../../memory/calls.ts';
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

/** The tools of the debug memory, which need no project on this machine. */
export const MEMORY_TOOLS: readonly Tool<WithMemories>[] = [
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
