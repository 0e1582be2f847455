/** argus_run: runs the project's tests and records the run. `run/` knows the runners. */

import { machineAdvice, thisMachine } from '../run/advice/machine.ts';
import type { GitLook } from '../run/git-state.ts';
import { takesFilter } from '../run/planning/plan.ts';
import { folderOf, nameFrom, type TestPlace } from '../run/planning/test-place.ts';
import { type RunWatcher, runTests } from '../run/run-tests.ts';
import { SourceFolders } from '../run/source-folders.ts';
import { SourceLines } from '../run/source-lines.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/budget.ts';
import type { AnswerOf, Output } from './shared/output.ts';
import { withProgress } from './shared/progress.ts';
import { notStored, projectPath } from './shared/schemas.ts';
import { type Arguments, type CallContext, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    command: z.string().min(1).optional().describe('Shell command. Default: configured or detected'),
    filter: z.string().min(1).optional().describe("Only tests with this name, in the runner's own way"),
    timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Default 1800'),
    idleTimeoutSeconds: z.int().min(1).max(86_400).optional().describe('End it after so long without output'),
  });

/** The notes contain unreadable parts of reports (`skipped`). */
const output = { calls: ['recordRun'], omits: ['skipped'], adds: notStored } as const satisfies Output;

type RunParams = Arguments<typeof input>;
export type RunToolResult = AnswerOf<typeof output>;

export async function handleRun(
  params: RunParams,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
  watcher: RunWatcher = {},
  look?: GitLook,
): Promise<RunToolResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  session.requireHistory();
  const { projectPath: _, ...asked } = params;
  const { root, command } =
    asked.command === undefined ? session.testPlace : { root: session.root, command: asked.command };
  const caseName = asked.filter && (await caseOf(asked.filter, { root, command }, session));
  const request = {
    ...asked,
    root,
    config: session.config,
    command,
    caseName,
    ...(root === session.root ? { look } : {}),
  };
  const folder = folderOf(session.project, root);
  const prepared = { ...watcher, onStart: () => session.prepare() };
  const { value, notStored, warnings } = await runTests(request, prepared, (run) =>
    session.recordRun({ ...run, folder }),
  );
  const { skipped, ...result } = value;
  const folders = new SourceFolders(session.root);
  const sources = new SourceLines(session.root, (line) => session.fitToLeave(line));
  const failures = result.failures.map((failure) => sources.added(folders.placed(failure)));
  const causes = result.causes.map((cause) => folders.placed(cause));
  const unread = skipped.map(({ at, reason }) => `Not read: ${at}: ${reason}`);
  const advice = machineAdvice(failures, thisMachine(root));
  return { ...notStored, ...result, failures, causes, notes: [...warnings, ...result.notes, ...advice, ...unread] };
}

/**
 * Finds the case that a filter means when the command takes no filter. The advice for the agent is then about the
 * case's package.
 */
async function caseOf(filter: string, { root, command }: TestPlace, session: Session): Promise<string | undefined> {
  if (command === undefined || takesFilter(command, root)) return undefined;
  // Without the memory the advice fits any package.
  const known = await session.withEngine((engine) => engine.tests({ name: filter })).catch(() => undefined);
  const names = known?.value.tests.map((one) => nameFrom(folderOf(session.project, root), one.caseName)) ?? [];
  return names.find((name) => name.endsWith(filter)) ?? names[0];
}

async function handleRunWithProgress(
  params: RunParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<RunToolResult> {
  const { signal } = context;
  const session = await sessionManager.getOrThrow(params.projectPath);
  const work = (onLine: (line: string) => void) => handleRun(params, sessionManager, { signal, onLine });
  return withProgress(context, work, (line) => session.fitToLeave(line));
}

export const runTool = defineTool({
  name: 'argus_run',
  title: 'Run tests',
  description:
    'Run the tests (or any build or lint command) and record the run. Answers the first failures of each cause with message, place, source line and what fixed it before; `causes` counts each cause with its verdict, and `sinceGreen` names what changed since the last green run.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleRunWithProgress,
  fit: (answer) => ({ ...answer, notes: fitRemarks(answer.notes) }),
});
