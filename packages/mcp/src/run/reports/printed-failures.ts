/**
 * Reads failed tests from the console output of pytest, Jest, Vitest and Go. The reports name them as the runner's own
 * report does. They have no passed tests, because the output does not name those, except for `go test -v`.
 */

import { ctrfReport, MAX_ERROR_CHARACTERS } from './ctrf.ts';

interface PrintedFailure {
  filePath?: string;
  suite: string[];
  name: string;
  status: 'failed';
  trace: string;
}

/** Expects the lines of the output in order. */
export class PrintedFailures {
  readonly #readers = { pytest: new PrintedPytest(), jest: new PrintedJest(), vitest: new PrintedVitest() };
  readonly #go = new PrintedGo();

  line(line: string): void {
    for (const reader of Object.values(this.#readers)) reader.line(line);
    this.#go.line(line);
  }

  /** Packages of Go whose tests all passed, without the names of the tests. */
  get passedPackages(): readonly string[] {
    return this.#go.passed;
  }

  /** True if a runner other than Go has failures. For Go, `passedPackages` names the passed packages. */
  get omitsPassed(): boolean {
    return Object.values(this.#readers).some((reader) => reader.failures().length > 0);
  }

  /** Returns the reports: the runner's name, the format and the text. */
  end(): { name: string; format: 'ctrf' | 'go-test'; text: string }[] {
    const told = Object.entries(this.#readers).flatMap(([name, reader]) => {
      const failures = new Map(
        reader.failures().map((one) => [[one.filePath, ...one.suite, one.name].join('\n'), one]),
      );
      return failures.size === 0
        ? []
        : [{ name, format: 'ctrf' as const, text: ctrfReport(name, [...failures.values()]) }];
    });
    const events = this.#go.events();
    return events.length === 0 ? told : [...told, { name: 'go', format: 'go-test', text: `${events.join('\n')}\n` }];
  }
}

/** Collects lines up to the maximum length. */
class Block {
  #text = '';

  add(line: string): void {
    if (this.#text.length < MAX_ERROR_CHARACTERS) this.#text += `${line}\n`;
  }

  get text(): string {
    return this.#text.trim();
  }
}

/** pytest prints a section with a traceback for each failure, and a summary below them that has the file of each test. */
class PrintedPytest {
  readonly #sections = new Map<string, Block>();
  readonly #failed: { id: string; message: string }[] = [];
  #section: Block | undefined;

  line(line: string): void {
    const title = /^_{3,} (?:ERROR at \w+ of )?(.+?) _{3,}$/u.exec(line)?.[1];
    const failed = /^(?:FAILED|ERROR) (\S+\.py::.+?)(?: - (.*))?$/u.exec(line);
    if (title !== undefined) {
      this.#section = new Block();
      this.#sections.set(title, this.#section);
    } else if (failed !== null) {
      this.#failed.push({ id: failed[1] ?? '', message: failed[2] ?? '' });
    } else if (/^(?:={3,} .+ ={3,}|-{3,} Captured .+ -{3,})$/u.test(line)) {
      this.#section = undefined;
    } else {
      this.#section?.add(line);
    }
  }

  failures(): PrintedFailure[] {
    return this.#failed.map(({ id, message }) => {
      const [filePath = '', ...names] = id.split('::');
      const trace = this.#sections.get(names.join('.'))?.text ?? message;
      return { filePath, suite: names.slice(0, -1), name: names.at(-1) ?? '', status: 'failed', trace };
    });
  }
}

/** Jest prints the message of a matcher without the class `Error`. */
const OF_MATCHER = /^expect\(/u;
const CODE_FRAME = /^\s*(?:>?\s*\d+)? \|/u;

/** Jest prints `FAIL src/sum.test.js`, then `  ● sum › adds` with the error below. */
class PrintedJest {
  readonly #failures: (Omit<PrintedFailure, 'trace'> & { block: Block })[] = [];
  #file: string | undefined;
  #block: Block | undefined;

  line(line: string): void {
    const file = /^(?:FAIL|PASS)\s+(?:\S+ )??(?:\.\/)?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/u.exec(line)?.[1];
    const title = /^ {2}● (.+)$/u.exec(line)?.[1];
    if (file !== undefined || /^(?:Test Suites|Snapshot Summary)\b/u.test(line)) {
      this.#file = file;
      this.#block = undefined;
    } else if (title !== undefined && this.#file !== undefined) {
      this.#block = new Block();
      this.#failures.push({ ...namedByJest(title), filePath: this.#file, status: 'failed', block: this.#block });
    } else if (!CODE_FRAME.test(line)) {
      this.#block?.add(line.replace(/^ {4}/u, ''));
    }
  }

  failures(): PrintedFailure[] {
    return this.#failures.map(({ block, ...one }) => {
      const { text } = block;
      return { ...one, trace: OF_MATCHER.test(text) ? `Error: ${text}` : text };
    });
  }
}

function namedByJest(title: string): Pick<PrintedFailure, 'suite' | 'name'> {
  if (title === 'Test suite failed to run') return { suite: [], name: '(suite)' };
  const names = title.split(' › ');
  return { suite: names.slice(0, -1), name: names.at(-1) ?? '' };
}

/** Vitest prints ` FAIL  src/sum.test.ts > sum > adds`, one line for each test with the same error, and then the error. */
class PrintedVitest {
  readonly #failures: (Omit<PrintedFailure, 'trace'> & { block: Block })[] = [];
  #block: Block | undefined;
  #isHead = false;

  line(line: string): void {
    const title = /^ FAIL {2}(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx? .+)$/u.exec(line)?.[1];
    if (title !== undefined) {
      if (!this.#isHead || this.#block === undefined) this.#block = new Block();
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
    this.#isHead = title !== undefined;
  }

  failures(): PrintedFailure[] {
    return this.#failures.map(({ block, ...one }) => ({ ...one, trace: block.text }));
  }
}

interface PrintedGoTest {
  action: string;
  output: Block;
}

/** `ok  \texample.com/shop\t0.005s`, `FAIL\texample.com/shop [build failed]`. */
const OF_GO_PACKAGE = /^(FAIL|ok {2})\t(\S+)(?:\t(?:[\d.]+s|\(cached\))| \[(?:build|setup) failed\])/u;

/** Go prints `--- FAIL: TestSum (0.00s)` with the output of the test, and the package after all of its tests. */
class PrintedGo {
  readonly passed: string[] = [];
  readonly #events: string[] = [];
  #tests = new Map<string, PrintedGoTest>();
  #running: PrintedGoTest | undefined;

  line(line: string): void {
    const ended = /^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/u.exec(line);
    const begun = /^=== (?:RUN|CONT|NAME)\s+(\S+)$/u.exec(line)?.[1];
    const ofPackage = OF_GO_PACKAGE.exec(line);
    if (begun !== undefined) {
      this.#running = this.#test(begun);
    } else if (ended !== null) {
      const [, how = '', test = ''] = ended;
      this.#running = this.#test(test);
      this.#running.action = how.toLowerCase();
    } else if (ofPackage !== null) {
      this.#endPackage(ofPackage[2] ?? '', ofPackage[1] === 'FAIL');
      if (ofPackage[1] !== 'FAIL' && !line.endsWith('[no tests to run]')) this.passed.push(ofPackage[2] ?? '');
    } else if (line !== 'FAIL' && line !== 'PASS') {
      this.#running?.output.add(line);
    }
  }

  /** Returns the events in the format of `go test -json`. */
  events(): string[] {
    return this.#events;
  }

  #test(name: string): PrintedGoTest {
    const test = this.#tests.get(name) ?? { action: 'output', output: new Block() };
    this.#tests.set(name, test);
    return test;
  }

  #endPackage(name: string, hasFailed: boolean): void {
    const ended = [...this.#tests].filter(([, { action }]) => action !== 'output');
    this.#tests = new Map();
    this.#running = undefined;
    if (ended.length === 0 && !hasFailed) return;
    for (const [test, { action, output }] of ended) {
      const event = { Package: name, Test: test };
      this.#add({ ...event, Action: 'run' });
      if (output.text !== '') this.#add({ ...event, Action: 'output', Output: `${output.text}\n` });
      this.#add({ ...event, Action: action, Elapsed: 0 });
    }
    this.#add({ Package: name, Action: hasFailed ? 'fail' : 'pass', Elapsed: 0 });
  }

  #add(event: object): void {
    this.#events.push(JSON.stringify(event));
  }
}
