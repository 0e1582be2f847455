/**
 * Analyzes a failed run from its output, and from the container runtime if the output does not explain it. The rules
 * classify the error.
 */

import type { FixError, FixState } from 'argus-engine';
import { containerFacts } from '../../run/containers.ts';
import { configFor, type LoopContext } from '../loop-context.ts';
import type { AttemptResult } from './attempt.ts';

/** Categories that a container's state can explain. */
const EXPLAINED_BY_CONTAINERS = new Set(['CONNECTION_REFUSED', 'NETWORK_ERROR', 'TIMEOUT', 'HTTP_ERROR', 'UNKNOWN']);

export async function understandRun(
  loopContext: LoopContext,
  state: FixState,
  result: AttemptResult,
): Promise<FixError> {
  const { text, exitCode, timedOut, signal, startedAt, prompt } = result;
  if (prompt !== null) {
    const error = loopContext.rules.understand({ text, exit_code: 1 });
    return { ...error, waiting_for_input: true, prompt };
  }
  const failure = { text, exit_code: exitCode, timed_out: timedOut, signal };
  const error = loopContext.rules.understand(failure);
  if (!EXPLAINED_BY_CONTAINERS.has(error.category)) return error;
  const { containers } = await containerFacts(
    loopContext.session.root,
    configFor(loopContext, state.namespace),
    startedAt,
  );
  const killed = containers.find(({ oomKilled }) => oomKilled);
  const culprit = killed ?? containers.find((container) => container.exitCode);
  if (culprit === undefined) return error;
  const { status = null, oomKilled = null } = culprit;
  return loopContext.rules.understand({ ...failure, container_status: status, oom_killed: oomKilled });
}
