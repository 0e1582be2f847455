/**
 * One step of a loop that an agent drives: a declared fix, the wait that is due, and at most one run.
 */

import { missingText } from './attempt/command-input.ts';
import type { DeclaredFix, Loop } from './loop.ts';
import type { Watcher } from './loop-context.ts';

const OVER = 'The loop is over, and its last run was well; fix_problem begins a new one.';

/** Why nothing was run; null where something was. `verified`: how a fix was verified that no command verifies. */
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

/** Of an error that may pass by itself, a change need not be declared. */
function says({ description, outside }: DeclaredFix): boolean {
  return (description ?? '').trim() !== '' || outside !== null;
}
