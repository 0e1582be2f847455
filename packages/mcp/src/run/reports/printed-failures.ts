/**
 * Reads failed tests from the console output of pytest, Jest, Vitest and Go. The created reports use the same names as
 * the runner's own report. They contain no passed tests, because the output does not name them, except for `go test
 * -v`.
 */

import { stripVTControlCharacters } from 'node:util';
import type { PrintedCounts } from 'argus-engine';

interface PrintedFailure {
  filePath?: string;
  suite: string[];
  name: string;
  status: 'failed';
  trace: string;
}

/** Accepts the lines of the output in order. */
export class PrintedFailures {
  readonly #readers = { pytest: new PrintedPytest(), jest: new PrintedJest(), vitest: new PrintedVitest() };
  readonly #go = new PrintedGo();

  addLine(line: string): void {
    for (const reader of Object.values(this.#readers)) reader.addLine(line);
    this.#go.addLine(line);
  }

  /** Packages of Go whose tests all passed. Their tests are unknown. */
  get passedPackages(): readonly string[] {
    return this.#go.passed;
  }

  /** True if a runner other than Go printed failures. The passed packages of Go are in `passedPackages`. */
  get omitsPassed(): boolean {
    return Object.values(this.#readers).some((reader) => reader.getFailures().length > 0);
  }

  /** Returns the reports, each with the name of the runner, the format and the text. */
  end(): { name: string; format: 'ctrf' | 'go-test'; text: string }[] {
    const reports = Object.entries(this.#readers).flatMap(([name, reader]) => {
      const failures = new Map(
        reader.getFailures().map((one) => [[one.filePath, ...one.suite, one.name].join('\n'), one]),
      );
      return failures.size === 0
        ? []
        : [{ name, format: 'ctrf' as const, text: createCtrfReport(name, [...failures.values()]) }];
    });
    const events = this.#go.events();
    return events.length === 0
      ? reports
      : [...reports, { name: 'go', format: 'go-test', text: `${events.join('\n')}\n` }];
  }
}

/** Collects lines up to a maximum length. */
class TextBlock {
  #text = '';

  add(line: string): void {
    if (this.#text.length < MAX_ERROR_CHARACTERS) this.#text += `${line}\n`;
  }

  get text(): string {
    return this.#text.trim();
  }
}

/**
 * pytest prints a section with a traceback for each failure. The summary below the sections has the file of each test.
 */
class PrintedPytest {
  readonly #sections = new Map<string, TextBlock>();
  readonly #failed: { id: string; message: string }[] = [];
  #section: TextBlock | undefined;

  addLine(line: string): void {
    const title = /^_{3,} (?:ERROR at \w+ of )?(.+?) _{3,}$/u.exec(line)?.[1];
    const failed = /^(?:FAILED|ERROR) (\S+\.py::.+?)(?: - (.*))?$/u.exec(line);
    if (title !== undefined) {
      this.#section = new TextBlock();
      this.#sections.set(title, this.#section);
    } else if (failed !== null) {
      this.#failed.push({ id: failed[1] ?? '', message: failed[2] ?? '' });
    } else if (/^(?:={3,} .+ ={3,}|-{3,} Captured .+ -{3,})$/u.test(line)) {
      this.#section = undefined;
    } else {
      this.#section?.add(line);
    }
  }

  getFailures(): PrintedFailure[] {
    return this.#failed.map(({ id, message }) => {
      const [filePath = '', ...names] = id.split('::');
      const trace = this.#sections.get(names.join('.'))?.text ?? message;
      return { filePath, suite: names.slice(0, -1), name: names.at(-1) ?? '', status: 'failed', trace };
    });
  }
}

/** Matches the message of a matcher, which Jest prints without the class `Error`. */
const MATCHER_MESSAGE = /^expect\(/u;
const CODE_FRAME = /^\s*(?:>?\s*\d+)? \|/u;

/** Jest prints `FAIL src/sum.test.js`, then `  ● sum › adds`, and then the error. */
class PrintedJest {
  readonly #failures: (Omit<PrintedFailure, 'trace'> & { block: TextBlock })[] = [];
  #file: string | undefined;
  #block: TextBlock | undefined;

  addLine(line: string): void {
    const file = /^(?:FAIL|PASS)\s+(?:\S+ )??(?:\.\/)?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/u.exec(line)?.[1];
    const title = /^ {2}● (.+)$/u.exec(line)?.[1];
    if (file !== undefined || /^(?:Test Suites|Snapshot Summary)\b/u.test(line)) {
      this.#file = file;
      this.#block = undefined;
    } else if (title !== undefined && this.#file !== undefined) {
      this.#block = new TextBlock();
      this.#failures.push({ ...parseJestTitle(title), filePath: this.#file, status: 'failed', block: this.#block });
    } else if (!CODE_FRAME.test(line)) {
      this.#block?.add(line.replace(/^ {4}/u, ''));
    }
  }

  getFailures(): PrintedFailure[] {
    return this.#failures.map(({ block, ...one }) => {
      const { text } = block;
      return { ...one, trace: MATCHER_MESSAGE.test(text) ? `Error: ${text}` : text };
    });
  }
}

function parseJestTitle(title: string): Pick<PrintedFailure, 'suite' | 'name'> {
  if (title === 'Test suite failed to run') return { suite: [], name: '(suite)' };
  const names = title.split(' › ');
  return { suite: names.slice(0, -1), name: names.at(-1) ?? '' };
}

/** Vitest prints ` FAIL  src/sum.test.ts > sum > adds` for each test with the same error, and then the error. */
class PrintedVitest {
  readonly #failures: (Omit<PrintedFailure, 'trace'> & { block: TextBlock })[] = [];
  #block: TextBlock | undefined;
  #followsTitle = false;

  addLine(line: string): void {
    const title = /^ FAIL {2}(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx? .+)$/u.exec(line)?.[1];
    if (title !== undefined) {
      if (!this.#followsTitle || this.#block === undefined) this.#block = new TextBlock();
      const names = title.split(' > ');
      const [filePath = ''] = names;
      const [suite, name] = [names.slice(1, -1), names.length > 1 ? (names.at(-1) ?? '') : '(suite)'];
      this.#failures.push({
        filePath: filePath.replace(/ \[ .+ \]$/u, ''),
        suite,
        name,
        status: 'failed',
        block: this.#block,
      });
    } else if (line.startsWith('⎯⎯')) {
      this.#block = undefined;
    } else if (!CODE_FRAME.test(line)) {
      this.#block?.add(line);
    }
    this.#followsTitle = title !== undefined;
  }

  getFailures(): PrintedFailure[] {
    return this.#failures.map(({ block, ...one }) => ({ ...one, trace: block.text }));
  }
}

interface PrintedGoTest {
  action: string;
  output: TextBlock;
}

/** Matches `ok  \texample.com/shop\t0.005s` and `FAIL\texample.com/shop [build failed]`. */
const GO_PACKAGE_RESULT = /^(FAIL|ok {2})\t(\S+)(?:\t(?:[\d.]+s|\(cached\))| \[(?:build|setup) failed\])/u;

/**
 * Go prints `--- FAIL: TestSum (0.00s)` with the output of the test. The line of the package follows all of its tests.
 */
class PrintedGo {
  readonly passed: string[] = [];
  readonly #events: string[] = [];
  #tests = new Map<string, PrintedGoTest>();
  #running: PrintedGoTest | undefined;

  addLine(line: string): void {
    const endedTest = /^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/u.exec(line);
    const startedTest = /^=== (?:RUN|CONT|NAME)\s+(\S+)$/u.exec(line)?.[1];
    const packageResult = GO_PACKAGE_RESULT.exec(line);
    if (startedTest !== undefined) {
      this.#running = this.#getTest(startedTest);
    } else if (endedTest !== null) {
      const [, result = '', test = ''] = endedTest;
      this.#running = this.#getTest(test);
      this.#running.action = result.toLowerCase();
    } else if (packageResult !== null) {
      this.#endPackage(packageResult[2] ?? '', packageResult[1] === 'FAIL');
      if (packageResult[1] !== 'FAIL' && !line.endsWith('[no tests to run]')) this.passed.push(packageResult[2] ?? '');
    } else if (line !== 'FAIL' && line !== 'PASS') {
      this.#running?.output.add(line);
    }
  }

  /** Returns the events in the format of `go test -json`. */
  events(): string[] {
    return this.#events;
  }

  #getTest(name: string): PrintedGoTest {
    const test = this.#tests.get(name) ?? { action: 'output', output: new TextBlock() };
    this.#tests.set(name, test);
    return test;
  }

  #endPackage(name: string, hasFailed: boolean): void {
    const endedTests = [...this.#tests].filter(([, { action }]) => action !== 'output');
    this.#tests = new Map();
    this.#running = undefined;
    if (endedTests.length === 0 && !hasFailed) return;
    for (const [test, { action, output }] of endedTests) {
      const event = { Package: name, Test: test };
      this.#addEvent({ ...event, Action: 'run' });
      if (output.text !== '') this.#addEvent({ ...event, Action: 'output', Output: `${output.text}\n` });
      this.#addEvent({ ...event, Action: action, Elapsed: 0 });
    }
    this.#addEvent({ Package: name, Action: hasFailed ? 'fail' : 'pass', Elapsed: 0 });
  }

  #addEvent(event: object): void {
    this.#events.push(JSON.stringify(event));
  }
}

/** Maximum length of the error of a test in a report that is created from printed output. */
export const MAX_ERROR_CHARACTERS = 64 * 1024;

/** Returns a report in the Common Test Report Format. */
export function createCtrfReport(tool: string, tests: readonly object[]): string {
  return JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: tool }, summary: {}, tests },
  });
}

/*
 * Finds the summary line of failed tests of a command with exit code 0. For example, the exit code of `go test ./... |
 * tail -1` is that of `tail`, and a report may belong to another program of the pipe.
 */

/** Number of last lines that may contain the summary. Elsewhere, other programs may print the same words. */
const MAX_SUMMARY_LINES = 15;

const FAILED_SUMMARIES: Readonly<Record<string, RegExp>> = {
  go: /^FAIL(?:\t\S+(?:\t[\d.]+s| \[(?:build|setup) failed\]))?$/u,
  cargo: /^test result: FAILED\. \d+ passed; |^error: (?:\d+ targets? failed|(?:doc)?test failed, to rerun pass)/u,
  pytest: /^(?:=+ )?(?:.*, )?[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s/u,
  unittest: /^FAILED \((?:failures|errors)=[1-9]/u,
  jest: /^Tests: +(?:\d+ \w+, )*[1-9]\d* failed, /u,
  vitest: /^ +Tests {2}[1-9]\d* failed(?: \||$| \()/u,
  mocha: /^ {2}[1-9]\d* failing$/u,
  node: /^[#ℹ] fail [1-9]/u,
  rspec: /^\d+ examples?, [1-9]\d* failures?/u,
  phpunit: /^(?:FAILURES|ERRORS)!$/u,
  maven: /^\[(?:INFO|ERROR)\] BUILD FAILURE$/u,
  gradle: /^BUILD FAILED in /u,
};

/**
 * Matches the lines with counts, for runners whose reports contain all tests that these lines count. Mocha prints
 * several such lines. Errors outside of tests, which pytest counts as `errors`, are not counted.
 */
const COUNT_LINES: Readonly<Record<string, RegExp>> = {
  jest: /^Tests: +\d.* total$/u,
  vitest: /^ +Tests {2}\d.* \(\d+\)$/u,
  mocha: /^ {2}\d+ (?:passing|pending|failing)\b/u,
  pytest: /^(?:=+ )?(?:.*, )?\d+ (?:passed|failed|skipped)\b.* in [\d.]+s/u,
};

const COUNT = /\b(\d+) (?:(failed|failing)|passed|passing|skipped|pending|todo)\b/gu;

/** pytest counts a failed subtest as another failed test, but its report does not contain subtests. */
const FAILED_SUBTEST = /\bSUBFAIL|\bfailed subtests?\b/u;

/**
 * Returns the counts of the last summary in the output of a runner. Null if there is no summary, or if the runner is
 * not in COUNT_LINES.
 */
export function parsePrintedCounts(output: string, runner: string | null): PrintedCounts | null {
  const pattern = COUNT_LINES[runner ?? ''];
  if (pattern === undefined || FAILED_SUBTEST.test(output)) return null;
  const lines = stripVTControlCharacters(output).split(/\r?\n/u);
  const last = lines.findLastIndex((line) => pattern.test(line));
  if (last < 0) return null;
  const first = lines.findLastIndex((line, index) => index < last && !pattern.test(line)) + 1;
  const summary = lines
    .slice(first, last + 1)
    .map((line) => line.replaceAll(/^[ =]+|[ =]+$/gu, ''))
    .join(', ');
  const counts = [...summary.matchAll(COUNT)].map(([, count, failed]) => ({ count: Number(count), failed }));
  const sumCounts = (entries: typeof counts) => entries.reduce((total, { count }) => total + count, 0);
  return { summary, tests: sumCounts(counts), failed: sumCounts(counts.filter(({ failed }) => failed !== undefined)) };
}

/** Returns the summary line of failed tests, or undefined. */
export function findFailedSummary(output: string): string | undefined {
  const lines = stripVTControlCharacters(output).trimEnd().split(/\r?\n/u).slice(-MAX_SUMMARY_LINES);
  return lines.find((line) => Object.values(FAILED_SUMMARIES).some((pattern) => pattern.test(line)));
}
