/**
 * Reads what `cargo test` prints into a CTRF report; stable Rust has no machine-readable output.
 * Does not: see output and errors of passing tests, which cargo does not print.
 */

/** `test net::connects ... FAILED`, also with `--show-output`'s trailing remarks. */
const RESULT = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/u;

/** `---- net::connects stdout ----` opens the output of one failed test. */
const SECTION = /^---- (.+) stdout ----$/u;

/** The lists of names after the sections, and the end of a binary. */
const SECTION_END = /^(?:failures:|test result: )/u;

/** `     Running tests/api.rs (target/debug/deps/api-0f3c)`, `   Doc-tests name`. */
const BINARY = /^\s+(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+))/u;

/** One test's output is bounded: the rest of the report must stay readable. */
const MAX_SECTION = 64 * 1024;

interface LibtestCase {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  file: string | undefined;
  output: string;
}

/** Takes the output in pieces, stdout and stderr apart. */
export class LibtestReport {
  readonly #cases: LibtestCase[] = [];
  readonly #rest = { stdout: '', stderr: '' };
  /** Binaries announced on stderr, taken in order by the `running N tests` lines of stdout. */
  readonly #announced: string[] = [];
  #file: string | undefined;
  #binaryStart = 0;
  #section: LibtestCase | undefined;
  #waiting = 0;

  add(piece: string, stream: 'stdout' | 'stderr'): void {
    const lines = (this.#rest[stream] + piece).split('\n');
    this.#rest[stream] = lines.pop() ?? '';
    for (const line of lines) this.#line(line.replace(/\r$/u, ''), stream);
  }

  /** The report, or null when no test was seen. */
  end(): string | null {
    for (const stream of ['stderr', 'stdout'] as const) this.#line(this.#rest[stream], stream);
    if (this.#cases.length === 0) return null;
    const tests = this.#cases.map(({ name, status, file, output }) => ({
      name: name.split('::').at(-1) ?? name,
      suite: name.split('::').slice(0, -1),
      status,
      duration: 0,
      ...(file === undefined ? {} : { filePath: file }),
      ...(status === 'failed' ? { message: output.trim() } : {}),
    }));
    return JSON.stringify({
      reportFormat: 'CTRF',
      specVersion: '0.0.0',
      results: { tool: { name: 'cargo test' }, tests },
    });
  }

  #line(line: string, stream: 'stdout' | 'stderr'): void {
    const binary = BINARY.exec(line);
    if (binary) {
      this.#announced.push(binary[1] ?? binary[2] ?? '');
      this.#nameWaiting();
      return;
    }
    if (stream === 'stderr') return;
    if (/^running \d+ tests?$/u.test(line)) {
      this.#startBinary();
      return;
    }
    const section = SECTION.exec(line);
    if (section || SECTION_END.test(line)) {
      this.#section = section ? this.#failed(section[1] ?? '') : undefined;
      return;
    }
    if (this.#section) this.#extend(this.#section, line);
    else this.#result(line);
  }

  #startBinary(): void {
    this.#section = undefined;
    this.#binaryStart = this.#cases.length;
    this.#waiting++;
    this.#file = undefined;
    this.#nameWaiting();
  }

  /** The two streams may arrive in either order. */
  #nameWaiting(): void {
    if (this.#waiting === 0 || this.#announced.length < this.#waiting) return;
    this.#file = this.#announced[this.#waiting - 1];
    for (const one of this.#cases.slice(this.#binaryStart)) one.file = this.#file;
  }

  #result(line: string): void {
    const [, name, word] = RESULT.exec(line) ?? [];
    if (name === undefined) return;
    const status = word === 'ok' ? 'passed' : word === 'FAILED' ? 'failed' : 'skipped';
    this.#cases.push({ name, status, file: this.#file, output: '' });
  }

  #failed(name: string): LibtestCase | undefined {
    return this.#cases.slice(this.#binaryStart).find((one) => one.name === name && one.status === 'failed');
  }

  #extend(section: LibtestCase, line: string): void {
    if (section.output.length < MAX_SECTION) section.output += `${line}\n`;
  }
}
