/** argus_init: opens a project. Creates no files in it. */

import path from 'node:path';
import { LOCALES } from 'argus-engine';
import { findUnusedMemories } from '../owner/project.ts';
import { findCommandProblem } from '../run/advice/runner-check.ts';
import { recognizeRunnerName } from '../run/planning/plan.ts';
import { getInstalledPrograms } from '../run/planning/test-command.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { isStorageProblem } from '../storage/database.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/answer-size.ts';
import { warnings } from './shared/schemas.ts';
import { type AnswerOf, type Arguments, defineTool, type Output } from './shared/tool.ts';

/**
 * `new`: nothing is recorded yet. `foreign`: the project contains another user's memory. `none`: there is no place for
 * a memory.
 */
const MEMORY_STATES = ['own', 'new', 'foreign', 'none'] as const;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: z.string().min(1).describe('Absolute path of the project directory, or of any folder inside'),
    configFile: z.string().min(1).optional().describe('Default: argus.yaml in the project, if it exists'),
  });

const output = {
  calls: ['overview'],
  omits: [],
  adds: (z: Zod) => ({
    projectName: z.string(),
    configPath: z.string().nullable(),
    historyEnabled: z.boolean(),
    databasePath: z.string(),
    memory: z.enum(MEMORY_STATES).describe('Owner of the memory; warnings explain a foreign memory'),
    memoryRoot: z.string().describe('Root of the repository whose folders and work trees share this memory'),
    team: z
      .object({ project: z.string(), url: z.string() })
      .optional()
      .describe('Team server with the memory of this repository'),
    locale: z.enum(LOCALES),
    testCommand: z.string().nullable().describe('If null, pass command to argus_run'),
    runner: z.string().nullable(),
    ...warnings(z),
  }),
} as const satisfies Output;

type InitResult = AnswerOf<typeof output>;

export async function handleInit(
  params: Arguments<typeof input>,
  sessionManager: Pick<SessionManager, 'init'>,
): Promise<InitResult> {
  const session = await sessionManager.init(params.projectPath, params.configFile);
  const memory = await findMemoryState(session);
  const { root, command: testCommand = null } = session.testPlace;
  const problem = testCommand === null ? undefined : findCommandProblem(testCommand, root, getInstalledPrograms());
  const { warnings = [], ...overview } = await readKnownData(session);
  const unusedMemories = findUnusedMemories(session.project).map(
    (file) => `${file} is not used: the folders of a repository share one memory, in ${session.databasePath}.`,
  );
  const allWarnings = [
    ...warnings,
    ...(problem === undefined ? [] : [problem]),
    ...unusedMemories,
    ...formatTeamProposal(session),
  ];
  return {
    projectName: path.basename(session.root),
    configPath: session.loaded.path,
    historyEnabled: session.historyEnabled,
    databasePath: session.databasePath,
    memory,
    memoryRoot: session.project.home,
    ...describeTeam(session),
    locale: session.locale,
    testCommand,
    runner: testCommand === null ? null : recognizeRunnerName(testCommand, root),
    ...overview,
    ...(allWarnings.length > 0 ? { warnings: allWarnings } : {}),
  };
}

function describeTeam({ team, historyEnabled }: Session): Pick<InitResult, 'team'> {
  return team === undefined || !historyEnabled ? {} : { team: { project: team.project, url: team.url } };
}

/** Returns a warning if the repository proposes a team that the user has not joined. */
function formatTeamProposal({ team, config }: Session): string[] {
  if (config.team === undefined || config.team.url === team?.url) return [];
  const { url, project } = config.team;
  const effect = team === undefined ? 'Nothing is sent' : `Runs are sent to ${team.url}`;
  const command = `argus team join ${url}${project === undefined ? '' : ` --as ${project}`}`;
  return [`The configuration proposes the team's server ${url}. ${effect} until a person calls: ${command}`];
}

async function findMemoryState(session: Session): Promise<InitResult['memory']> {
  if (!session.historyEnabled) return 'none';
  try {
    const { foreign, memoryId } = await session.findMemoryLocation();
    if (foreign !== undefined) return 'foreign';
    return memoryId === undefined ? 'new' : 'own';
  } catch (thrown) {
    if (isStorageProblem(thrown)) return 'none';
    throw thrown;
  }
}

async function readKnownData(
  session: Session,
): Promise<Pick<InitResult, 'knownPatterns' | 'latestRunId' | 'warnings'>> {
  if (!session.historyEnabled) return { knownPatterns: 0, latestRunId: null };
  const { value, warnings } = await session.readOverview();
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

export const initTool = defineTool({
  name: 'argus_init',
  title: 'Open a project',
  description:
    'Use when you begin to work in a project: opens it in Argus, the memory of test failures. Call it once before the other tools.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleInit,
  fit: (answer) => (answer.warnings === undefined ? answer : { ...answer, warnings: fitRemarks(answer.warnings) }),
});
