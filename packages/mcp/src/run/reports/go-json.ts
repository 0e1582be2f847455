/**
 * Turns the events of `go test -json` back into what `go test` prints: the output of failed tests and one line a
 * package. The results: crates/report reads the same events.
 */

/** Marks of `-v`, which `-json` implies. */
const VERBOSE_MARK = /^\s*=== (?:RUN|PAUSE|CONT|NAME)\b/u;

interface GoEvent {
  action: string;
  package: string;
  test: string | undefined;
  output: string;
}

/** `--- FAIL: TestSum (0.00s)`, indented for subtests. */
const RESULT_LINE = /^\s*--- (?:PASS|FAIL|SKIP):/u;

/** What one test has printed so far. */
interface TestOutput {
  name: string;
  failed: boolean;
  result: string;
  log: string;
}

/** Takes the stream in pieces; gives out what a person would see by then. */
export class GoJsonText {
  #rest = '';
  /** Tests that have not ended, with their subtests, by package and top-level test. */
  readonly #open = new Map<string, TestOutput[]>();

  add(piece: string): string {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => this.#line(line)).join('');
  }

  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    // Whatever has not ended was cut off by a panic or a timeout: all of it matters.
    const cut = [...this.#open.values()].flat().map(({ log, result }) => log + result);
    this.#open.clear();
    return cut.join('') + (rest === '' ? '' : this.#line(rest));
  }

  #line(line: string): string {
    const event = readEvent(line);
    return event === undefined ? `${line}\n` : this.#event(event);
  }

  #event({ action, package: name, test, output }: GoEvent): string {
    if (test === undefined) return action === 'output' && output !== 'PASS\n' ? output : '';
    const top = test.split('/', 1)[0] ?? test;
    const key = `${name}\0${top}`;
    const tests = this.#open.get(key) ?? [];
    this.#open.set(key, tests);
    const one = testOf(tests, test);
    if (action === 'output' && RESULT_LINE.test(output)) one.result += output;
    else if (action === 'output' && !VERBOSE_MARK.test(output)) one.log += output;
    if (action === 'fail') one.failed = true;
    if (test !== top || !['pass', 'fail', 'skip'].includes(action)) return '';
    this.#open.delete(key);
    return tests
      .filter(({ failed }) => failed)
      .map(shown)
      .join('');
  }
}

function testOf(tests: TestOutput[], name: string): TestOutput {
  const known = tests.find((test) => test.name === name);
  if (known) return known;
  const added = { name, failed: false, result: '', log: '' };
  tests.push(added);
  return added;
}

/** The result first and the log below it, as deep as the subtest is; `-v` prints the log flat while the test runs. */
function shown({ name, result, log }: TestOutput): string {
  const depth = name.split('/').length - 1;
  return result + log.replaceAll(/^(?=.)/gmu, '    '.repeat(depth));
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
