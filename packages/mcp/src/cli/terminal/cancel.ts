/**
 * Signals that tell a command to stop: once politely, twice at once.
 */

import { killAllRunning } from '../../run/execute.ts';
import { io } from '../../system/io.ts';

/** Aborted by the first signal; the second ends this process with the given code. */
export function cancelledBySignals(exitCode: number): AbortSignal {
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    io().onceSignal(signal, () => {
      cancel.abort();
      io().onceSignal(signal, () => {
        killAllRunning();
        io().exit(exitCode);
      });
    });
  }
  return cancel.signal;
}
