/** argus_init: opens a project. Creates nothing in it. */

import path from 'node:path';
import { LOCALES } from 'argus-engine';
import { unusedMemories } from '../owner/project.ts';
import { commandProblem } from '../run/advice/runner-check.ts';
import { recognisedRunner } from '../run/planning/plan.ts';
import { thisMachine } from '../run/planning/test-command.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import { isStorageProblem } from '../storage/database.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { warnings } from './shared/schemas.ts';
import { type Arguments, defineTool } from './shared/tool.ts';

/**
 * `new`: nothing is recorded yet. `foreign`: the project contains another user's memory. `none`: no place for a memory.
 */
const STANDINGS = ['own', 'new', 'foreign', 'none'] as const;

const input = (z: Zod) =>
  z.strictObject({
    projectPath: z.string().min(1).describe('Absolute path of the project directory, or of any folder inside'),
    configFile: z.string().min(1).optional().describe('Default: argus.yaml in the project, if there is one'),
  });

const output = {
  calls: ['overview'],
  omits: [],
  adds: (z: Zod) => ({
    projectName: z.string(),
    configPath: z.string().nullable(),
    historyEnabled: z.boolean(),
    databasePath: z.string(),
    memory: z.enum(STANDINGS).describe('Whose; warnings say what to do about a foreign one'),
    memoryRoot: z.string().describe('Its folders and work trees share this memory'),
    team: z
      .object({ project: z.string(), url: z.string() })
      .optional()
      .describe('It has the memory of this repository'),
    locale: z.enum(LOCALES),
    testCommand: z.string().nullable().describe('Null: give one to argus_run'),
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
  const memory = await standingOf(session);
  const { root, command: testCommand = null } = session.testPlace;
  const wrong = testCommand === null ? undefined : commandProblem(testCommand, root, thisMachine());
  const { warnings = [], ...overview } = await known(session);
  const unused = unusedMemories(session.project).map(
    (file) => `${file} is not used: the folders of a repository share one memory, in ${session.databasePath}.`,
  );
  const all = [...warnings, ...(wrong === undefined ? [] : [wrong]), ...unused, ...proposalOf(session)];
  return {
    projectName: path.basename(session.root),
    configPath: session.loaded.path,
    historyEnabled: session.historyEnabled,
    databasePath: session.databasePath,
    memory,
    memoryRoot: session.project.home,
    ...teamOf(session),
    locale: session.locale,
    testCommand,
    runner: testCommand === null ? null : recognisedRunner(testCommand, root),
    ...overview,
    ...(all.length > 0 ? { warnings: all } : {}),
  };
}

function teamOf({ team, historyEnabled }: Session): Pick<InitResult, 'team'> {
  return team === undefined || !historyEnabled ? {} : { team: { project: team.project, url: team.url } };
}

/** A team that the repository proposes and the user has not joined. */
function proposalOf({ team, config }: Session): string[] {
  if (config.team === undefined || config.team.url === team?.url) return [];
  const { url, project } = config.team;
  const now = team === undefined ? 'Nothing is sent' : `What is recorded goes to ${team.url}`;
  const command = `argus team join ${url}${project === undefined ? '' : ` --as ${project}`}`;
  return [`The configuration proposes the team's server ${url}. ${now} until a person calls: ${command}`];
}

async function standingOf(session: Session): Promise<InitResult['memory']> {
  if (!session.historyEnabled) return 'none';
  try {
    const { foreign, memoryId } = await session.placement();
    if (foreign !== undefined) return 'foreign';
    return memoryId === undefined ? 'new' : 'own';
  } catch (thrown) {
    if (isStorageProblem(thrown)) return 'none';
    throw thrown;
  }
}

async function known(session: Session): Promise<Pick<InitResult, 'knownPatterns' | 'latestRunId' | 'warnings'>> {
  if (!session.historyEnabled) return { knownPatterns: 0, latestRunId: null };
  const { value, warnings } = await session.overview();
  return { ...value, ...(warnings.length > 0 ? { warnings } : {}) };
}

export const initTool = defineTool({
  name: 'argus_init',
  title: 'Open a project',
  description: 'Open a project for Argus, the memory of test failures. Call once before the other tools.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handle: handleInit,
  fit: (answer) => (answer.warnings === undefined ? answer : { ...answer, warnings: fitRemarks(answer.warnings) }),
});
