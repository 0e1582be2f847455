/**
 * Converts the output of Python's unittest to a CTRF report: the failed tests, or all tests with `-v`. Tests that the
 * output does not name are missing.
 */

import { ctrfReport, MAX_ERROR_CHARACTERS } from './ctrf.ts';

/** Matches `FAIL: test_x (tests.test_a.A.test_x)`. Before Python 3.11, only the class is in parentheses. */
const FAILED = /^(?:FAIL|ERROR): (\S+) \(([\w.]+)\)(.*)$/u;
/** Matches `test_x (tests.test_a.A.test_x) ... ok`. */
const TOLD = /^(\w+) \(([\w.]+)\)(?:.*) \.\.\. (ok|skipped\b.*|expected failure)$/u;
const RAN = /^Ran \d+ tests? in [\d.]+s$/u;
const RULE = /^(?:={70}|-{70})$/u;

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
  #before = '';
  #hasRun = false;

  line(line: string): void {
    const above = this.#before;
    this.#before = line;
    const told = TOLD.exec(line);
    const failed = RULE.test(above) ? FAILED.exec(line) : null;
    if (failed !== null) {
      const [, method = '', described = '', parameters = ''] = failed;
      this.#failed = { name: `${method}${parameters}`, suite: suiteOf(described, method), status: 'failed', trace: '' };
      this.#cases.push(this.#failed);
    } else if (told !== null) {
      const [, method = '', described = '', outcome = ''] = told;
      const status = outcome === 'ok' ? 'passed' : 'skipped';
      this.#cases.push({ name: method, suite: suiteOf(described, method), status });
    } else if (RAN.test(line)) {
      this.#failed = undefined;
      this.#hasRun = true;
    } else if (this.#failed !== undefined && !RULE.test(line)) {
      this.#failed.trace = `${this.#failed.trace}${line}\n`.slice(0, MAX_ERROR_CHARACTERS);
    }
  }

  /** The report, or null if no test was named. */
  end(): string | null {
    if (!this.#hasRun || this.#cases.length === 0) return null;
    const tests = this.#cases.map((one) => ({ ...one, trace: one.trace?.trim() }));
    return ctrfReport('unittest', tests);
  }
}

/** The class of a test. A module that could not be loaded has none. */
function suiteOf(described: string, method: string): string[] {
  const name = described.endsWith(`.${method}`) ? described.slice(0, -method.length - 1) : described;
  return name.startsWith('unittest.loader.') ? [] : [name];
}
