/**
 * Converts the events of `go test -json`, which implies `-v`, to the output of `go test`. crates/report reads results
 * from the same events. Packages are printed in the order in which they end, while `go test` waits for earlier
 * packages.
 */

import { GoBuilds } from './go-builds.ts';

/** The parts of the output that `go test` prints for the words of the command. */
export interface GoPrinting {
  /** Prints everything, including the start of tests: `-v`. */
  isVerbose: boolean;
  /** Prints all output of a package even if it passes, because no package is named or benchmarks are requested. */
  isWhole: boolean;
  /** Packages are named. In that case the last line states whether a package failed. */
  endsWithResult: boolean;
}

interface GoEvent {
  action: string;
  package: string;
  test: string | undefined;
  output: string;
}

/** Accepts the events in chunks and returns the text to print. */
export class GoJsonText {
  readonly #printing: GoPrinting;
  /** Packages that have not ended, oldest first. */
  readonly #packages = new Map<string, PackageText>();
  readonly #builds = new GoBuilds();
  #rest = '';
  #report = '';
  #hasEvents = false;
  #hasFailed = false;

  constructor(printing: GoPrinting) {
    this.#printing = printing;
  }

  add(piece: string): string {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => this.#line(line)).join('');
  }

  addError(piece: string): void {
    this.#builds.addError(piece);
  }

  /** `exitCode` is null if the command was ended early. */
  end(exitCode: number | null): string {
    const rest = this.#rest === '' ? '' : this.#line(this.#rest);
    this.#rest = '';
    const cut = [...this.#packages.values()].map((text) => text.cut());
    this.#packages.clear();
    const isFailed = (this.#hasFailed || this.#builds.hasFailed) && exitCode !== 0 && exitCode !== null;
    const result = isFailed && this.#printing.endsWithResult ? ['FAIL\n'] : [];
    return [rest, ...cut, ...result].join('');
  }

  /** The text to append to the report now. */
  takeReport(atEnd = false): string {
    const report = this.#report + (atEnd ? this.#builds.report(this.#hasEvents) : '');
    this.#report = '';
    return report;
  }

  #line(line: string): string {
    if (!this.#builds.take(line)) this.#report += `${line}\n`;
    const event = readEvent(line);
    return event === undefined ? `${line}\n` : this.#event(event);
  }

  #event(event: GoEvent): string {
    this.#hasEvents = true;
    const { action, package: name, test, output } = event;
    if (action === 'build-output') return output;
    const { isVerbose, isWhole } = this.#printing;
    const text = this.#packages.get(name) ?? new PackageText(isVerbose);
    this.#packages.set(name, text);
    text.add(event);
    const hasEnded = test === undefined && isEnd(action);
    if (!hasEnded) return isWhole || (isVerbose && this.#isInFront(text)) ? text.take() : '';
    this.#packages.delete(name);
    if (action === 'fail') this.#hasFailed = true;
    return action === 'fail' || isVerbose || isWhole ? text.take() : text.lastLine;
  }

  #isInFront(text: PackageText): boolean {
    return this.#packages.values().next().value === text;
  }
}

/** Lines that only `-v` prints. */
const VERBOSE_MARK = /^\s*=== (?:RUN|PAUSE|CONT|NAME)\b/u;
/** Matches `--- FAIL: TestSum (0.00s)`, which is indented for subtests. */
const RESULT_LINE = /^\s*--- (PASS|FAIL|SKIP):/u;
/** Output of `t.Log`, and its continuation lines. */
const LOG = /^ {4}[^\s:]+:\d+: /u;
const LOG_GOES_ON = /^ {8}/u;

/** The output of one test so far. */
interface TestText {
  parent: TestText | undefined;
  isParallel: boolean;
  isFailed: boolean;
  result: string;
  /** Lines of the log, and subtests. */
  parts: (string | TestText)[];
  isInLog: boolean;
}

/**
 * The output of a package. The result of a failed test is printed above its log, and both are indented by the depth
 * of the test.
 */
class PackageText {
  readonly #isVerbose: boolean;
  readonly #tests = new Map<string, TestText>();
  #text = '';
  /** The last line of the package itself. */
  lastLine = '';

  constructor(isVerbose: boolean) {
    this.#isVerbose = isVerbose;
  }

  add({ action, test, output }: GoEvent): void {
    if (test === undefined) this.lastLine = output || this.lastLine;
    if (test === undefined || this.#isVerbose) this.#text += output;
    else if (action === 'output') this.#addOutput(test, output);
    else if (action === 'pause') this.#runParallel(test);
    else if (isEnd(action)) this.#endTest(test, action === 'fail');
    else this.#testOf(test);
  }

  /** The text to print now. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /**
   * The output of unfinished tests when the command was ended. `go test` would print nothing, but the text shows what
   * hung.
   */
  cut(): string {
    for (const test of this.#tests.values()) test.isFailed = true;
    for (const [name, test] of this.#tests) if (test.parent === undefined) this.#show(name, test);
    return this.take();
  }

  #addOutput(name: string, output: string): void {
    const test = this.#testOf(name);
    const [, result] = RESULT_LINE.exec(output) ?? [];
    const isLog = LOG.test(output) || (test.isInLog && LOG_GOES_ON.test(output));
    if (result !== undefined) {
      test.result = output;
      test.isFailed = result === 'FAIL';
      if (test.isParallel) test.parent?.parts.push(test);
    } else if (isLog) {
      test.parts.push(output);
    } else if (!VERBOSE_MARK.test(output)) {
      // Output after a result is the reason why the process ended.
      const top = topOf(name);
      const first = this.#tests.get(top);
      if (first && first.result !== '') this.#show(top, first);
      this.#text += output;
    }
    test.isInLog = isLog;
  }

  #testOf(name: string): TestText {
    const known = this.#tests.get(name);
    if (known !== undefined) return known;
    const parent = this.#parentOf(name);
    const test = { parent, isParallel: false, isFailed: false, result: '', parts: [], isInLog: false };
    parent?.parts.push(test);
    this.#tests.set(name, test);
    return test;
  }

  /** The name of a subtest may contain a slash too. */
  #parentOf(name: string): TestText | undefined {
    const slash = name.lastIndexOf('/');
    return slash < 0 ? undefined : (this.#tests.get(name.slice(0, slash)) ?? this.#parentOf(name.slice(0, slash)));
  }

  /** A parallel test continues when its parent has finished, and is printed where it ends. */
  #runParallel(name: string): void {
    const test = this.#testOf(name);
    test.isParallel = true;
    if (test.parent) test.parent.parts = test.parent.parts.filter((part) => part !== test);
  }

  #endTest(name: string, isFailed: boolean): void {
    const test = this.#tests.get(name);
    if (test === undefined) return;
    test.isFailed = isFailed;
    if (test.parent === undefined) this.#show(name, test);
  }

  /** Prints a test with its subtests. */
  #show(name: string, test: TestText): void {
    this.#text += shown(test, 0);
    for (const one of this.#tests.keys()) if (topOf(one) === name) this.#tests.delete(one);
  }
}

function shown({ isFailed, result, parts }: TestText, depth: number): string {
  if (!isFailed) return '';
  const told = parts.map((part) => (typeof part === 'string' ? '    '.repeat(depth) + part : shown(part, depth + 1)));
  return result + told.join('');
}

function topOf(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

function isEnd(action: string): boolean {
  return ['pass', 'fail', 'skip'].includes(action);
}

function readEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    const action = text(parsed, 'Action');
    if (action === undefined) return undefined;
    return {
      action,
      package: text(parsed, 'Package') ?? '',
      test: text(parsed, 'Test'),
      output: text(parsed, 'Output') ?? '',
    };
  } catch {
    return undefined;
  }
}

function text(value: unknown, name: string): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : undefined;
}
