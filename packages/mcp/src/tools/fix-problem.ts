/**
 * fix_problem: begins a fix loop for a command or an error, or shows the loop that waits. `fix/start-fields.ts` has its
 * arguments, `fix/` the loop, and `crates/core/src/fix_loop` its rules.
 */

import type { Loop } from '../fix/loop.ts';
import type { LoopContext, Watcher } from '../fix/loop-context.ts';
import { startShape } from '../fix/start-input.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import { answerOf, type FixAnswer, output, placeAt, projectPath, watched } from './shared/fix-schemas.ts';
import { type Arguments, type CallContext, defineTool } from './shared/tool.ts';

const input = (z: Zod) => z.strictObject({ projectPath: projectPath(z), ...startShape(z) });

type FixProblemParams = Arguments<typeof input>;

async function handleFixProblem(
  { projectPath, ...wanted }: FixProblemParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const loopContext = await placeAt(projectPath, sessionManager);
  const loop = await Loop.start(loopContext, wanted);
  try {
    return await watched(loopContext, context, (watcher) => begun(loopContext, loop, watcher));
  } finally {
    loop.close();
  }
}

/** A command runs at once. A given error needs a fix first. */
async function begun(loopContext: LoopContext, loop: Loop, watcher: Watcher): Promise<FixAnswer> {
  const { step } = await import('../fix/step.ts');
  const refused = loop.decision.type === 'run' ? await step(loop, watcher) : null;
  return answerOf(loopContext, loop, watcher, refused ?? undefined);
}

export const fixProblemTool = defineTool({
  name: 'fix_problem',
  title: 'Fix a problem',
  description:
    'Begin a fix loop: run a command until it succeeds, or repair an error, with your fix between the attempts. It limits attempts, notices repeated errors (by type and normalized text, not the first 200 characters) and weakened tests, keeps snapshots and remembers what worked. Then do what next_action says.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleFixProblem,
});
