/**
 * A bar on stderr for what takes a while; nothing where nobody watches.
 */

import { io } from '../../system/io.ts';
export interface Progress {
  advance(bytes: number): void;
  stop(): void;
}

const SILENT: Progress = { advance: () => {}, stop: () => {} };

/** Of a known number of bytes; the verb says what happens to them. */
export async function startProgress(total: number | undefined, verb = 'importing'): Promise<Progress> {
  if (!io().stderr.isTTY || total === undefined || total === 0) return SILENT;
  // CommonJS: behind an `import()` of a bundle it has a default export alone.
  const { default: cliProgress } = await import('cli-progress');
  const format = `${verb} {bar} {percentage}% {eta_formatted} left`;
  const bar = new cliProgress.SingleBar(
    { format, stream: io().stderr, hideCursor: true, clearOnComplete: true },
    cliProgress.Presets.shades_grey,
  );
  bar.start(total, 0);
  return { advance: (bytes) => bar.increment(bytes), stop: () => bar.stop() };
}
