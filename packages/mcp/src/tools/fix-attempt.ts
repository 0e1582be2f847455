/**
 * fix_attempt: stores the changes since the last attempt, waits if a delay is required, and runs the command again. It
 * compares the work tree to find out whether anything changed, because the caller's description may be wrong.
 */

import { FIX_APPROACHES } from 'argus-engine';
import type { Loop } from '../fix/loop.ts';
import type { LoopContext, LoopWatcher } from '../fix/loop-context.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import {
  createFixAnswer as createAnswer,
  type FixAnswer,
  loop as loopId,
  openLoopContext,
  output,
  projectPath,
  runWithProgress,
} from './shared/fix-schemas.ts';
import { type Arguments, type CallContext, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    loop: loopId(z).describe('From fix_problem'),
    fix: z.string().optional().describe('Description of your change, in a line or two'),
    outside: z.string().optional().describe("Change outside the project's files, such as a started service"),
    approach: z.enum(FIX_APPROACHES).optional(),
    research: z.string().optional().describe('Findings of your research'),
    sources: z.array(z.string()).optional().describe('URLs that your research found'),
    inputs: z.string().exactOptional().describe('Inputs file for prompts'),
    test: z.string().exactOptional().describe('Command that verifies the fix, if the loop has none'),
    verified: z.string().optional().describe('How you verified the fix, if no command can'),
  });

type FixAttemptParams = Arguments<typeof input>;

async function handleFixAttempt(
  params: FixAttemptParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const loopContext = await openLoopContext(params.projectPath, sessionManager);
  const loop = await Loop.reopen(loopContext, params.loop);
  try {
    return await runWithProgress(loopContext, context, (watcher) => attemptFix(loopContext, loop, params, watcher));
  } finally {
    loop.close();
  }
}

async function attemptFix(
  loopContext: LoopContext,
  loop: Loop,
  params: FixAttemptParams,
  watcher: LoopWatcher,
): Promise<FixAnswer> {
  const { runStep } = await import('../fix/step.ts');
  const { projectPath, loop: id, fix, outside, approach, research, sources, verified, ...settings } = params;
  if (research !== undefined) loop.addResearch(research);
  if (sources !== undefined && sources.length > 0) loop.addSources(sources);
  loop.adjust(settings);
  const declared = { description: fix ?? null, outside: outside ?? null, approach };
  const refusal = await runStep(loop, watcher, declared, verified);
  return createAnswer(loopContext, loop, watcher, refusal ?? undefined);
}

export const fixAttemptTool = defineTool({
  name: 'fix_attempt',
  title: 'Attempt again',
  description:
    'Use when you made a change in a fix loop: declares the change and runs again. Fails if nothing changed, the same fix was tried before, or the circuit is open. Then follow next_action.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleFixAttempt,
});
