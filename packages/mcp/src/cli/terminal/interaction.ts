/** A progress bar, and a question to the person at the terminal. */

import { createInterface } from 'node:readline/promises';
import { io } from '../../system/io.ts';

export interface Progress {
  advance(bytes: number): void;
  stop(): void;
}

const NO_PROGRESS: Progress = { advance: () => {}, stop: () => {} };

/** Starts a progress bar for a known total. The verb describes what the program is doing. */
export async function startProgress(total: number | undefined, verb = 'importing'): Promise<Progress> {
  if (!io().stderr.isTTY || total === undefined || total === 0) return NO_PROGRESS;
  // cli-progress is CommonJS: in a bundle, `import()` returns only a default export.
  const { default: cliProgress } = await import('cli-progress');
  const format = `${verb} {bar} {percentage}% {eta_formatted} left`;
  const bar = new cliProgress.SingleBar(
    { format, stream: io().stderr, hideCursor: true, clearOnComplete: true },
    cliProgress.Presets.shades_grey,
  );
  bar.start(total, 0);
  return { advance: (bytes) => bar.increment(bytes), stop: () => bar.stop() };
}

/** Asks the person at the terminal. Every answer except yes means no. */
export async function askForConsent(question: string): Promise<boolean> {
  const terminal = createInterface({ input: io().stdin, output: io().stdout });
  try {
    return /^y(?:es)?$/iu.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
