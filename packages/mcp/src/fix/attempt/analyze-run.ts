/**
 * Analyzes a failed run by its output, and by the container runtime if the output does not explain the failure. The
 * rules classify the error. This module also names the source of the error with the terms of the contract.
 */

import type { FixError, FixState } from 'argus-engine';
import { readContainerFacts } from '../../run/containers.ts';
import { recognizeRunnerName } from '../../run/planning/plan.ts';
import { type LoopContext, withNamespace } from '../loop-context.ts';
import type { AttemptResult } from './attempt.ts';

/** Categories that the state of a container can explain. */
const EXPLAINED_BY_CONTAINERS = new Set(['CONNECTION_REFUSED', 'NETWORK_ERROR', 'TIMEOUT', 'HTTP_ERROR', 'UNKNOWN']);

export async function analyzeRun(loopContext: LoopContext, state: FixState, result: AttemptResult): Promise<FixError> {
  const { text, exitCode, timedOut, signal, startedAt, prompt } = result;
  if (prompt !== null) {
    const error = loopContext.rules.understand({ text, exit_code: 1 });
    return { ...error, waiting_for_input: true, prompt };
  }
  const failure = { text, exit_code: exitCode, timed_out: timedOut, signal };
  const error = loopContext.rules.understand(failure);
  if (!EXPLAINED_BY_CONTAINERS.has(error.category)) return error;
  const { containers } = await readContainerFacts(
    loopContext.session.root,
    withNamespace(loopContext, state.namespace),
    startedAt,
  );
  const oomKilledContainer = containers.find(({ oomKilled }) => oomKilled);
  const failedContainer = oomKilledContainer ?? containers.find((container) => container.exitCode);
  if (failedContainer === undefined) return error;
  const { status = null, oomKilled = null } = failedContainer;
  return loopContext.rules.understand({ ...failure, container_status: status, oom_killed: oomKilled });
}

type ErrorSource = 'test' | 'build' | 'runtime' | 'logs' | 'k8s';

const CLUSTER_COMMAND = /(?:^|[\s;&|(])(?:kubectl|helm|kustomize|oc)\s/u;
const CLUSTER_TEXT =
  /\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|CreateContainerConfigError|FailedScheduling)\b|^Error from server\b/mu;

const BUILD_COMMAND =
  /(?:^|[\s;&|(])(?:tsc|make|ninja|cmake|webpack|rollup|esbuild|javac|gcc|g\+\+|clang|(?:cargo|go|vite|next|docker|npm run|pnpm|yarn|bun run|gradle|\.\/gradlew|dotnet)\s(?:run\s)?build|mvn\s.*\b(?:compile|package|install))\b/u;
const BUILD_TEXT =
  /\berror TS\d+|^error\[E\d{4}\]|\bCOMPILATION ERROR\b|\bFailed to compile\b|\bcould not compile\b|^\S+\.(?:c|cc|cpp|h|go|java|kt|rs|swift|cs):\d+(?::\d+)?: (?:fatal )?error\b|\bundefined reference to\b/mu;

/** Matches a log line with a time and then a level: `2024-01-15T10:30:00Z ERROR ...`. */
const LOG_LINE = /^\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*?\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/iu;

/**
 * Returns the source of an error. The most reliable signs are checked first: for example, a test run that does not
 * compile is a build error.
 */
export function detectErrorSource(error: FixError, { command, mode, namespace }: FixState, root: string): ErrorSource {
  const commandText = command ?? '';
  const isContainerFailure = error.category === 'CONTAINER_OOM' || error.category === 'CONTAINER_CRASH';
  if (CLUSTER_COMMAND.test(commandText) || CLUSTER_TEXT.test(error.text) || (namespace !== null && isContainerFailure))
    return 'k8s';
  if (error.failing_tests.length > 0) return 'test';
  if (BUILD_TEXT.test(error.text) || BUILD_COMMAND.test(commandText)) return 'build';
  const commandOfLoop = mode === 'command' ? commandText : '';
  if (commandOfLoop !== '' && recognizeRunnerName(commandOfLoop, root) !== null) return 'test';
  if (error.category === 'ASSERTION_MISMATCH' || error.category === 'MOCK_MISMATCH') return 'test';
  if (mode === 'error' && isLogOutput(error.text)) return 'logs';
  return 'runtime';
}

/** True if more than half of the lines are log lines. Indented lines do not count. */
function isLogOutput(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s/u.test(line));
  return lines.length > 0 && lines.filter((line) => LOG_LINE.test(line)).length * 2 > lines.length;
}
