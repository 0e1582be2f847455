/**
 * Signals that stop a command: the first signal ends it gracefully, the second signal kills it at once.
 */

import { killAllRunning } from '../../run/execute.ts';
import { io } from '../../system/io.ts';

/** Returns a signal that is aborted by the first signal. The second signal ends this process with the given code. */
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
