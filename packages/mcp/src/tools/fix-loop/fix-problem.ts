/**
 * fix_problem: begins a fix loop for a command or an error, or shows the one that waits. The loop's work: `fix/`; its
 * rules: crates/core/src/fix_loop.
 */

import type { FixStart } from 'argus-engine';
import { z } from 'zod';
import type { Loop } from '../../fix/loop.ts';
import type { LoopContext, Watcher } from '../../fix/loop-context.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import { type Arguments, type CallContext, defineTool } from '../tool.ts';
import { answerOf, type FixAnswer, output, placeAt, projectPath, watched } from './fix-schemas.ts';

const input = () =>
  z.strictObject({
    projectPath: projectPath(),
    command: z.string().optional().describe('Command to run until it succeeds'),
    error: z.string().optional().describe('Or: the error as printed'),
    desired: z.string().describe('What should happen instead'),
    test: z.string().optional().describe('With error: command that verifies a fix'),
    namespace: z.string().optional().describe('Kubernetes namespace to look into'),
    auto: z.boolean().optional().describe('Answer prompts from generated inputs'),
    inputs: z.string().optional().describe('Inputs file for prompts'),
    timeout: z.number().optional().describe('Seconds per run. Default 120'),
    max_attempts: z.number().optional().describe('Default 5; with error 3'),
    backoff: z.number().optional().describe('First delay in seconds, doubled. Default 1'),
    circuit_breaker: z.number().optional().describe('Identical errors that end it. Default 3'),
    jitter: z.boolean().optional(),
    strict_progress: z.boolean().optional(),
  });

type FixProblemParams = Arguments<typeof input>;

async function handleFixProblem(
  params: FixProblemParams,
  sessionManager: SessionManager,
  context: CallContext,
): Promise<FixAnswer> {
  const { Loop } = await import('../../fix/loop.ts');
  const loopContext = await placeAt(params.projectPath, sessionManager);
  const loop = await Loop.start(loopContext, startOf(params));
  try {
    return await watched(loopContext, context, (watcher) => begun(loopContext, loop, watcher));
  } finally {
    loop.close();
  }
}

function startOf(params: FixProblemParams): FixStart {
  return {
    command: params.command ?? null,
    error: params.error ?? null,
    desired: params.desired,
    started: '',
    test: params.test ?? null,
    namespace: params.namespace ?? null,
    auto: params.auto ?? null,
    inputs: params.inputs ?? null,
    timeout_seconds: params.timeout ?? null,
    max_attempts: params.max_attempts ?? null,
    backoff_seconds: params.backoff ?? null,
    circuit_breaker: params.circuit_breaker ?? null,
    jitter: params.jitter ?? null,
    strict_progress: params.strict_progress ?? null,
  };
}

/** A command runs at once; a given error needs a fix first. */
async function begun(loopContext: LoopContext, loop: Loop, watcher: Watcher): Promise<FixAnswer> {
  const { step } = await import('../../fix/step.ts');
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
