/** How a command ends: its exit code, and the signals that stop it. */

import { killRunningCommands } from '../../run/execute.ts';
import { io } from '../../system/io.ts';

/** Exit codes, which --help documents. */
export const EXIT_CODES = { done: 0, failures: 1, error: 2 } as const;

/**
 * Returns a signal that aborts at the first SIGINT, SIGTERM or SIGHUP. The second one exits this process with the given
 * code.
 */
export function abortOnSignals(exitCode: number): AbortSignal {
  const cancel = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    io().onceSignal(signal, () => {
      cancel.abort();
      io().onceSignal(signal, () => {
        killRunningCommands();
        io().exit(exitCode);
      });
    });
  }
  return cancel.signal;
}

/** Resolves when the operating system asks the command to end. */
export function waitForEndSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) io().onceSignal(signal, () => resolve());
  });
}
