/**
 * `argus` without arguments at a terminal: shows what this project has recorded and what to do next. It creates nothing
 * and runs nothing.
 */

import path from 'node:path';
import { runInEnvelope } from '../answer.ts';
import { formatOverview, type Overview } from '../format/project.ts';
import { hasCommits } from '../git/history.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { io } from '../system/io.ts';
import { sanitizeDeep } from '../text/sanitize.ts';
import { handleHistory } from '../tools/history.ts';
import { handleInit } from '../tools/init.ts';
import { handlePatterns } from '../tools/patterns.ts';
import { handleTests } from '../tools/tests.ts';
import { AGENT_NAMES, AGENTS, isAgentDetected } from './install/agents.ts';
import { getThisMachine, isArgusConfigured } from './install/config-locations.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { getTerminalRecorder, printEnvelope } from './terminal/output.ts';

/** Maximum number of tests that are listed because they are failing or flaky. */
const MAX_LISTED_TESTS = 3;

export async function printOverview(): Promise<void> {
  const sessionManager = new SessionManager({ recorder: getTerminalRecorder(), adoptsForeign: false });
  const envelope = await runInEnvelope(async () => sanitizeDeep(await collectOverview(io().cwd(), sessionManager)));
  await sessionManager.closeAll();
  printEnvelope(envelope, false, formatOverview);
  io().exitCode = envelope.success ? EXIT_CODES.done : EXIT_CODES.error;
}

async function collectOverview(projectPath: string, sessionManager: SessionManager): Promise<Overview> {
  const { projectName, memoryRoot, testCommand, runner, memory, latestRunId, warnings } = await handleInit(
    { projectPath },
    sessionManager,
  );
  const hasRuns = memory !== 'none' && latestRunId !== null;
  const history = hasRuns ? await handleHistory({ projectPath, limit: 1 }, sessionManager) : undefined;
  const { learnedCount } = hasRuns
    ? await handlePatterns({ projectPath, source: 'learned', sortBy: 'occurrences', limit: 1 }, sessionManager)
    : { learnedCount: 0 };
  const tests = hasRuns ? await handleTests({ projectPath, limit: MAX_LISTED_TESTS }, sessionManager) : undefined;
  const agents = AGENT_NAMES.filter(
    (name) => isArgusConfigured(name, projectPath) || isAgentDetected(name, projectPath, getThisMachine()),
  );
  const configuredAgents = agents.filter((name) => isArgusConfigured(name, projectPath));
  return {
    project: { name: projectName, root: path.resolve(memoryRoot), testCommand, runner },
    memory,
    hasHistory: memory === 'new' && (await hasCommits(memoryRoot)),
    learnedPatterns: learnedCount,
    runs: history !== undefined && 'runs' in history ? { total: history.total, newest: history.runs[0] ?? null } : null,
    unwell:
      tests !== undefined && 'tests' in tests
        ? tests.tests.filter(({ state }) => state !== 'healthy').map(({ caseName, state }) => ({ caseName, state }))
        : [],
    agents: {
      using: configuredAgents.map((name) => AGENTS[name].title),
      without: agents.filter((name) => !configuredAgents.includes(name)).map((name) => AGENTS[name].title),
    },
    warnings: warnings ?? [],
  };
}
