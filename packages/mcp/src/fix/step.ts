/**
 * A step of a loop that an agent advances: declares a fix, waits for the backoff, and runs the command at most once.
 */

import { formatMissingAnswers } from './attempt/command-input.ts';
import type { DeclaredFix, Loop } from './loop.ts';
import type { LoopWatcher } from './loop-context.ts';

const LOOP_OVER_MESSAGE = 'The loop is over, and its last run succeeded. Call fix_problem to start a new loop.';

/**
 * Returns why nothing ran, or null if something ran. `verified` describes how the agent verified a fix that no command
 * can verify.
 */
export async function runStep(
  loop: Loop,
  watcher: LoopWatcher,
  fix?: DeclaredFix,
  verified?: string,
): Promise<string | null> {
  if (fix !== undefined && (loop.decision.type === 'apply_fix' || isDescribed(fix))) {
    const decision = await loop.declareFix(fix);
    if (decision.type === 'refused') return decision.reason;
  }
  if (loop.decision.type === 'provide_inputs') {
    const problem = await loop.answerPrompt(watcher.signal);
    if (problem !== null) return problem;
  }
  if (loop.decision.type === 'wait') await loop.wait(watcher);
  if (verified !== undefined && loop.state.status === 'unverified') {
    const decision = await loop.confirmFix(verified);
    return decision.type === 'refused' ? decision.reason : null;
  }
  const runsVerification = loop.state.status === 'unverified' && loop.state.test !== null;
  if (loop.decision.type === 'done') return LOOP_OVER_MESSAGE;
  if (loop.decision.type !== 'run' && !runsVerification) return loop.decision.reason;
  const input = await loop.resolveInput(watcher.signal);
  if (input.missing.length > 0) return formatMissingAnswers(input);
  const decision = await loop.runAttempt(watcher, input);
  return decision.type === 'refused' ? decision.reason : null;
}

/**
 * True if the fix has a description. A fix without a description is declared only if the rules ask for a fix, because
 * an error may also disappear by itself.
 */
function isDescribed({ description, outside }: DeclaredFix): boolean {
  return (description ?? '').trim() !== '' || outside !== null;
}
