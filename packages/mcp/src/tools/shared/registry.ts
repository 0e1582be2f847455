/**
 * All tools, in the order agents see them: the order of a session, of a debugging, of a fix loop. A tool that is not
 * here does not exist.
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

/** Those of the debug memory, which need no project on this machine. */
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
