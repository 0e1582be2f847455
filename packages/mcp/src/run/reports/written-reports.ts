/** Finds the reports that a command wrote, and the runner that wrote them. */

import { readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { LIMITS, type RecordRunParams, type ReportInput } from 'argus-engine';
import { refusalOf } from '../../system/files/read.ts';
import { stat } from '../../system/files/way.ts';
import type { ReportSource } from '../adapters/adapter.ts';

/** Reports that could not be read, each with the reason. */
export type Unread = NonNullable<RecordRunParams['unread']>;

/** Tolerance, because the time of a file can be a clock tick before the start of the command. */
const CLOCK_TICK_MS = 50;

/** Folders that are not searched for reports. */
const NEVER_REPORTS = ['**/node_modules/**', '**/.git/**'];

/** A report of this run is not older than the start of the run. */
export function isSince(startedAtMs: number): (file: string, stats: Stats) => boolean {
  return (_, { mtimeMs }) => mtimeMs >= startedAtMs - CLOCK_TICK_MS;
}

export function globSources(patterns: string | string[]): ReportSource[] {
  return [patterns].flat().map((pattern) => ({ kind: 'glob', pattern, format: null }));
}

/**
 * Returns existing reports that are not empty. Files that match a pattern may be from an earlier run. A report that
 * must not be read, for example a link out of the project, is added to `unread`.
 */
export async function writtenReports(
  sources: readonly ReportSource[],
  root: string,
  isOfThisRun: (file: string, stats: Stats) => boolean,
  unread: Unread = [],
): Promise<ReportInput[]> {
  const found: ReportInput[] = [];
  for (const source of sources) {
    if (source.kind === 'file') {
      if (fileWithContent(source.path)) found.push({ path: source.path, format: source.format });
      continue;
    }
    if (source.kind === 'written') {
      const names = readdirSync(source.dir).filter((name) => isWrittenBy(source.runner, name));
      for (const name of names.sort()) found.push({ path: path.join(source.dir, name), format: source.format });
      continue;
    }
    const { glob } = await import('tinyglobby');
    // Links are not followed, because a link to the root of the file system would be searched too.
    const walk = { expandDirectories: false, followSymbolicLinks: false };
    const options = { cwd: root, absolute: true, ignore: NEVER_REPORTS, dot: true, ...walk };
    for (const file of (await glob(source.pattern, options)).sort()) {
      const stats = fileWithContent(file);
      if (!stats || !isOfThisRun(file, stats)) continue;
      const refusal = refusalOf(file, { maxBytes: LIMITS.MAX_REPORT_BYTES, links: { within: root } });
      if (refusal === undefined) found.push({ path: file, format: source.format });
      else unread.push({ at: path.relative(root, file), reason: refusal });
    }
  }
  return found;
}

/** File names replace the colon in `node:test`, because some systems do not allow it. */
function isWrittenBy(runner: string, fileName: string): boolean {
  return fileName.startsWith(`${runner.replace(':', '-')}-`);
}

function fileWithContent(file: string) {
  const stats = stat(file);
  return stats?.isFile() && stats.size > 0 ? stats : undefined;
}

/**
 * Returns the runner that a command actually started: the recognized runner, unless that runner should have written a
 * report and only another runner wrote a report. For example, `rake test` may run Minitest or test-unit.
 */
export function runnerThatWrote(
  sources: readonly ReportSource[],
  reports: readonly ReportInput[],
  recognised: string | null = null,
): string | null {
  const runners = sources.flatMap((source) => (source.kind === 'written' ? [source.runner] : []));
  const wrote = runners.filter((runner) => reports.some(({ path: file }) => isWrittenBy(runner, path.basename(file))));
  const isSure = recognised !== null && (!runners.includes(recognised) || wrote.includes(recognised));
  return isSure ? recognised : (wrote[0] ?? recognised);
}
