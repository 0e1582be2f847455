/**
 * `argus` without arguments at a terminal: shows what this project has and what to do next. It creates nothing and runs
 * nothing.
 */

import path from 'node:path';
import { enveloped } from '../answer.ts';
import { formatOverview, type Overview } from '../format/project/overview-text.ts';
import { runGit } from '../git/git.ts';
import { SessionManager } from '../sessions/session-manager.ts';
import { io } from '../system/io.ts';
import { fitToLeaveDeep } from '../text/outgoing.ts';
import { handleHistory } from '../tools/history.ts';
import { handleInit } from '../tools/init.ts';
import { handlePatterns } from '../tools/patterns.ts';
import { handleTests } from '../tools/tests.ts';
import { AGENT_NAMES, AGENTS, isFound } from './install/agents.ts';
import { thisMachine, usesArgus } from './install/places.ts';
import { terminal } from './recorder.ts';
import { EXIT } from './terminal/exit.ts';
import { print } from './terminal/output.ts';

/** Limit for the names of tests that are not healthy. */
const MAX_NAMES = 3;

export async function overview(): Promise<void> {
  const sessionManager = new SessionManager({ recorder: terminal(), adopts: false });
  const envelope = await enveloped(async () => fitToLeaveDeep(await overviewOf(io().cwd(), sessionManager)));
  await sessionManager.closeAll();
  print(envelope, false, formatOverview);
  io().exitCode = envelope.success ? EXIT.done : EXIT.error;
}

async function overviewOf(projectPath: string, sessionManager: SessionManager): Promise<Overview> {
  const { projectName, memoryRoot, testCommand, runner, memory, latestRunId, warnings } = await handleInit(
    { projectPath },
    sessionManager,
  );
  const isUsed = memory !== 'none' && latestRunId !== null;
  const history = isUsed ? await handleHistory({ projectPath, limit: 1 }, sessionManager) : undefined;
  const { learnedCount } = isUsed
    ? await handlePatterns({ projectPath, source: 'learned', sortBy: 'occurrences', limit: 1 }, sessionManager)
    : { learnedCount: 0 };
  const tests = isUsed ? await handleTests({ projectPath, limit: MAX_NAMES }, sessionManager) : undefined;
  const agents = AGENT_NAMES.filter(
    (name) => usesArgus(name, projectPath) || isFound(name, projectPath, thisMachine()),
  );
  const using = agents.filter((name) => usesArgus(name, projectPath));
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
      using: using.map((name) => AGENTS[name].title),
      without: agents.filter((name) => !using.includes(name)).map((name) => AGENTS[name].title),
    },
    warnings: warnings ?? [],
  };
}

async function hasCommits(root: string): Promise<boolean> {
  const { problem, stdout } = await runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    maxBytes: 256,
  });
  return problem === null && stdout.trim() !== '';
}
