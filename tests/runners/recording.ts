/**
 * A recording in `recordings/` contains the output and the report files of a test runner that Argus ran. Folders are
 * replaced by placeholders and times by fixed values, so that a new recording of the same runner has the same text.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Execution } from '../../packages/mcp/src/run/execute.ts';
import { REPORTERS_FOLDER } from '../../packages/mcp/src/run/reporters.ts';
import { nodePrograms, pythonFolder } from '../e2e/setup.mjs';

export type Chunk = [stream: 'stdout' | 'stderr', text: string];

/** A command that was run. */
export interface RecordedRun {
  /** The command, including the options that Argus added. */
  command: string;
  exitCode: number | null;
  /** Chunks of output in the order in which they arrived. */
  output: Chunk[];
  /** Contents of the report files by path. */
  reports: Record<string, string>;
}

export interface Recording {
  runner: string;
  /** The line that the runner's version command printed. */
  version: string;
  runs: RecordedRun[];
  /** Output of commands that ran without Argus, for runners whose output Argus must not change. */
  alone?: Chunk[][];
}

const RECORDINGS_FOLDER = fileURLToPath(new URL('./recordings', import.meta.url));
const REPOSITORY_ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');

/** Advice for error messages about a recording. */
export const RECORD_AGAIN_ADVICE = 'Run: npm run record-runners';

/** Returns undefined if there is no recording with this name. */
export function readRecording(name: string): Recording | undefined {
  const file = recordingPath(name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export function writeRecording(name: string, recording: Recording): void {
  const file = recordingPath(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(recording, undefined, 1)}\n`);
}

export function listRecordingNames(): string[] {
  return readdirSync(RECORDINGS_FOLDER).map((file) => path.basename(file, '.json'));
}

function recordingPath(name: string): string {
  return path.join(RECORDINGS_FOLDER, `${name}.json`);
}

/** The folders of a run. */
export interface RunFolders {
  root: string;
  /** The temporary folder in which the command should write reports, if it should write any. */
  reports?: string | undefined;
}

/**
 * Folders that differ between machines, with their placeholders. Longer paths come first, because some paths contain
 * others.
 */
export class FolderPlaceholders {
  readonly #placeholders: [placeholder: string, folder: string][];

  constructor({ root, reports }: RunFolders) {
    this.#placeholders = [
      ['@ROOT@', root],
      ['@REPORTERS@', REPORTERS_FOLDER],
      ['@MODULES@', path.dirname(nodePrograms)],
      ['@PYTHON@', pythonFolder],
      ['@ARGUS@', REPOSITORY_ROOT],
      ['@NODE@', process.execPath],
      // Maven writes this path into its reports.
      ['@KERNEL@', release()],
    ];
    if (reports !== undefined) this.#placeholders.push(['@REPORTS@', reports]);
    this.#placeholders.sort(([, one], [, other]) => other.length - one.length);
  }

  hide(text: string): string {
    return this.#placeholders.reduce((hidden, [placeholder, folder]) => hidden.replaceAll(folder, placeholder), text);
  }

  restore(text: string): string {
    return this.#placeholders.reduce((found, [placeholder, folder]) => found.replaceAll(placeholder, folder), text);
  }
}

/** Matches reports that a runner writes into the project, in the places where Argus looks for them. */
const PROJECT_REPORT_PATH = /(?:^|\/)(?:target\/(?:surefire|failsafe)-reports|build\/test-results)\/.*\.xml$/u;

/** Matches files that Argus itself writes into the report folder, from the output of the command. */
const ARGUS_REPORT_NAME = /^(?:go-test\.json|tape\.tap|printed-.*)$/u;

/** A file time before any run, in seconds since the epoch. */
const OLD_TIME_SECONDS = 1_700_000_000;

/** Makes reports older than the next run, which can start in the clock tick in which a previous run wrote them. */
export function makeOld(files: Iterable<string>): void {
  for (const file of files) if (existsSync(file)) utimesSync(file, OLD_TIME_SECONDS, OLD_TIME_SECONDS);
}

/** Returns the paths of the reports that runners wrote into a project. */
export function findProjectReports(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => PROJECT_REPORT_PATH.test(name))
    .map((name) => path.join(root, name));
}

/** Returns the contents of the report files that a command has written, by path. Earlier ones must have been made old. */
export function readReports({ root, reports }: RunFolders, env: Execution['env']): Record<string, string> {
  const isReport = (name: string) =>
    /\.(?:json|xml|tap)$/u.test(name) &&
    !ARGUS_REPORT_NAME.test(name) &&
    (name !== 'tap.tap' || env.TAP_OUTPUT_FILE !== undefined);
  const written =
    reports === undefined
      ? []
      : readdirSync(reports)
          .filter(isReport)
          .map((name) => path.join(reports, name));
  const files = [...written, ...findProjectReports(root)].filter(
    (file) => statSync(file).mtimeMs > OLD_TIME_SECONDS * 1000,
  );
  return Object.fromEntries(files.sort().map((file) => [file, removeJavaProperties(readFileSync(file, 'utf8'))]));
}

/** Removes the Java properties and the schema address, which Maven writes into its reports. */
function removeJavaProperties(report: string): string {
  return report
    .replace(/<properties>\s*<property name="(?:java|sun)\.[\s\S]*?<\/properties>/u, '')
    .replaceAll(/ xsi:noNamespaceSchemaLocation="[^"]*"/gu, '');
}

/**
 * Converts the texts of a run to their recorded form: folders become placeholders, and numbers that vary become the
 * same numbers each time.
 */
export class RecordingForm {
  readonly #folders: FolderPlaceholders;
  /** Names of report files contain the ids of the processes that write them. */
  readonly #pids: Map<string, string>;

  constructor(place: RunFolders, reports: Record<string, string> = {}) {
    this.#folders = new FolderPlaceholders(place);
    const pids = Object.keys(reports).map((file) => /(?<=-)\d+/u.exec(path.basename(file))?.[0]);
    this.#pids = new Map(
      [...new Set(pids)].flatMap((pid, at) => (pid === undefined ? [] : [[`-${pid}`, `-${at + 1}`]])),
    );
  }

  of(text: string): string {
    const named = [...this.#pids].reduce(
      (told, [pid, number]) => told.replaceAll(pid, number),
      this.#folders.hide(text),
    );
    return normalizeVaryingValues(named);
  }
}

const DURATION_PATTERN =
  /(?<=\\[nt]|(?<![\w.-]))\d+(?:\.\d+)?(?:e-\d+)?(?=\s?(?:[mµn]s|milliseconds?|seconds?|secs?|s)\b)/gu;

/**
 * Replaces times, process ids, ports and memory sizes by fixed values, and sorts progress dots, because all of these
 * differ from run to run.
 */
function normalizeVaryingValues(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/gu, '2000-01-01T00:00:00Z')
    .replaceAll(DURATION_PATTERN, '1')
    .replaceAll(/(?<=\b1 ?)(?:ns|µs|ms)\b/gu, 'ms')
    .replaceAll(/(?<=duration_ms:? )[\d.]+/gu, '1')
    .replaceAll(/\b\d\d:\d\d(?::\d\d|\.\d+)/gu, '00:00:00')
    .replaceAll(/[\d.]+(?= (?:runs|assertions|tests)\/s)/gu, '1')
    .replaceAll(/[\d.]+(?= MB)/gu, '1')
    .replaceAll(/(?<=localhost:)\d+/gu, '1')
    .replaceAll(/(?<=\(node:)\d+(?=\))/gu, '1')
    .replaceAll(/(?<=thread (?:'[^']+'|&apos;\S+&apos;) \()\d+(?=\))/gu, '1')
    .replaceAll(/0x[0-9a-f]+/gu, '0x1')
    .replaceAll(/(?<=goroutine )\d+/gu, '1')
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu,
      '00000000-0000-4000-8000-000000000000',
    )
    .replaceAll(/(?<=-)[0-9a-f]{16}\b/gu, '0123456789abcdef')
    .replaceAll(/(?<=[sS]eed[:= ]{1,2})\d+/gu, '1')
    .replaceAll(/^[.FS]{2,}$/gmu, (dots) => [...dots].sort().join(''))
    .replaceAll(/ +(?=\(?1 ?m?s\b)/gu, ' ')
    .replaceAll(/"(duration|runtime|elapsed|Elapsed|time)":\s*[\d.e-]+/gu, '"$1":1')
    .replaceAll(/\b1[0-9]{12}(?:\.\d+)?\b/gu, '1000000000000')
    .replaceAll(/ (time|duration)="[\d.,e-]+"/gu, ' $1="1"')
    .replaceAll(/ timestamp="[^"]*"/gu, ' timestamp="2000-01-01T00:00:00"')
    .replaceAll(/ hostname="[^"]*"/gu, ' hostname="localhost"');
}

/** Joins consecutive chunks of the same stream. */
export function joinChunks(chunks: readonly Chunk[]): Chunk[] {
  const whole: Chunk[] = [];
  for (const [stream, text] of chunks) {
    const last = whole.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else if (text !== '') whole.push([stream, text]);
  }
  return whole;
}

export function streamText(chunks: readonly Chunk[], stream: 'stdout' | 'stderr'): string {
  return chunks.flatMap(([from, text]) => (from === stream ? [text] : [])).join('');
}

/**
 * Returns the first lines in which two recordings differ, ignoring the order of lines. Returns nothing if they are
 * equal.
 */
export function findDifferences(recorded: Recording, fresh: Recording): string[] {
  const [before, now] = [comparableLines(recorded), comparableLines(fresh)];
  const gone = findMissingLines(now, before).map((line) => `- ${line}`);
  const added = findMissingLines(before, now).map((line) => `+ ${line}`);
  return [...gone.slice(0, MAX_DIFFERENT_LINES), ...added.slice(0, MAX_DIFFERENT_LINES)];
}

const MAX_DIFFERENT_LINES = 15;

/** Returns the lines without their order, because tests that run concurrently end in any order. */
function comparableLines({ runs, alone = [] }: Recording): string[] {
  const printed = (chunks: readonly Chunk[]) =>
    [streamText(chunks, 'stdout'), streamText(chunks, 'stderr')].flatMap((text) => toComparableText(text).split('\n'));
  const told = runs.flatMap(({ command, exitCode, output, reports }) => [
    `command: ${command}`,
    `exit code: ${exitCode}`,
    ...printed(output),
    ...Object.entries(reports).flatMap(([name, text]) => [`report: ${name}`, ...splitReportLines(text)]),
  ]);
  return [...told, ...alone.flatMap(printed)];
}

/**
 * Removes everything that differs between two runs of the same tests: times in brackets, which some runners print only
 * for slow tests; units and minutes of other times; the order of progress dots; numbers of failures, which follow that
 * order; ids.
 */
export function toComparableText(text: string): string {
  return (
    removeErasedLines(text)
      .replaceAll(/ +\(1 ?m?s\)/gu, '')
      .replaceAll(/\b(?:\d+ ?m(?:in)? )?1 ?m?s\b/gu, '1s')
      .replaceAll(', estimated 1s', '')
      // Packages that runners depend on can have plugins, whose versions are not fixed.
      .replaceAll(/^plugins: .*$/gmu, 'plugins: 1')
      .replaceAll(/^[.FS*]{2,}$/gmu, (dots) => [...dots].sort().join(''))
      .replaceAll(/^\d+\) /gmu, '1) ')
      .replaceAll(/(?<=session-id=)[\w-]+/gu, '1')
  );
}

/** Matches control sequences of a terminal. */
const [ERASE_LINE, LINE_UP, LINE_START, SHOW_CURSOR] = ['\u001b[2K', '\u001b[1A', '\u001b[G', '\u001b[?25h'];

/** Removes lines that were erased again, because how often a runner draws its progress depends on time. */
function removeErasedLines(text: string): string {
  let shown = '';
  for (const frame of text.replaceAll(SHOW_CURSOR, '').split(LINE_START)) {
    const linesAbove = frame.split(LINE_UP).length - 1;
    shown += frame.replaceAll(ERASE_LINE, '').replaceAll(LINE_UP, '');
    if (linesAbove > 0)
      shown = `${shown
        .split('\n')
        .slice(0, -linesAbove - 1)
        .join('\n')}\n`;
  }
  return shown;
}

function splitReportLines(text: string): string[] {
  if (!text.startsWith('{')) return toComparableText(text).replaceAll('><', '>\n<').split('\n');
  const lines = toComparableText(JSON.stringify(JSON.parse(text), undefined, 1)).split('\n');
  return lines.map((line) => line.replace(/,$/u, ''));
}

function findMissingLines(lines: readonly string[], wanted: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of lines) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  return wanted.filter((line) => {
    const count = left.get(line.trim()) ?? 0;
    left.set(line.trim(), count - 1);
    return count <= 0;
  });
}
