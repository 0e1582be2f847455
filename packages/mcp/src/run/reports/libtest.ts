/**
 * Converts the output of `cargo test` to a CTRF report, because stable Rust has no machine-readable output. Cases have
 * the same names as with nextest, so that a test is the same case with both runners. The output of passed tests is
 * missing, because cargo does not print it.
 */

import { ctrfReport, MAX_ERROR_CHARACTERS } from './ctrf.ts';
import { failureText, type ReadSource } from './doctest.ts';

/** Matches `test net::connects ... FAILED`, also with the remarks of `--show-output`. */
const RESULT = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/u;

/**
 * Start of a test that prints before its result, with `--nocapture` and a single thread. The result is on a separate
 * line.
 */
const BEGUN = /^test (.+?)(?: - should panic)? \.\.\. /u;
const OWN_LINE_RESULT = /^(?:ok|FAILED|ignored)$/u;

/** `---- net::connects stdout ----` starts the output of a failed test. */
const SECTION = /^---- (.+) stdout ----$/u;

/** The lists of names after the sections, and the end of a binary. */
const SECTION_END = /^(?:failures:|test result: )/u;

/** Matches `     Running unittests src/lib.rs (target/debug/deps/my_crate-0f3c)` and `   Doc-tests my_crate`. */
const BINARY = /^\s+(?:Running (?:unittests )?(\S+) \((?:\S*[\\/])?(\S+)-[0-9a-f]+(?:\.exe)?\)|Doc-tests (\S+))/u;

/** Panic of a test that prints immediately, with `--nocapture` or in a custom harness. */
const PANIC = /^thread '(.+?)'(?: \(\d+\))? panicked at /u;
const PANIC_END =
  /^(?:test .+ \.\.\. |running \d+ tests?$|failures:|test result: |error: test failed|note: run with )/u;
/** Name of the thread with `--test-threads=1`. */
const ONLY_THREAD = 'main';

interface LibtestCase {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  binary: string | undefined;
  output: string;
}

/** Accepts the output in chunks, separately for stdout and stderr. */
export class LibtestReport {
  readonly #cases: LibtestCase[] = [];
  readonly #rest = { stdout: '', stderr: '' };
  /** Binaries announced on stderr. The `running N tests` lines of stdout refer to them in order. */
  readonly #announced: string[] = [];
  #binary: string | undefined;
  #binaryStart = 0;
  #section: LibtestCase | undefined;
  #begun: string | undefined;
  readonly #panics: { thread: string; output: string }[] = [];
  readonly #panic: { stdout?: { output: string } | undefined; stderr?: { output: string } | undefined } = {};
  #waiting = 0;
  readonly #packageName: string | undefined;
  readonly #read: ReadSource;

  /**
   * `packageName` is the package at the root of the project. The output of cargo does not contain it, but nextest names
   * binaries after packages.
   */
  constructor(packageName?: string, read: ReadSource = () => undefined) {
    this.#packageName = packageName;
    this.#read = read;
  }

  add(piece: string, stream: 'stdout' | 'stderr'): void {
    const lines = (this.#rest[stream] + piece).split('\n');
    this.#rest[stream] = lines.pop() ?? '';
    for (const line of lines) this.#line(line.replace(/\r$/u, ''), stream);
  }

  /** Returns the report, or null if there was no test. */
  end(): string | null {
    for (const stream of ['stderr', 'stdout'] as const) this.#line(this.#rest[stream], stream);
    if (this.#cases.length === 0) return null;
    this.#givePanics();
    const tests = this.#cases.map(({ name, status, binary, output }) => ({
      name,
      suite: binary === undefined ? [] : [binary],
      status,
      duration: 0,
      ...(status === 'failed' ? failureText(name, output.trim(), this.#read) : {}),
    }));
    return ctrfReport('cargo test', tests);
  }

  #line(line: string, stream: 'stdout' | 'stderr'): void {
    const binary = BINARY.exec(line);
    if (binary) {
      const [, source = '', stem = '', documented] = binary;
      this.#announced.push(documented ?? binaryName(source, stem, this.#packageName));
      this.#nameWaiting();
      return;
    }
    if (this.#section === undefined) this.#readPanic(line, stream);
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
    this.#binary = undefined;
    this.#nameWaiting();
  }

  /** The two streams may arrive in either order. */
  #nameWaiting(): void {
    if (this.#waiting === 0 || this.#announced.length < this.#waiting) return;
    this.#binary = this.#announced[this.#waiting - 1];
    for (const one of this.#cases.slice(this.#binaryStart)) one.binary = this.#binary;
  }

  #result(line: string): void {
    const [, name = this.#begun, word = OWN_LINE_RESULT.exec(line)?.[0]] = RESULT.exec(line) ?? [];
    this.#begun = word === undefined ? (BEGUN.exec(line)?.[1] ?? this.#begun) : undefined;
    if (name === undefined || word === undefined) return;
    const status = word === 'ok' ? 'passed' : word === 'FAILED' ? 'failed' : 'skipped';
    this.#cases.push({ name, status, binary: this.#binary, output: '' });
  }

  #failed(name: string): LibtestCase | undefined {
    return this.#cases.slice(this.#binaryStart).find((one) => one.name === name && one.status === 'failed');
  }

  #extend(section: { output: string }, line: string): void {
    if (section.output.length < MAX_ERROR_CHARACTERS) section.output += `${line}\n`;
  }

  #readPanic(line: string, stream: 'stdout' | 'stderr'): void {
    const [, thread] = PANIC.exec(line) ?? [];
    if (thread !== undefined) {
      const panic = { thread, output: '' };
      this.#panics.push(panic);
      this.#panic[stream] = panic;
    } else if (PANIC_END.test(line)) {
      this.#panic[stream] = undefined;
    }
    const panic = this.#panic[stream];
    if (panic !== undefined) this.#extend(panic, line);
  }

  /** Assigns panics to failed tests without output. A thread has the name of its test. */
  #givePanics(): void {
    const silent = this.#cases.filter(({ status, output }) => status === 'failed' && output === '');
    const ofOnlyThread = this.#panics.filter(({ thread }) => thread === ONLY_THREAD);
    const named = (name: string) => this.#panics.findIndex(({ thread }) => thread === name);
    for (const [index, one] of silent.entries()) {
      const [panic] = this.#panics.splice(named(one.name), named(one.name) < 0 ? 0 : 1);
      const isOnlyThread = ofOnlyThread.length === silent.length;
      one.output = (panic ?? (isOnlyThread ? ofOnlyThread[index] : undefined))?.output ?? '';
    }
  }
}

/** Returns `my-crate` for its library, `my-crate::api` for `tests/api.rs`, or `my-crate::bin/tool` for a program. */
function binaryName(source: string, stem: string, packageName: string | undefined): string {
  const owner = packageName ?? stem;
  const file = source.replaceAll('\\', '/');
  if (file.endsWith('src/lib.rs')) return sameCrate(owner, stem) ? owner : stem;
  const integration = /(?:^|\/)tests\/([^/]+?)(?:\/main)?\.rs$/u.exec(file)?.[1];
  if (integration !== undefined) return packageName === undefined ? stem : `${owner}::${integration}`;
  return packageName === undefined ? stem : `${owner}::bin/${stem}`;
}

function sameCrate(packageName: string, stem: string): boolean {
  return packageName.replaceAll('-', '_') === stem;
}

/** The `name` of `[package]` in a Cargo.toml. */
export function cargoPackageName(manifest: string): string | undefined {
  const section = /^\[package\]\s*$([\s\S]*?)(?=^\[|$(?![\s\S]))/mu.exec(manifest)?.[1] ?? '';
  return /^name\s*=\s*"([^"]+)"/mu.exec(section)?.[1];
}
