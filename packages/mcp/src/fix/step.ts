/**
 * A step of a loop that an agent drives: declares a fix, waits for the backoff, and runs at most once.
 */

import { missingText } from './attempt/command-input.ts';
import type { DeclaredFix, Loop } from './loop.ts';
import type { Watcher } from './loop-context.ts';

const OVER = 'The loop is over, and its last run was well; fix_problem begins a new one.';

/**
 * Returns why nothing ran, or null if something ran. `verified` describes how a fix was verified that no command can
 * verify.
 */
export async function step(loop: Loop, watcher: Watcher, fix?: DeclaredFix, verified?: string): Promise<string | null> {
  if (fix !== undefined && (loop.decision.type === 'apply_fix' || says(fix))) {
    const decision = await loop.declareFix(fix);
    if (decision.type === 'refused') return decision.reason;
  }
  if (loop.decision.type === 'provide_inputs') {
    const problem = await loop.answerPrompt(watcher.signal);
    if (problem !== null) return problem;
  }
  if (loop.decision.type === 'wait') await loop.wait(watcher);
  if (verified !== undefined && loop.state.status === 'unverified') {
    const decision = await loop.verified(verified);
    return decision.type === 'refused' ? decision.reason : null;
  }
  const verifies = loop.state.status === 'unverified' && loop.state.test !== null;
  if (loop.decision.type === 'done') return OVER;
  if (loop.decision.type !== 'run' && !verifies) return loop.decision.reason;
  const input = await loop.input(watcher.signal);
  if (input.missing.length > 0) return missingText(input);
  const decision = await loop.runAttempt(watcher, input);
  return decision.type === 'refused' ? decision.reason : null;
}

/**
 * True if the fix has a description. A fix without one is declared only when the rules ask for a fix, because an error
 * may also disappear by itself.
 */
function says({ description, outside }: DeclaredFix): boolean {
  return (description ?? '').trim() !== '' || outside !== null;
}
