/**
 * Finds the source of an error in the contract's terms. The rules classify the error itself.
 */

import type { FixError, FixState } from 'argus-engine';
import { recognisedRunner } from '../../run/planning/plan.ts';

export type ErrorSource = 'test' | 'build' | 'runtime' | 'logs' | 'k8s';

const CLUSTER_COMMAND = /(?:^|[\s;&|(])(?:kubectl|helm|kustomize|oc)\s/u;
const CLUSTER_TEXT =
  /\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|CreateContainerConfigError|FailedScheduling)\b|^Error from server\b/mu;

const BUILD_COMMAND =
  /(?:^|[\s;&|(])(?:tsc|make|ninja|cmake|webpack|rollup|esbuild|javac|gcc|g\+\+|clang|(?:cargo|go|vite|next|docker|npm run|pnpm|yarn|bun run|gradle|\.\/gradlew|dotnet)\s(?:run\s)?build|mvn\s.*\b(?:compile|package|install))\b/u;
const BUILD_TEXT =
  /\berror TS\d+|^error\[E\d{4}\]|\bCOMPILATION ERROR\b|\bFailed to compile\b|\bcould not compile\b|^\S+\.(?:c|cc|cpp|h|go|java|kt|rs|swift|cs):\d+(?::\d+)?: (?:fatal )?error\b|\bundefined reference to\b/mu;

/** A time and then a level: `2024-01-15T10:30:00Z ERROR ...`. */
const LOG_LINE = /^\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*?\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/iu;

/** The most reliable signs come first. For example, a test run that does not compile is a build error. */
export function errorSource(error: FixError, { command, mode, namespace }: FixState, root: string): ErrorSource {
  const ran = command ?? '';
  const isOfContainer = error.category === 'CONTAINER_OOM' || error.category === 'CONTAINER_CRASH';
  if (CLUSTER_COMMAND.test(ran) || CLUSTER_TEXT.test(error.text) || (namespace !== null && isOfContainer)) return 'k8s';
  if (error.failing_tests.length > 0) return 'test';
  if (BUILD_TEXT.test(error.text) || BUILD_COMMAND.test(ran)) return 'build';
  const runs = mode === 'command' ? ran : '';
  if (runs !== '' && recognisedRunner(runs, root) !== null) return 'test';
  if (error.category === 'ASSERTION_MISMATCH' || error.category === 'MOCK_MISMATCH') return 'test';
  if (mode === 'error' && isLog(error.text)) return 'logs';
  return 'runtime';
}

/** True if more than half of the lines are log lines. */
function isLog(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s/u.test(line));
  return lines.length > 0 && lines.filter((line) => LOG_LINE.test(line)).length * 2 > lines.length;
}
