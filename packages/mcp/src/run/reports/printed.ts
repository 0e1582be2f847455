/**
 * Reads cases from the console output of commands whose runner wrote no report: TAP, `cargo test` behind scripts, unittest,
 * `go test -json`, and the failures that pytest, Jest, Vitest and Go print. If there is a report, the output is not
 * counted, because it contains the same tests.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ReportInput } from 'argus-engine';
import { projectFile } from '../../system/files/project-file.ts';
import { cargoPackageName, LibtestReport } from './libtest.ts';
import { PrintedFailures } from './printed-failures.ts';
import { PrintedTap } from './printed-tap.ts';
import { PrintedUnittest } from './printed-unittest.ts';
import { UncaughtErrors } from './uncaught-errors.ts';

/** Accepts the output in chunks. */
export class PrintedReports {
  readonly #dir: string;
  readonly #tap: PrintedTap;
  readonly #libtest: LibtestReport;
  readonly #unittest = new PrintedUnittest();
  readonly #failures = new PrintedFailures();
  readonly #goEvents = new GoEvents();
  readonly #lines = { stdout: new Lines(), stderr: new Lines() };
  /** True if the reports name only failures. It is set at the end of the output. */
  omitsPassed = false;
  readonly #uncaught = { stdout: new UncaughtErrors(), stderr: new UncaughtErrors() };

  /** Writes reports to the folder `dir` for a command that runs in the project at `root`. */
  constructor(dir: string, root: string) {
    this.#dir = dir;
    this.#tap = new PrintedTap(dir);
    this.#libtest = new LibtestReport(cargoPackageAt(root), (file) => projectFile(root, file));
  }

  add(piece: string, stream: 'stdout' | 'stderr'): void {
    this.#libtest.add(piece, stream);
    for (const line of this.#lines[stream].add(piece)) this.#line(line, stream);
  }

  /** Uncaught errors of Node in the output so far. */
  uncaughtErrors(): string[] {
    return [...this.#uncaught.stdout.comments(), ...this.#uncaught.stderr.comments()];
  }

  /** Packages of Go whose tests all passed, without the names of the tests. */
  get passedPackages(): readonly string[] {
    return this.#failures.passedPackages;
  }

  end(): ReportInput[] {
    for (const stream of ['stdout', 'stderr'] as const) this.#line(this.#lines[stream].end(), stream);
    const reports: ReportInput[] = this.#tap.end().map((file) => ({ path: file, format: 'tap' }));
    const others = { libtest: this.#libtest.end(), unittest: this.#unittest.end() };
    for (const [name, report] of Object.entries(others)) {
      if (report === null) continue;
      const file = path.join(this.#dir, `printed-${name}.json`);
      writeFileSync(file, report);
      reports.push({ path: file, format: 'ctrf' });
    }
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

  #line(text: string, stream: 'stdout' | 'stderr'): void {
    const line = stripVTControlCharacters(text).replace(/\r$/u, '');
    if (stream === 'stdout') this.#tap.line(line);
    this.#unittest.line(line);
    this.#failures.line(line);
    this.#goEvents.line(line);
    this.#uncaught[stream].line(line.trimEnd());
  }
}

/** The events of a command that calls `go test -json` itself. */
class GoEvents {
  text = '';

  line(line: string): void {
    const isEvent =
      /^\{"(?:Time|Action|ImportPath)":.*"Action":"/u.test(line) && /"(?:Package|ImportPath)":"/u.test(line);
    if (isEvent && this.text.length < MAX_EVENTS_CHARACTERS) this.text += `${line}\n`;
  }
}

const MAX_EVENTS_CHARACTERS = 32 * 1024 * 1024;

/** Maximum length of a line. The rest of a longer line is dropped. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** Splits chunks into lines. */
class Lines {
  #rest = '';

  add(piece: string): string[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS);
    return lines;
  }

  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest;
  }
}

/** The package at the root of the project, whose name is part of the test names. */
function cargoPackageAt(root: string): string | undefined {
  return cargoPackageName(projectFile(root, 'Cargo.toml') ?? '');
}
