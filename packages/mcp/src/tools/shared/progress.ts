/** Reports progress to a waiting agent: the elapsed seconds and the last line of output. */

import type { CallContext } from './tool.ts';

/** The interval between progress messages. */
const PROGRESS_MS = 1_000;

/** Silence of this length is reported, because a hang looks like work otherwise. */
const SILENT_MS = 300_000;

/** A progress message is one line on a screen. */
const PROGRESS_CHARACTERS = 120;

/** Cuts an endless line before redaction. Enough characters stay to recognize a secret in the visible part. */
const LINE_CHARACTERS = 2_000;

/** Runs `work`, which passes each new line of output to its argument. `shown` redacts a line before it is sent. */
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
