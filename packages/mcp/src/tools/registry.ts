/**
 * All tools, in the order agents see them: the order of a session, of a debugging, of a fix loop. A tool that is not
 * here does not exist.
 */

import type { WithMemories } from '../memory/calls.ts';
import { diagnoseTool } from './failures/diagnose.ts';
import { historyTool } from './failures/history.ts';
import { importTool } from './failures/import.ts';
import { initTool } from './failures/init.ts';
import { patternsTool } from './failures/patterns.ts';
import { reportFixTool } from './failures/report-fix.ts';
import { runTool } from './failures/run.ts';
import { testsTool } from './failures/tests.ts';
import { fixAttemptTool } from './fix-loop/fix-attempt.ts';
import { fixProblemTool } from './fix-loop/fix-problem.ts';
import { fixStatusTool } from './fix-loop/fix-status.ts';
import { addIncidentTool } from './incidents/add-incident.ts';
import { addSolutionTool } from './incidents/add-solution.ts';
import { rankedSolutionsTool } from './incidents/ranked-solutions.ts';
import { recordOutcomeTool } from './incidents/record-outcome.ts';
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
