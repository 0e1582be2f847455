/**
 * Collects the cases of a command that the caller runs, from its reports and its output. The caller runs the command
 * unchanged, so the listener only changes the environment. `plan.ts` changes commands. Also finds the reports that a
 * command wrote.
 */

import { readdirSync, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LIMITS, type RecordRunParams, type ReportInput } from 'argus-engine';
import type { Config } from '../../config/schema.ts';
import { stat } from '../../system/files/path-safety.ts';
import { findReadProblem, readTextOrEmpty } from '../../system/files/read.ts';
import { createTemporaryFolder } from '../../system/files/temporary.ts';
import { io } from '../../system/io.ts';
import type { ReportSource } from '../adapters/adapter.ts';
import { createListeningPlan } from '../planning/plan.ts';
import { findRejection, removeAdditions } from '../reporters.ts';
import { PrintedReports } from './printed-reports.ts';

/** The collected cases. The report files exist until the listener is closed. */
export interface CollectedReports {
  reports: ReportInput[];
  runner: string | null;
  /** Packages whose tests all passed, if their runner does not name the tests. */
  passedPackages: readonly string[];
  /** True if the reports name only failures. */
  omitsPassed: boolean;
}

export class ReportListener {
  /** The command to run. */
  readonly command: string;
  /** Additions to the environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly #root: string;
  readonly #folder = createTemporaryFolder('run');
  readonly #sources: readonly ReportSource[];
  readonly #printed: PrintedReports;
  readonly #isConfigured: boolean;

  constructor({ root, config, command }: { root: string; config: Config; command: string }) {
    const dir = this.#folder.path;
    const configuredReports = config.test?.report;
    const plan =
      configuredReports === undefined
        ? createListeningPlan({ root, dir, env: io().env, command })
        : { command, reporting: { reports: createGlobSources(configuredReports) } };
    const { reporting } = plan;
    this.command = plan.command;
    for (const [name, content] of Object.entries(reporting.files ?? {})) writeFileSync(path.join(dir, name), content);
    this.#root = root;
    this.#isConfigured = configuredReports !== undefined;
    this.#sources = reporting.reports;
    this.#printed = new PrintedReports(dir, root);
    this.env = reporting.env ?? {};
  }

  /**
   * Accepts the output of the command, with stdout and stderr combined. Returns the output as it would be without the
   * listener.
   */
  add(text: string): string {
    this.#printed.add(text, 'stdout');
    return removeAdditions(text, { addedArguments: [], dir: this.#folder.path });
  }

  /** Call it once, after the command has ended. */
  async collectReports(startedAtMs: number): Promise<CollectedReports> {
    const written = await findReports(this.#sources, this.#root, createAgeCheck(startedAtMs));
    const reports = written.length > 0 || this.#isConfigured ? written : this.#printed.end();
    return {
      reports,
      runner: determineRunner(this.#sources, reports),
      passedPackages: this.#printed.passedPackages,
      omitsPassed: this.#printed.omitsPassed,
    };
  }

  /** Returns the line in which a failed command without reports rejected the additions. */
  findRejection(text: string): string | undefined {
    return findRejection(text, { addedArguments: [], dir: this.#folder.path });
  }

  close(): void {
    this.#folder.remove();
  }
}

/** Reports that could not be read, each with the reason. */
export type UnreadReports = NonNullable<RecordRunParams['unread']>;

/**
 * Tolerance, because the modification time of a file can be a clock tick before the start of the command. A tick takes
 * 4 to 10 ms on Linux, and 16 ms on Windows.
 */
const CLOCK_TICK_MS = 20;

/** Folders that are not searched for reports. */
const IGNORED_FOLDERS = ['**/node_modules/**', '**/.git/**'];

/** Returns a function that checks that a report is not older than the start of the run. */
export function createAgeCheck(startedAtMs: number): (file: string, stats: Stats) => boolean {
  return (_, { mtimeMs }) => mtimeMs >= startedAtMs - CLOCK_TICK_MS;
}

export function createGlobSources(patterns: string | string[]): ReportSource[] {
  return [patterns].flat().map((pattern) => ({ kind: 'glob', pattern, format: null }));
}

/**
 * Finds reports that are not empty. Files that match a pattern may be from an earlier run. Reports that must not be
 * read, for example a link out of the project, are added to `unread`.
 */
export async function findReports(
  sources: readonly ReportSource[],
  root: string,
  isFromThisRun: (file: string, stats: Stats) => boolean,
  unread: UnreadReports = [],
): Promise<ReportInput[]> {
  const found: ReportInput[] = [];
  for (const source of sources) {
    if (source.kind === 'file') {
      if (statNonEmptyFile(source.path)) found.push({ path: source.path, format: source.format });
      continue;
    }
    if (source.kind === 'written') {
      const names = readdirSync(source.dir).filter((name) => isWrittenBy(source.runner, name));
      const files = names.sort().map((name) => path.join(source.dir, name));
      for (const file of files.filter(statNonEmptyFile)) found.push({ path: file, format: source.format });
      continue;
    }
    const { glob } = await import('tinyglobby');
    // Links are not followed, because a link to the root of the file system would be searched too.
    const walkOptions = { expandDirectories: false, followSymbolicLinks: false };
    const options = { cwd: root, absolute: true, ignore: IGNORED_FOLDERS, dot: true, ...walkOptions };
    for (const file of (await glob(source.pattern, options)).sort()) {
      const stats = statNonEmptyFile(file);
      if (!stats || !isFromThisRun(file, stats)) continue;
      const problem = findReadProblem(file, { maxBytes: LIMITS.MAX_REPORT_BYTES, links: { within: root } });
      if (problem === undefined) found.push({ path: file, format: source.format });
      else unread.push({ at: path.relative(root, file), reason: problem });
    }
  }
  return found;
}

/**
 * Returns an entry for each process that started its tests and left an empty report, because the process ended early.
 */
export function findEmptyReports(sources: readonly ReportSource[]): UnreadReports {
  return sources.flatMap((source) => {
    if (source.kind !== 'written') return [];
    const names = readdirSync(source.dir).filter((name) => isWrittenBy(source.runner, name));
    const empty = names.filter((name) => !statNonEmptyFile(path.join(source.dir, name)));
    return empty.map(() => ({ at: source.runner, reason: ENDED_EARLY_REASON }));
  });
}

const ENDED_EARLY_REASON =
  'its process ended before it reported its tests, for example because a test ended the process';

/** Returns the notes that reporters wrote, each of them once. */
export function readReporterNotes(dir: string): string[] {
  const names = readdirSync(dir).filter((name) => name.startsWith('note-'));
  const lines = names.sort().flatMap((name) => readTextOrEmpty(path.join(dir, name)).split('\n'));
  return [...new Set(lines.filter((line) => line !== ''))];
}

/**
 * Report files start with the runner. A dash replaces the colon of `node:test`, because some systems do not allow a
 * colon.
 */
function isWrittenBy(runner: string, fileName: string): boolean {
  return fileName.startsWith(`${runner.replace(':', '-')}-`);
}

function statNonEmptyFile(file: string) {
  const stats = stat(file);
  return stats?.isFile() && stats.size > 0 ? stats : undefined;
}

/**
 * Returns the runner that the command started: the recognized runner, unless that runner should have written a report
 * and only another runner did. For example, `rake test` may run Minitest or test-unit.
 */
export function determineRunner(
  sources: readonly ReportSource[],
  reports: readonly ReportInput[],
  recognized: string | null = null,
): string | null {
  const runners = sources.flatMap((source) => (source.kind === 'written' ? [source.runner] : []));
  const runnersWithReport = runners.filter((runner) =>
    reports.some(({ path: file }) => isWrittenBy(runner, path.basename(file))),
  );
  const isConfirmed = recognized !== null && (!runners.includes(recognized) || runnersWithReport.includes(recognized));
  return isConfirmed ? recognized : (runnersWithReport[0] ?? recognized);
}
