/**
 * A recording in `recordings/` holds the output and the report files of a test runner that Argus ran. It has placeholders
 * for folders and fixed values for times, so that a new recording of the same runner has the same text.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Execution } from '../../packages/mcp/src/run/execute.ts';
import { REPORTERS } from '../../packages/mcp/src/run/reporters.ts';
import { nodePrograms, pythonFolder } from '../e2e/setup.mjs';

export type Chunk = [stream: 'stdout' | 'stderr', text: string];

/** A command that ran. */
export interface Recorded {
  /** Includes the options that Argus added. */
  command: string;
  exitCode: number | null;
  /** In the order in which it arrived. */
  output: Chunk[];
  /** Contents of the report files by their paths. */
  reports: Record<string, string>;
}

export interface Recording {
  runner: string;
  /** The line that the runner's version command printed. */
  version: string;
  runs: Recorded[];
  /** Output of commands that ran without Argus, for runners whose output Argus must not change. */
  alone?: Chunk[][];
}

const FOLDER = fileURLToPath(new URL('./recordings', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');

/** Advice for messages about a recording. */
export const RECORD_AGAIN = 'Run: npm run record-runners';

/** Returns undefined for an unknown name. */
export function readRecording(name: string): Recording | undefined {
  const file = fileOf(name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export function writeRecording(name: string, recording: Recording): void {
  const file = fileOf(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(recording, undefined, 1)}\n`);
}

export function recordingNames(): string[] {
  return readdirSync(FOLDER).map((file) => path.basename(file, '.json'));
}

function fileOf(name: string): string {
  return path.join(FOLDER, `${name}.json`);
}

/** The folders of a run. */
export interface Place {
  root: string;
  /** The temporary folder for reports, where the command is to write some. */
  reports?: string | undefined;
}

/** Folders that differ between machines and their placeholders; longer paths first, because some contain others. */
export class Folders {
  readonly #placeholders: [placeholder: string, folder: string][];

  constructor({ root, reports }: Place) {
    this.#placeholders = [
      ['@ROOT@', root],
      ['@REPORTERS@', REPORTERS],
      ['@MODULES@', path.dirname(nodePrograms)],
      ['@PYTHON@', pythonFolder],
      ['@ARGUS@', REPOSITORY],
      ['@NODE@', process.execPath],
      // Maven writes it into its reports.
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

/** Reports that a runner writes into the project, as Argus looks for them. */
const IN_PROJECT = /(?:^|\/)(?:target\/(?:surefire|failsafe)-reports|build\/test-results)\/.*\.xml$/u;

/** Files that Argus itself writes into the report folder, from the output of the command. */
const PRINTED = /^(?:go-test\.json|tape\.tap|printed-.*)$/u;

/** Contents of the report files that a command left, by their paths. */
export function reportsOf({ root, reports }: Place, env: Execution['env'], sinceMs: number): Record<string, string> {
  const isReport = (name: string) =>
    /\.(?:json|xml|tap)$/u.test(name) &&
    !PRINTED.test(name) &&
    (name !== 'tap.tap' || env.TAP_OUTPUT_FILE !== undefined);
  const written =
    reports === undefined
      ? []
      : readdirSync(reports)
          .filter(isReport)
          .map((name) => path.join(reports, name));
  const inProject = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => IN_PROJECT.test(name))
    .map((name) => path.join(root, name));
  const files = [...written, ...inProject].filter((file) => statSync(file).mtimeMs >= sinceMs - CLOCK_TICK_MS);
  return Object.fromEntries(files.sort().map((file) => [file, withoutJava(readFileSync(file, 'utf8'))]));
}

/** The clock of files may be behind. */
const CLOCK_TICK_MS = 50;

/** Removes the properties of the Java machine and the address of the schema, which Maven writes into its reports. */
function withoutJava(report: string): string {
  return report
    .replace(/<properties>\s*<property name="sun\.[\s\S]*?<\/properties>/u, '')
    .replaceAll(/ xsi:noNamespaceSchemaLocation="[^"]*"/gu, '');
}

/** The recorded form of texts of one run: placeholders for folders, and the same numbers each time. */
export class Hiding {
  readonly #folders: Folders;
  /** Report files are named after the processes that write them. */
  readonly #pids: Map<string, string>;

  constructor(place: Place, reports: Record<string, string> = {}) {
    this.#folders = new Folders(place);
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
    return settled(named);
  }
}

const DURATION = /(?<=\\[nt]|(?<![\w.-]))\d+(?:\.\d+)?(?:e-\d+)?(?=\s?(?:[mµn]s|milliseconds?|seconds?|secs?|s)\b)/gu;

/** Gives fixed values to times, process ids, ports and memory sizes, and sorts progress dots, because they differ from run to run. */
function settled(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/gu, '2000-01-01T00:00:00Z')
    .replaceAll(DURATION, '1')
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

/** Joins neighboring chunks of the same stream. */
export function joined(chunks: readonly Chunk[]): Chunk[] {
  const whole: Chunk[] = [];
  for (const [stream, text] of chunks) {
    const last = whole.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else if (text !== '') whole.push([stream, text]);
  }
  return whole;
}

export function textOf(chunks: readonly Chunk[], stream: 'stdout' | 'stderr'): string {
  return chunks.flatMap(([from, text]) => (from === stream ? [text] : [])).join('');
}

/** Returns the first lines in which two recordings differ, ignoring the order of lines; empty when they are equal. */
export function difference(recorded: Recording, fresh: Recording): string[] {
  const [before, now] = [linesOf(recorded), linesOf(fresh)];
  const gone = missingFrom(now, before).map((line) => `- ${line}`);
  const added = missingFrom(before, now).map((line) => `+ ${line}`);
  return [...gone.slice(0, MAX_LINES), ...added.slice(0, MAX_LINES)];
}

const MAX_LINES = 15;

/** Lines without their order, because tests that run side by side end in any order. */
function linesOf({ runs, alone = [] }: Recording): string[] {
  const printed = (chunks: readonly Chunk[]) =>
    [textOf(chunks, 'stdout'), textOf(chunks, 'stderr')].flatMap((text) => comparable(text).split('\n'));
  const told = runs.flatMap(({ command, exitCode, output, reports }) => [
    `command: ${command}`,
    `exit code: ${exitCode}`,
    ...printed(output),
    ...Object.entries(reports).flatMap(([name, text]) => [`report: ${name}`, ...linesOfReport(text)]),
  ]);
  return [...told, ...alone.flatMap(printed)];
}

/**
 * Removes what differs between two runs of the same tests: times in brackets, which some runners print for slow tests only;
 * units and minutes of other times; the order of progress dots; numbers of failures, which follow that order; ids.
 */
export function comparable(text: string): string {
  return shownInTheEnd(text)
    .replaceAll(/ +\(1 ?m?s\)/gu, '')
    .replaceAll(/\b(?:\d+ ?m(?:in)? )?1 ?m?s\b/gu, '1s')
    .replaceAll(', estimated 1s', '')
    .replaceAll(/^[.FS*]{2,}$/gmu, (dots) => [...dots].sort().join(''))
    .replaceAll(/^\d+\) /gmu, '1) ')
    .replaceAll(/(?<=session-id=)[\w-]+/gu, '1');
}

/** Codes of a terminal. */
const [ERASE_LINE, LINE_UP, LINE_START, SHOW_CURSOR] = ['\u001b[2K', '\u001b[1A', '\u001b[G', '\u001b[?25h'];

/** Removes lines that were erased again, because a runner draws its progress as often as there is time for. */
function shownInTheEnd(text: string): string {
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

function linesOfReport(text: string): string[] {
  if (!text.startsWith('{')) return comparable(text).replaceAll('><', '>\n<').split('\n');
  const lines = comparable(JSON.stringify(JSON.parse(text), undefined, 1)).split('\n');
  return lines.map((line) => line.replace(/,$/u, ''));
}

function missingFrom(lines: readonly string[], wanted: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of lines) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  return wanted.filter((line) => {
    const count = left.get(line.trim()) ?? 0;
    left.set(line.trim(), count - 1);
    return count <= 0;
  });
}
