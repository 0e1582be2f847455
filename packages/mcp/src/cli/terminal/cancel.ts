/**
 * Signals that tell a command to stop: once politely, twice at once.
 */

import { killAllRunning } from '../../run/execute.ts';

/** Aborted by the first signal; the second ends this process with the given code. */
export function cancelledBySignals(exitCode: number): AbortSignal {
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      cancel.abort();
      process.once(signal, () => {
        killAllRunning();
        process.exit(exitCode);
      });
    });
  }
  return cancel.signal;
}
