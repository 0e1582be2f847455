/**
 * fix_attempt: records the changes since the last attempt, waits if a delay is due, and runs again. It compares the
 * work tree to see whether anything changed, instead of trusting the caller.
 */

import { FIX_APPROACHES } from 'argus-engine';
import type { Loop } from '../fix/loop.ts';
import type { LoopContext, Watcher } from '../fix/loop-context.ts';
import type { SessionManager } from '../sessions/session-manager.ts';
import type { Zod } from '../system/zod.ts';
import {
  answerOf,
  type FixAnswer,
  loop as loopId,
  output,
  placeAt,
  projectPath,
  watched,
} from './shared/fix-schemas.ts';
import { type Arguments, type CallContext, defineTool } from './shared/tool.ts';

const input = (z: Zod) =>
  z.strictObject({
    projectPath: projectPath(z),
    loop: loopId(z).describe('From fix_problem'),
    fix: z.string().optional().describe('What you changed, in a line or two'),
    outside: z.string().optional().describe("A change outside the project's files: a service started, a setting"),
    approach: z.enum(FIX_APPROACHES).optional(),
    research: z.string().optional().describe('What your research found, under headings or as it is'),
    sources: z.array(z.string()).optional().describe('Addresses your research found'),
    inputs: z.string().exactOptional().describe('Inputs file for prompts'),
    test: z.string().exactOptional().describe('Verification for a loop that has none'),
    verified: z.string().optional().describe('Where no command can: how you verified the fix'),
  });

type FixAttemptParams = Arguments<typeof input>;

async function handleFixAttempt(
  params: FixAttemptParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<FixAnswer> {
  const { Loop } = await import('../fix/loop.ts');
  const loopContext = await placeAt(params.projectPath, sessionManager);
  const loop = await Loop.reopen(loopContext, params.loop);
  try {
    return await watched(loopContext, context, (watcher) => attempted(loopContext, loop, params, watcher));
  } finally {
    loop.close();
  }
}

async function attempted(
  loopContext: LoopContext,
  loop: Loop,
  params: FixAttemptParams,
  watcher: Watcher,
): Promise<FixAnswer> {
  const { step } = await import('../fix/step.ts');
  const { projectPath, loop: id, fix, outside, approach, research, sources, verified, ...wanted } = params;
  if (research !== undefined) loop.addResearch(research);
  if (sources !== undefined && sources.length > 0) loop.addSources(sources);
  loop.adjust(wanted);
  const declared = { description: fix ?? null, outside: outside ?? null, approach };
  const refused = await step(loop, watcher, declared, verified);
  return answerOf(loopContext, loop, watcher, refused ?? undefined);
}

export const fixAttemptTool = defineTool({
  name: 'fix_attempt',
  title: 'Attempt again',
  description:
    'After your change: declare it and run again. Refused where nothing changed, the same fix was tried before, or the circuit is open. Then do what next_action says.',
  input,
  output,
  bare: true,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  handle: handleFixAttempt,
});
