/**
 * Tells a waiting agent that work goes on: the seconds so far and the last line printed.
 */

import type { CallContext } from './tool.ts';

/** How often a waiting agent hears that the run goes on. */
const PROGRESS_MS = 1_000;

/** Without a line for so long, that is said: a hang looks like work. */
const SILENT_MS = 300_000;

/** A progress message is one line on a screen. */
const PROGRESS_CHARACTERS = 120;

/** Enough of an endless line that what is shown of it can be made fit to show. */
const LINE_CHARACTERS = 2_000;

/** Runs the work with a function that takes the newest line, which is somebody's output: `shown` is what goes out. */
export async function withProgress<T>(
  { progress }: Pick<CallContext, 'progress'>,
  work: (onLine: (line: string) => void) => Promise<T>,
  shown: (line: string) => string,
): Promise<T> {
  const started = performance.now();
  let lastLine = '';
  let lastLineAt = started;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    const silent = performance.now() - lastLineAt;
    const silence = silent < SILENT_MS ? '' : `nothing printed for ${Math.floor(silent / 60_000)} min  `;
    const line = shown(lastLine.slice(0, LINE_CHARACTERS)).slice(0, PROGRESS_CHARACTERS).toWellFormed();
    progress(seconds, `${seconds} s  ${silence}${line}`.trim());
  }, PROGRESS_MS);
  try {
    return await work((line) => {
      lastLine = line;
      lastLineAt = performance.now();
    });
  } finally {
    clearInterval(timer);
  }
}
