/**
 * Where an example in Rust's documentation fails. rustdoc compiles each in a file of its own that has the name of the
 * source, with lines of its own before the example's: a panic's place is one of that file, unless it is in the source.
 */

/** `src/cart.rs - cart::total (line 12)`: where the example begins. */
const EXAMPLE = /^(.+?) - (?:.+ )?\(line (\d+)\)/u;
/** What rustdoc says of an example before what the example itself printed. */
const EXAMPLE_FAILED = /^Test executable failed \(.*\)\.\n\n(?:stdout:\n([\s\S]*?)\n)?stderr:\n/u;
const PANIC_PLACE = /(?<= panicked at )(\S+):(\d+):(\d+)/gu;
/** From Rust 2024 on several examples are one file. */
const BUNDLE = /\bdoctest_bundle_\d+\.rs$/u;

const DOC_LINE = /^\s*\/\/[/!] ?(?:# )?/u;
/** What begins no expression: a comment, an attribute, an item, a binding, an end. */
const NO_EXPRESSION =
  /^(?:\/\/|#|[})\]]|(?:pub|use|mod|fn|struct|enum|impl|trait|type|const|static|extern|unsafe|async|let|macro_rules!)(?![\w(]))/u;
/** rustdoc writes at least two lines before those of the example. */
const LINES_BEFORE = 2;

/** A file of the project; undefined where it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/** What a failed test of `cargo test` printed as its failure; of an example its panic, at a line that can be opened. */
export function failureText(name: string, output: string, read: ReadSource): { message: string; stdout?: string[] } {
  const [, file, line] = EXAMPLE.exec(name) ?? [];
  if (file === undefined || !EXAMPLE_FAILED.test(output)) return { message: output };
  const printed = EXAMPLE_FAILED.exec(output)?.[1];
  const lines = file.endsWith('.rs') ? (read(file)?.split(/\r?\n/u) ?? []) : [];
  const message = output.replace(EXAMPLE_FAILED, '').replaceAll(PANIC_PLACE, (place, of, at, column) => {
    if (BUNDLE.test(of)) return `${file}:${line}:${column}`;
    if (of !== file || lines.length === 0 || mayPanic(lines[Number(at) - 1], Number(column))) return place;
    return `${file}:${exampleLine(lines, Number(line), Number(at), Number(column))}:${column}`;
  });
  return { message: message.trim(), ...(printed === undefined ? {} : { stdout: [printed] }) };
}

/** The only line of the example that can have panicked at that line of the compiled file; where there are more, its first. */
function exampleLine(lines: readonly string[], begin: number, at: number, column: number): number {
  const after = lines.slice(begin);
  const end = after.findIndex((text) => !DOC_LINE.test(text) || /^\s*`{3}/u.test(text.replace(DOC_LINE, '')));
  const code = after.slice(0, Math.max(0, Math.min(end, at - LINES_BEFORE))).map((text) => text.replace(DOC_LINE, ''));
  const [only, ...others] = code.flatMap((text, index) => (mayPanic(text, column) ? [begin + index + 1] : []));
  return only === undefined || others.length > 0 ? begin : only;
}

/** Whether an expression begins at a column, which counts from 1. */
function mayPanic(text = '', column: number): boolean {
  const rest = text.slice(column - 1);
  const isWithin = rest !== '' && !NO_EXPRESSION.test(rest) && !text.trimStart().startsWith('//');
  return isWithin && !/^\s/u.test(rest) && !/\w$/u.test(text.slice(0, column - 1));
}
