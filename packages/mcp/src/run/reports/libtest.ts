/**
 * Converts the output of `cargo test` to a CTRF report, because stable Rust has no machine-readable output. Cases have
 * the same names as with nextest, so that a test is the same case with both runners. The report has no output of passed
 * tests, because cargo does not print it.
 */

import { createCtrfReport, MAX_ERROR_CHARACTERS } from './printed-failures.ts';

/** Matches `test net::connects ... FAILED`, also with text after the result, as for `ignored, takes long`. */
const RESULT_LINE = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/u;

/**
 * Matches the start of a test that prints before its result, with `--nocapture` and a single thread. The result is then
 * on a separate line.
 */
const TEST_START = /^test (.+?)(?: - should panic)? \.\.\. /u;
const OWN_LINE_RESULT = /^(?:ok|FAILED|ignored)$/u;

/** Matches `---- net::connects stdout ----`, the line above the output of a failed test. */
const SECTION_START = /^---- (.+) stdout ----$/u;

/** Matches the start of the list of failed tests, and the last line of a binary. */
const SECTION_END = /^(?:failures:|test result: )/u;

/** Matches the last line of a binary: `test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out`. */
const SUMMARY_LINE = /^test result: (?:ok|FAILED)\. \d+ passed; /u;

/** Matches `     Running unittests src/lib.rs (target/debug/deps/my_crate-0f3c)` and `   Doc-tests my_crate`. */
const BINARY_LINE = /^\s+(?:Running (?:unittests )?(\S+) \((?:\S*[\\/])?(\S+)-[0-9a-f]+(?:\.exe)?\)|Doc-tests (\S+))/u;

/** Matches the panic of a test that prints immediately, with `--nocapture` or in a custom harness. */
const PANIC_START = /^thread '(.+?)'(?: \(\d+\))? panicked at /u;
const PANIC_END =
  /^(?:test .+ \.\.\. |running \d+ tests?$|failures:|test result: |error: test failed|note: run with )/u;
/** Name of the thread that runs all tests with `--test-threads=1`. */
const ONLY_THREAD = 'main';

interface LibtestCase {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  binary: string | undefined;
  /** Number of the binary in the run. */
  program: number;
  output: string;
}

/** Accepts the output in chunks, separately for stdout and stderr. */
export class LibtestReport {
  readonly #cases: LibtestCase[] = [];
  readonly #incompleteLines = { stdout: '', stderr: '' };
  /** Binaries announced on stderr. The `running N tests` lines of stdout refer to them in order. */
  readonly #announcedBinaries: string[] = [];
  #binary: string | undefined;
  #binaryStart = 0;
  #section: LibtestCase | undefined;
  #startedTest: string | undefined;
  readonly #panics: { thread: string; output: string }[] = [];
  readonly #openPanics: { stdout?: { output: string } | undefined; stderr?: { output: string } | undefined } = {};
  #startedBinaries = 0;
  /** Number of binaries that have started their tests, but have not printed their summary. */
  #unfinished = 0;
  readonly #packageName: string | undefined;
  readonly #read: SourceReader;

  /**
   * `packageName` is the package at the root of the project. The output of cargo does not contain it, but nextest names
   * binaries after packages.
   */
  constructor(packageName?: string, readSource: SourceReader = () => undefined) {
    this.#packageName = packageName;
    this.#read = readSource;
  }

  add(piece: string, stream: 'stdout' | 'stderr'): void {
    const lines = (this.#incompleteLines[stream] + piece).split('\n');
    this.#incompleteLines[stream] = lines.pop() ?? '';
    for (const line of lines) this.#readLine(line.replace(/\r$/u, ''), stream);
  }

  /** Returns the report, or null if there was no test. Call it once. */
  end({ onlyDoctests = false } = {}): string | null {
    for (const stream of ['stderr', 'stdout'] as const) this.#readLine(this.#incompleteLines[stream], stream);
    this.#assignPanics();
    const cases = this.#cases.filter(({ name }) => !onlyDoctests || EXAMPLE_NAME.test(name));
    if (cases.length === 0) return null;
    const tests = cases.sort(compareStart).map(({ name, status, binary, output }) => ({
      name,
      suite: binary === undefined ? [] : [binary],
      status,
      duration: 0,
      ...(status === 'failed' ? createFailureText(name, output.trim(), this.#read) : {}),
    }));
    return createCtrfReport('cargo test', tests);
  }

  /** True if a binary ended without its summary. */
  get hasEndedEarly(): boolean {
    return this.#unfinished > 0;
  }

  #readLine(line: string, stream: 'stdout' | 'stderr'): void {
    const binary = BINARY_LINE.exec(line);
    if (binary) {
      const [, source = '', stem = '', documented] = binary;
      this.#announcedBinaries.push(documented ?? createBinaryName(source, stem, this.#packageName));
      this.#nameBinary();
      return;
    }
    if (this.#section === undefined) this.#readPanic(line, stream);
    if (stream === 'stderr') return;
    if (/^running \d+ tests?$/u.test(line)) {
      this.#startBinary();
      return;
    }
    if (SUMMARY_LINE.test(line)) this.#unfinished--;
    const section = SECTION_START.exec(line);
    if (section || SECTION_END.test(line)) {
      this.#section = section ? this.#findFailed(section[1] ?? '') : undefined;
      return;
    }
    if (this.#section) this.#appendLine(this.#section, line);
    else this.#readResult(line);
  }

  #startBinary(): void {
    this.#section = undefined;
    this.#binaryStart = this.#cases.length;
    this.#startedBinaries++;
    this.#unfinished++;
    this.#binary = undefined;
    this.#nameBinary();
  }

  /** Names the running binary. The name on stderr and its start on stdout may arrive in either order. */
  #nameBinary(): void {
    if (this.#startedBinaries === 0 || this.#announcedBinaries.length < this.#startedBinaries) return;
    this.#binary = this.#announcedBinaries[this.#startedBinaries - 1];
    for (const testCase of this.#cases.slice(this.#binaryStart)) testCase.binary = this.#binary;
  }

  #readResult(line: string): void {
    const [, name = this.#startedTest, word = OWN_LINE_RESULT.exec(line)?.[0]] = RESULT_LINE.exec(line) ?? [];
    this.#startedTest = word === undefined ? (TEST_START.exec(line)?.[1] ?? this.#startedTest) : undefined;
    if (name === undefined || word === undefined) return;
    const status = word === 'ok' ? 'passed' : word === 'FAILED' ? 'failed' : 'skipped';
    this.#cases.push({ name, status, binary: this.#binary, program: this.#startedBinaries, output: '' });
  }

  #findFailed(name: string): LibtestCase | undefined {
    return this.#cases
      .slice(this.#binaryStart)
      .find((testCase) => testCase.name === name && testCase.status === 'failed');
  }

  #appendLine(section: { output: string }, line: string): void {
    if (section.output.length < MAX_ERROR_CHARACTERS) section.output += `${line}\n`;
  }

  #readPanic(line: string, stream: 'stdout' | 'stderr'): void {
    const [, thread] = PANIC_START.exec(line) ?? [];
    if (thread !== undefined) {
      const panic = { thread, output: '' };
      this.#panics.push(panic);
      this.#openPanics[stream] = panic;
    } else if (PANIC_END.test(line)) {
      this.#openPanics[stream] = undefined;
    }
    const panic = this.#openPanics[stream];
    if (panic !== undefined) this.#appendLine(panic, line);
  }

  /** Assigns panics to failed tests without output. The thread of a panic has the name of the test. */
  #assignPanics(): void {
    const silent = this.#cases.filter(({ status, output }) => status === 'failed' && output === '');
    const mainThreadPanics = this.#panics.filter(({ thread }) => thread === ONLY_THREAD);
    const findPanic = (name: string) => this.#panics.findIndex(({ thread }) => thread === name);
    for (const [index, failedCase] of silent.entries()) {
      const [panic] = this.#panics.splice(findPanic(failedCase.name), findPanic(failedCase.name) < 0 ? 0 : 1);
      const isSingleThreaded = mainThreadPanics.length === silent.length;
      failedCase.output = (panic ?? (isSingleThreaded ? mainThreadPanics[index] : undefined))?.output ?? '';
    }
  }
}

/**
 * libtest starts the tests of a binary in the order of their names, but prints them in the order in which its threads
 * finish, which changes from run to run.
 */
function compareStart(one: LibtestCase, other: LibtestCase): number {
  return one.program - other.program || (one.name < other.name ? -1 : Number(one.name > other.name));
}

/** Returns `my-crate` for the library, `my-crate::api` for `tests/api.rs`, and `my-crate::bin/tool` for a program. */
function createBinaryName(source: string, stem: string, packageName: string | undefined): string {
  const owner = packageName ?? stem;
  const file = source.replaceAll('\\', '/');
  if (file.endsWith('src/lib.rs')) return isSameCrate(owner, stem) ? owner : stem;
  const integration = /(?:^|\/)tests\/([^/]+?)(?:\/main)?\.rs$/u.exec(file)?.[1];
  if (integration !== undefined) return packageName === undefined ? stem : `${owner}::${integration}`;
  return packageName === undefined ? stem : `${owner}::bin/${stem}`;
}

function isSameCrate(packageName: string, stem: string): boolean {
  return packageName.replaceAll('-', '_') === stem;
}

/** Returns the `name` in the section `[package]` of a Cargo.toml. */
export function parseCargoPackageName(manifest: string): string | undefined {
  const section = /^\[package\]\s*$([\s\S]*?)(?=^\[|$(?![\s\S]))/mu.exec(manifest)?.[1] ?? '';
  return /^name\s*=\s*"([^"]+)"/mu.exec(section)?.[1];
}

/*
 * Corrects the locations of failed examples in Rust documentation. rustdoc compiles each example in a file with the
 * name of the source, and adds lines before the example. Therefore, the location of a panic refers to the compiled
 * file, unless the source itself panicked.
 */

/** Matches the name of an example: `src/cart.rs - cart::total (line 12)`. */
const EXAMPLE_NAME = /^(.+?) - (?:.+ )?\(line (\d+)\)/u;
/** Matches the text that rustdoc prints before the output of a failed example. */
const EXAMPLE_HEADER = /^Test executable failed \(.*\)\.\n\n(?:stdout:\n([\s\S]*?)\n)?stderr:\n/u;
const PANIC_PLACE = /(?<= panicked at )(\S+):(\d+):(\d+)/gu;
/** Matches a file into which several examples are compiled, since Rust 2024. */
const BUNDLE_FILE = /\bdoctest_bundle_\d+\.rs$/u;

const DOC_LINE = /^\s*\/\/[/!] ?(?:# )?/u;
/** Matches lines that start no expression: a comment, an attribute, an item, a binding, or a closing bracket. */
const STARTS_NO_EXPRESSION =
  /^(?:\/\/|#|[})\]]|(?:pub|use|mod|fn|struct|enum|impl|trait|type|const|static|extern|unsafe|async|let|macro_rules!)(?![\w(]))/u;
/** rustdoc adds at least two lines before the example. */
const MIN_ADDED_LINES = 2;

/** Reads a file of the project. Returns undefined if it cannot be read. */
type SourceReader = (file: string) => string | undefined;

/**
 * Returns the message of a failed test of `cargo test`. For a doctest, the location of the panic is mapped to the
 * source file.
 */
export function createFailureText(
  name: string,
  output: string,
  readSource: SourceReader,
): { message: string; stdout?: string[] } {
  const [, file, line] = EXAMPLE_NAME.exec(name) ?? [];
  if (file === undefined || !EXAMPLE_HEADER.test(output)) return { message: output };
  const printed = EXAMPLE_HEADER.exec(output)?.[1];
  const lines = file.endsWith('.rs') ? (readSource(file)?.split(/\r?\n/u) ?? []) : [];
  const message = output.replace(EXAMPLE_HEADER, '').replaceAll(PANIC_PLACE, (place, panicFile, panicLine, column) => {
    if (BUNDLE_FILE.test(panicFile)) return `${file}:${line}:${column}`;
    if (panicFile !== file || lines.length === 0 || canPanicAt(lines[Number(panicLine) - 1], Number(column)))
      return place;
    return `${file}:${findExampleLine(lines, Number(line), Number(panicLine), Number(column))}:${column}`;
  });
  return { message: message.trim(), ...(printed === undefined ? {} : { stdout: [printed] }) };
}

/**
 * Returns the only line of the example that can have panicked at this line of the compiled file. If several lines can,
 * returns the first line of the example.
 */
function findExampleLine(lines: readonly string[], exampleStart: number, panicLine: number, column: number): number {
  const linesAfterStart = lines.slice(exampleStart);
  const end = linesAfterStart.findIndex((text) => !DOC_LINE.test(text) || /^\s*`{3}/u.test(text.replace(DOC_LINE, '')));
  const code = linesAfterStart
    .slice(0, Math.max(0, Math.min(end, panicLine - MIN_ADDED_LINES)))
    .map((text) => text.replace(DOC_LINE, ''));
  const [only, ...others] = code.flatMap((text, index) => (canPanicAt(text, column) ? [exampleStart + index + 1] : []));
  return only === undefined || others.length > 0 ? exampleStart : only;
}

/** Returns true if an expression starts at the column. The first column is 1. */
function canPanicAt(text = '', column: number): boolean {
  const rest = text.slice(column - 1);
  const isWithin = rest !== '' && !STARTS_NO_EXPRESSION.test(rest) && !text.trimStart().startsWith('//');
  return isWithin && !/^\s/u.test(rest) && !/\w$/u.test(text.slice(0, column - 1));
}
