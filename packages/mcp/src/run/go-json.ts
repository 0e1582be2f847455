/**
 * Turns the events of `go test -json` back into what `go test` prints: the output of failed tests and one line a
 * package.
 * Does not: interpret results; the report parser reads the same events.
 */

/** Marks of `-v`, which `-json` implies. */
const VERBOSE_MARK = /^\s*=== (?:RUN|PAUSE|CONT|NAME)\b/u;

interface GoEvent {
  action: string;
  package: string;
  test: string | undefined;
  output: string;
}

/** Takes the stream in pieces; gives out what a person would see by then. */
export class GoJsonText {
  #rest = '';
  /** Output of tests that have not ended, by package and top-level test. */
  readonly #held = new Map<string, string>();

  add(piece: string): string {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => this.#line(line)).join('');
  }

  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    const held = [...this.#held.values()].join('');
    this.#held.clear();
    return held + (rest === '' ? '' : this.#line(rest));
  }

  #line(line: string): string {
    const event = readEvent(line);
    return event === undefined ? `${line}\n` : this.#event(event);
  }

  #event({ action, package: name, test, output }: GoEvent): string {
    if (test === undefined) return action === 'output' && output !== 'PASS\n' ? output : '';
    // Subtests belong to their test: its end decides about all of them.
    const top = test.split('/', 1)[0] ?? test;
    const key = `${name}\0${top}`;
    if (action === 'output' && !VERBOSE_MARK.test(output)) this.#held.set(key, (this.#held.get(key) ?? '') + output);
    if (test !== top || !['pass', 'fail', 'skip'].includes(action)) return '';
    const held = this.#held.get(key) ?? '';
    this.#held.delete(key);
    return action === 'fail' ? held : '';
  }
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
