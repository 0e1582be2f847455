/** argus_run: runs the project's tests and stores the run. `run/` contains the support for the runners. */

import { createMachineAdvice, createMachineProbe } from '../run/advice/machine-advice.ts';
import type { PendingGitState } from '../run/git-state.ts';
import { canAddFilter } from '../run/planning/plan.ts';
import {
  getFolderInProject,
  removeFolderPrefix,
  type TestCommandLocation,
} from '../run/planning/test-command-location.ts';
import { type RunWatcher, runTests } from '../run/run-tests.ts';
import { SourceLineReader, SourcePathCompleter } from '../run/source-locations.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { fitRemarks } from './shared/answer-size.ts';
import { notStored, projectPath } from './shared/schemas.ts';
import {
  type AnswerOf,
  type Arguments,
  type CallContext,
  defineTool,
  type Output,
  withProgress,
} from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    command: z.string().min(1).optional().describe('Shell command. Default: configured or detected'),
    filter: z.string().min(1).optional().describe("Only tests with this name (the runner's filter)"),
    timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Default 1800'),
    idleTimeoutSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('End the command after this time without output'),
  });

/** Unreadable parts of reports (`skipped`) are in the notes. */
const output = {
  calls: ['recordRun'],
  omits: ['skipped'],
  adds: notStored,
  shows: { failures: ['caseName', 'message', 'place', 'known', 'mendedBefore', 'verdict'] },
} as const satisfies Output;

type RunParams = Arguments<typeof input>;
type RunToolResult = AnswerOf<typeof output>;

export async function handleRun(
  params: RunParams,
  sessionManager: Pick<SessionManager, 'getOrThrow'>,
  watcher: RunWatcher = {},
  gitState?: PendingGitState,
): Promise<RunToolResult> {
  const session = await sessionManager.getOrThrow(params.projectPath);
  session.requireHistory();
  const { projectPath: _, ...options } = params;
  const { root, command } =
    options.command === undefined ? session.testPlace : { root: session.root, command: options.command };
  const caseName = options.filter && (await findFilteredCase(options.filter, { root, command }, session));
  const request = {
    ...options,
    root,
    config: session.config,
    command,
    caseName,
    ...(root === session.root ? { gitState } : {}),
  };
  const folder = getFolderInProject(session.project, root);
  const watcherWithPrepare = { ...watcher, onStart: () => session.warmUp() };
  const { value, notStored, warnings } = await runTests(request, watcherWithPrepare, (run) =>
    session.recordRun({ ...run, folder }),
  );
  const { skipped, ...result } = value;
  const folders = new SourcePathCompleter(session.root);
  const sourceLines = new SourceLineReader(session.root, (line) => session.sanitize(line));
  const failures = result.failures.map((failure) => sourceLines.addSourceLine(folders.completePlaces(failure)));
  const causes = result.causes.map((cause) => folders.completePlaces(cause));
  const skippedNotes = skipped.map(({ at, reason }) => `Not read: ${at}: ${reason}`);
  const advice = createMachineAdvice(failures, createMachineProbe(root));
  return {
    ...notStored,
    ...result,
    failures,
    causes,
    notes: [...warnings, ...result.notes, ...advice, ...skippedNotes],
  };
}

/**
 * Finds the case that a filter means if the command supports no filter. The advice for the agent is then about the
 * package of that case.
 */
async function findFilteredCase(
  filter: string,
  { root, command }: TestCommandLocation,
  session: Session,
): Promise<string | undefined> {
  if (command === undefined || canAddFilter(command, root)) return undefined;
  // If the memory cannot be read, the advice fits any package.
  const known = await session.withEngine((engine) => engine.tests({ name: filter })).catch(() => undefined);
  const names =
    known?.value.tests.map((one) => removeFolderPrefix(getFolderInProject(session.project, root), one.caseName)) ?? [];
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
  return withProgress(context, work, (line) => session.sanitize(line));
}

export const runTool = defineTool({
  name: 'argus_run',
  title: 'Run tests',
  description:
    'Use when you want to run tests, a build or a lint command: runs it and records the run. Returns the first failures of each cause with message, place, source line and earlier fixes; `causes` counts each cause with its verdict, and `sinceGreen` lists changes since the last green run.',
  input,
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleRunWithProgress,
  fit: (answer) => ({ ...answer, notes: fitRemarks(answer.notes) }),
});
