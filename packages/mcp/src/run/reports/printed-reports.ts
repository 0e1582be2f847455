/**
 * Reads cases from the console output of commands whose runner wrote no report: TAP, `cargo test` behind scripts,
 * unittest, `go test -json`, and the failures that pytest, Jest, Vitest and Go print. If a runner wrote a report, the
 * output is not used, because it contains the same tests.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { RecordRunParams, ReportInput } from 'argus-engine';
import { readProjectFile } from '../../system/files/project-file.ts';
import { LibtestReport, parseCargoPackageName } from './libtest.ts';
import { PrintedFailures } from './printed-failures.ts';
import { PrintedTap, UncaughtErrorCollector } from './printed-tap.ts';
import { PrintedUnittest } from './printed-unittest.ts';

/** Accepts the output in chunks. */
export class PrintedReports {
  readonly #dir: string;
  readonly #tap: PrintedTap;
  readonly #libtest: LibtestReport;
  readonly #unittest = new PrintedUnittest();
  readonly #failures = new PrintedFailures();
  readonly #goEvents = new GoEventCollector();
  readonly #lines = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  /** True if the created reports contain only failures. Set by [`end`]. */
  omitsPassed = false;
  readonly #uncaught = { stdout: new UncaughtErrorCollector(), stderr: new UncaughtErrorCollector() };

  /** Writes reports to the folder `dir` for a command that runs in the project at `root`. */
  constructor(dir: string, root: string) {
    this.#dir = dir;
    this.#tap = new PrintedTap(dir);
    this.#libtest = new LibtestReport(readCargoPackageName(root), (file) => readProjectFile(root, file));
  }

  add(piece: string, stream: 'stdout' | 'stderr'): void {
    this.#libtest.add(piece, stream);
    for (const line of this.#lines[stream].add(piece)) this.#readLine(line, stream);
  }

  /** Returns the uncaught errors of Node in the output so far. */
  getUncaughtErrors(): string[] {
    return [...this.#uncaught.stdout.getComments(), ...this.#uncaught.stderr.getComments()];
  }

  /** Packages of Go whose tests all passed. Their tests are unknown. */
  get passedPackages(): readonly string[] {
    return this.#failures.passedPackages;
  }

  end(): ReportInput[] {
    for (const stream of ['stdout', 'stderr'] as const) this.#readLine(this.#lines[stream].end(), stream);
    const reports: ReportInput[] = this.#tap.end().map((file) => ({ path: file, format: 'tap' }));
    reports.push(...this.#writeReport('libtest', this.#libtest.end()));
    reports.push(...this.#writeReport('unittest', this.#unittest.end()));
    if (reports.length > 0) return reports;
    const events = this.#goEvents.text;
    this.omitsPassed = events === '' && this.#failures.omitsPassed;
    const printed = events === '' ? this.#failures.end() : [{ name: 'go', format: 'go-test' as const, text: events }];
    return printed.map(({ name, format, text }) => {
      const file = path.join(this.#dir, `printed-${name}.json`);
      writeFileSync(file, text);
      return { path: file, format };
    });
  }

  /** Like [`end`], but only for the doctests of Rust, which nextest does not run. */
  endDoctests(): ReportInput[] {
    return this.#writeReport('libtest', this.#libtest.end({ onlyDoctests: true }));
  }

  #writeReport(name: string, report: string | null): ReportInput[] {
    if (report === null) return [];
    const file = path.join(this.#dir, `printed-${name}.json`);
    writeFileSync(file, report);
    return [{ path: file, format: 'ctrf' }];
  }

  /** Returns test binaries that ended before they reported all of their tests. Call it after [`end`]. */
  findUnreadTests(): NonNullable<RecordRunParams['unread']> {
    return this.#libtest.hasEndedEarly ? [{ at: 'cargo test', reason: LIBTEST_ENDED_EARLY_REASON }] : [];
  }

  #readLine(text: string, stream: 'stdout' | 'stderr'): void {
    const line = stripVTControlCharacters(text).replace(/\r$/u, '');
    if (stream === 'stdout') this.#tap.addLine(line);
    this.#unittest.addLine(line);
    this.#failures.addLine(line);
    this.#goEvents.addLine(line);
    this.#uncaught[stream].addLine(line.trimEnd());
  }
}

const LIBTEST_ENDED_EARLY_REASON =
  'a test binary ended before it reported all of its tests, for example because a test ended the process';

/** Collects the events of a command that calls `go test -json` itself. */
class GoEventCollector {
  text = '';

  addLine(line: string): void {
    const isEvent =
      /^\{"(?:Time|Action|ImportPath)":.*"Action":"/u.test(line) && /"(?:Package|ImportPath)":"/u.test(line);
    if (isEvent && this.text.length < MAX_EVENTS_CHARACTERS) this.text += `${line}\n`;
  }
}

const MAX_EVENTS_CHARACTERS = 32 * 1024 * 1024;

/** Maximum length of a line. The rest of a longer line is dropped. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** Splits chunks into lines. */
class LineSplitter {
  #incompleteLine = '';

  add(piece: string): string[] {
    const lines = (this.#incompleteLine + piece).split('\n');
    this.#incompleteLine = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    return lines;
  }

  end(): string {
    const rest = this.#incompleteLine;
    this.#incompleteLine = '';
    return rest;
  }
}

/** Reads the name of the package at the root of the project, which is part of the test names. */
function readCargoPackageName(root: string): string | undefined {
  return parseCargoPackageName(readProjectFile(root, 'Cargo.toml') ?? '');
}
