/**
 * fix_problem: starts a fix loop for a command or an error, or continues the existing loop of this command.
 * `fix/start-fields.ts` has its arguments, `fix/` the loop, and `crates/core/src/fix_loop` the rules of the loop.
 */

import type { Loop } from '../fix/loop.ts';
import type { LoopContext, LoopWatcher } from '../fix/loop-context.ts';
import { createStartShape } from '../fix/start-fields.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import {
  createFixAnswer,
  type FixAnswer,
  openLoopContext,
  output,
  projectPath,
  runWithProgress,
} from './shared/fix-schemas.ts';
import { type Arguments, type CallContext, defineTool } from './shared/tool.ts';

const input = (z: Zod) => z.strictObject({ projectPath: projectPath(z), ...createStartShape(z) });

type FixProblemParams = Arguments<typeof input>;

async function handleFixProblem(
  { projectPath, ...settings }: FixProblemParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const loopContext = await openLoopContext(projectPath, sessionManager);
  const loop = await Loop.start(loopContext, settings);
  try {
    return await runWithProgress(loopContext, context, (watcher) => startLoop(loopContext, loop, watcher));
  } finally {
    loop.close();
  }
}

/** Runs a command at once. An error without a command first needs a fix. */
async function startLoop(loopContext: LoopContext, loop: Loop, watcher: LoopWatcher): Promise<FixAnswer> {
  const { runStep } = await import('../fix/step.ts');
  const refusal = loop.decision.type === 'run' ? await runStep(loop, watcher) : null;
  return createFixAnswer(loopContext, loop, watcher, refusal ?? undefined);
}

export const fixProblemTool = defineTool({
  name: 'fix_problem',
  title: 'Fix a problem',
  description:
    'Use when a command must succeed, or an error must be repaired with attempts: starts a fix loop that runs the command, with your fix between the attempts. It limits attempts, detects repeated errors (by type and normalized text, not the first 200 characters) and weakened tests, keeps snapshots and remembers successful fixes. Then follow next_action.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleFixProblem,
});
