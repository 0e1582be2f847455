/**
 * Converts the events of `go test -json`, which implies `-v`, to the output of `go test`. crates/report reads the
 * results from the same events. Packages are printed in the order in which they end. `go test` itself prints them in
 * the order in which they start.
 */

/** Selects the parts of the output that `go test` would print for the command. */
export interface GoOutputOptions {
  /** True for `-v`, which prints everything, including the start of tests. */
  isVerbose: boolean;
  /**
   * True if `go test` prints all output of a package even if it passes, because no package is named or benchmarks run.
   */
  printsPassedOutput: boolean;
  /** True if packages are named. In that case, the last line states whether a package failed. */
  printsFinalResult: boolean;
}

interface GoEvent {
  action: string;
  package: string;
  test: string | undefined;
  output: string;
}

/** Accepts the events in chunks and returns the text to print. */
export class GoJsonConverter {
  readonly #options: GoOutputOptions;
  /** Packages that have not ended, oldest first. */
  readonly #packages = new Map<string, PackageOutput>();
  readonly #builds = new GoBuildFailures();
  #incompleteLine = '';
  #report = '';
  #hasEvents = false;
  #hasFailed = false;

  constructor(printing: GoOutputOptions) {
    this.#options = printing;
  }

  add(piece: string): string {
    const lines = (this.#incompleteLine + piece).split('\n');
    this.#incompleteLine = lines.pop() ?? '';
    return lines.map((line) => this.#convertLine(line)).join('');
  }

  addError(piece: string): void {
    this.#builds.addError(piece);
  }

  /** `exitCode` is null if the command was ended early. */
  end(exitCode: number | null): string {
    const lastText = this.#incompleteLine === '' ? '' : this.#convertLine(this.#incompleteLine);
    this.#incompleteLine = '';
    const unfinished = [...this.#packages.values()].map((text) => text.takeUnfinished());
    this.#packages.clear();
    const isFailed = (this.#hasFailed || this.#builds.hasFailed) && exitCode !== 0 && exitCode !== null;
    const result = isFailed && this.#options.printsFinalResult ? ['FAIL\n'] : [];
    return [lastText, ...unfinished, ...result].join('');
  }

  /** The text to append to the report now. */
  takeReport(atEnd = false): string {
    const report = this.#report + (atEnd ? this.#builds.report(this.#hasEvents) : '');
    this.#report = '';
    return report;
  }

  #convertLine(line: string): string {
    if (!this.#builds.addIfBuildFailed(line)) this.#report += `${line}\n`;
    const event = parseEvent(line);
    return event === undefined ? `${line}\n` : this.#convertEvent(event);
  }

  #convertEvent(event: GoEvent): string {
    this.#hasEvents = true;
    const { action, package: name, test, output } = event;
    if (action === 'build-output') return output;
    const { isVerbose, printsPassedOutput } = this.#options;
    const text = this.#packages.get(name) ?? new PackageOutput(isVerbose);
    this.#packages.set(name, text);
    text.add(event);
    const hasEnded = test === undefined && isEndAction(action);
    if (!hasEnded) return printsPassedOutput || (isVerbose && this.#isOldest(text)) ? text.take() : '';
    this.#packages.delete(name);
    if (action === 'fail') this.#hasFailed = true;
    return action === 'fail' || isVerbose || printsPassedOutput ? text.take() : text.lastLine;
  }

  #isOldest(text: PackageOutput): boolean {
    return this.#packages.values().next().value === text;
  }
}

/** Matches lines that only `-v` prints. */
const VERBOSE_LINE = /^\s*=== (?:RUN|PAUSE|CONT|NAME)\b/u;
/** Matches `--- FAIL: TestSum (0.00s)`. The line of a subtest is indented. */
const RESULT_LINE = /^\s*--- (PASS|FAIL|SKIP):/u;
/** Matches the first line of an output of `t.Log`. LOG_CONTINUATION matches its other lines. */
const LOG_LINE = /^ {4}[^\s:]+:\d+: /u;
const LOG_CONTINUATION = /^ {8}/u;

/** The output of a test so far. */
interface TestOutput {
  parent: TestOutput | undefined;
  isParallel: boolean;
  isFailed: boolean;
  result: string;
  /** Lines of the log, and the output of subtests. */
  parts: (string | TestOutput)[];
  isInLog: boolean;
}

/**
 * The output of a package. The result of a failed test is printed above its log. Both are indented by the depth of the
 * test.
 */
class PackageOutput {
  readonly #isVerbose: boolean;
  readonly #tests = new Map<string, TestOutput>();
  #text = '';
  /** The last line that the package itself printed, such as its result. */
  lastLine = '';

  constructor(isVerbose: boolean) {
    this.#isVerbose = isVerbose;
  }

  add({ action, test, output }: GoEvent): void {
    if (test === undefined) this.lastLine = output || this.lastLine;
    if (test === undefined || this.#isVerbose) this.#text += output;
    else if (action === 'output') this.#addOutput(test, output);
    else if (action === 'pause') this.#markParallel(test);
    else if (isEndAction(action)) this.#endTest(test, action === 'fail');
    else this.#getTest(test);
  }

  /** Returns the text that can be printed now. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /**
   * Returns the output of unfinished tests if the command was ended early. `go test` would print nothing, but this text
   * shows which test hung.
   */
  takeUnfinished(): string {
    for (const test of this.#tests.values()) test.isFailed = true;
    for (const [name, test] of this.#tests) if (test.parent === undefined) this.#printTest(name, test);
    return this.take();
  }

  #addOutput(name: string, output: string): void {
    const test = this.#getTest(name);
    const [, result] = RESULT_LINE.exec(output) ?? [];
    const isLog = LOG_LINE.test(output) || (test.isInLog && LOG_CONTINUATION.test(output));
    if (result !== undefined) {
      test.result = output;
      test.isFailed = result === 'FAIL';
      if (test.isParallel) test.parent?.parts.push(test);
    } else if (isLog) {
      test.parts.push(output);
    } else if (!VERBOSE_LINE.test(output)) {
      // Output after the result of a test is the reason why the process ended.
      const top = getTopTest(name);
      const first = this.#tests.get(top);
      if (first && first.result !== '') this.#printTest(top, first);
      this.#text += output;
    }
    test.isInLog = isLog;
  }

  #getTest(name: string): TestOutput {
    const known = this.#tests.get(name);
    if (known !== undefined) return known;
    const parent = this.#findParent(name);
    const test = { parent, isParallel: false, isFailed: false, result: '', parts: [], isInLog: false };
    parent?.parts.push(test);
    this.#tests.set(name, test);
    return test;
  }

  /** Finds the innermost known parent, because the name of a subtest may also contain a slash. */
  #findParent(name: string): TestOutput | undefined {
    const slash = name.lastIndexOf('/');
    return slash < 0 ? undefined : (this.#tests.get(name.slice(0, slash)) ?? this.#findParent(name.slice(0, slash)));
  }

  /**
   * Detaches a parallel test from its parent. The test continues after its parent has finished, and is printed where it
   * ends.
   */
  #markParallel(name: string): void {
    const test = this.#getTest(name);
    test.isParallel = true;
    if (test.parent) test.parent.parts = test.parent.parts.filter((part) => part !== test);
  }

  #endTest(name: string, isFailed: boolean): void {
    const test = this.#tests.get(name);
    if (test === undefined) return;
    test.isFailed = isFailed;
    if (test.parent === undefined) this.#printTest(name, test);
  }

  /** Prints a top-level test with its subtests. */
  #printTest(name: string, test: TestOutput): void {
    this.#text += formatTest(test, 0);
    for (const one of this.#tests.keys()) if (getTopTest(one) === name) this.#tests.delete(one);
  }
}

function formatTest({ isFailed, result, parts }: TestOutput, depth: number): string {
  if (!isFailed) return '';
  const formattedParts = parts.map((part) =>
    typeof part === 'string' ? '    '.repeat(depth) + part : formatTest(part, depth + 1),
  );
  return result + formattedParts.join('');
}

function getTopTest(name: string): string {
  return name.split('/', 1)[0] ?? name;
}

function isEndAction(action: string): boolean {
  return ['pass', 'fail', 'skip'].includes(action);
}

function parseEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    const action = getText(parsed, 'Action');
    if (action === undefined) return undefined;
    return {
      action,
      package: getText(parsed, 'Package') ?? '',
      test: getText(parsed, 'Test'),
      output: getText(parsed, 'Output') ?? '',
    };
  } catch {
    return undefined;
  }
}

function getText(value: unknown, name: string): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' ? field : undefined;
}

/*
 * Collects packages whose build failed. Before Go 1.24, `go test -json` has no events for them. The compiler prints its
 * errors to stderr, to which tests print nothing.
 */

const BUILD_FAILED_LINE = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/u;
/** Matches `# example.com/shop [example.com/shop.test]`, the line above the compiler errors of a package. */
const COMPILER_HEADER = /^# (\S+)(?: \[\S+\])?$/u;

/** Maximum length of the compiler errors of a package. */
const MAX_COMPILER_ERROR_CHARACTERS = 64 * 1024;

class GoBuildFailures {
  /** The `FAIL` lines by package. */
  readonly #failLines = new Map<string, string>();
  /** The compiler errors by package. */
  readonly #compilerErrors = new Map<string, string>();
  #package: string | undefined;
  #incompleteLine = '';

  get hasFailed(): boolean {
    return this.#failLines.size > 0;
  }

  /** Accepts stderr in chunks. */
  addError(piece: string): void {
    const lines = (this.#incompleteLine + piece).split('\n');
    this.#incompleteLine = lines.pop() ?? '';
    for (const line of lines) this.#readErrorLine(line);
  }

  /** Returns true, and keeps the line, if a line of stdout reports a failed build. */
  addIfBuildFailed(line: string): boolean {
    const [, name] = BUILD_FAILED_LINE.exec(line) ?? [];
    if (name !== undefined) this.#failLines.set(name, line);
    return name !== undefined;
  }

  /**
   * Returns the lines that the events lack: for each package, the compiler errors and then the `FAIL` line. The errors
   * may belong to an imported package.
   */
  report(hasEvents: boolean): string {
    const allErrors = [...this.#compilerErrors.values()].join('');
    const failed = [...this.#failLines].map(
      ([name, line]) => `${this.#compilerErrors.get(name) ?? allErrors}${line}\n`,
    );
    // A report needs at least a single event. Since Go 1.20, each package starts with this event.
    const starts = [...this.#failLines.keys()].map((name) => `${JSON.stringify({ Action: 'start', Package: name })}\n`);
    return [...failed, ...(hasEvents ? [] : starts)].join('');
  }

  #readErrorLine(line: string): void {
    const [, name] = COMPILER_HEADER.exec(line) ?? [];
    this.#package = name ?? this.#package;
    if (name !== undefined || this.#package === undefined || line.startsWith('go: ')) return;
    const errors = this.#compilerErrors.get(this.#package) ?? '';
    if (errors.length < MAX_COMPILER_ERROR_CHARACTERS) this.#compilerErrors.set(this.#package, `${errors}${line}\n`);
  }
}
