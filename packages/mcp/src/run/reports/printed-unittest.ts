/**
 * Converts the output of Python's unittest to a CTRF report with the failed tests, or with all tests for `-v`. Tests
 * that the output does not name are missing from the report.
 */

import { createCtrfReport, MAX_ERROR_CHARACTERS } from './printed-failures.ts';

/** Matches `FAIL: test_x (tests.test_a.A.test_x)`. Before Python 3.11, only the class is in parentheses. */
const FAILED_TITLE = /^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)(.*)$/u;
/** Matches `test_x (tests.test_a.A.test_x) ... ok`. */
const RESULT_LINE = /^(\w+) \(([\w.]+)\)(?:.*) \.\.\. (ok|skipped\b.*|expected failure)$/u;
const SUMMARY_LINE = /^Ran \d+ tests? in [\d.]+s$/u;
const SEPARATOR_LINE = /^(?:={70}|-{70})$/u;

interface UnittestCase {
  name: string;
  suite: string[];
  status: 'passed' | 'failed' | 'skipped';
  trace?: string;
}

/** Accepts the lines in order. */
export class PrintedUnittest {
  readonly #cases: UnittestCase[] = [];
  #failed: UnittestCase | undefined;
  #previousLine = '';
  #hasRun = false;

  addLine(line: string): void {
    const lineAbove = this.#previousLine;
    this.#previousLine = line;
    const result = RESULT_LINE.exec(line);
    const failed = SEPARATOR_LINE.test(lineAbove) ? FAILED_TITLE.exec(line) : null;
    if (failed !== null) {
      const [, method = '', described = '', parameters = ''] = failed;
      this.#failed = {
        name: `${method}${parameters}`,
        suite: getSuite(described, method),
        status: 'failed',
        trace: '',
      };
      this.#cases.push(this.#failed);
    } else if (result !== null) {
      const [, method = '', described = '', outcome = ''] = result;
      const status = outcome === 'ok' ? 'passed' : 'skipped';
      this.#cases.push({ name: method, suite: getSuite(described, method), status });
    } else if (SUMMARY_LINE.test(line)) {
      this.#failed = undefined;
      this.#hasRun = true;
    } else if (this.#failed !== undefined && !SEPARATOR_LINE.test(line)) {
      this.#failed.trace = `${this.#failed.trace}${line}\n`.slice(0, MAX_ERROR_CHARACTERS);
    }
  }

  /** Returns the report, or null if the output names no test. */
  end(): string | null {
    if (!this.#hasRun || this.#cases.length === 0) return null;
    const tests = this.#cases.map((one) => ({ ...one, trace: one.trace?.trim() }));
    return createCtrfReport('unittest', tests);
  }
}

/** Returns the class of a test. The list is empty for a module that could not be loaded. */
function getSuite(described: string, method: string): string[] {
  const name = described.endsWith(`.${method}`) ? described.slice(0, -method.length - 1) : described;
  return name.startsWith('unittest.loader.') ? [] : [name];
}
