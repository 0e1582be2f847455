/**
 * A progress bar on stderr for slow work. Prints nothing if stderr is not a terminal.
 */

import { io } from '../../system/io.ts';
export interface Progress {
  advance(bytes: number): void;
  stop(): void;
}

const SILENT: Progress = { advance: () => {}, stop: () => {} };

/** Starts a bar for a known total. The verb describes the work. */
export async function startProgress(total: number | undefined, verb = 'importing'): Promise<Progress> {
  if (!io().stderr.isTTY || total === undefined || total === 0) return SILENT;
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
