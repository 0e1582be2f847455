/**
 * Corrects the locations of failed examples in Rust documentation. rustdoc compiles each example in a file with the
 * name of the source and with additional lines before the example, so the location of a panic is in that file
 * unless it is in the source.
 */

/** Matches `src/cart.rs - cart::total (line 12)`, the start of an example. */
const EXAMPLE = /^(.+?) - (?:.+ )?\(line (\d+)\)/u;
/** The text of rustdoc before the output of the example. */
const EXAMPLE_FAILED = /^Test executable failed \(.*\)\.\n\n(?:stdout:\n([\s\S]*?)\n)?stderr:\n/u;
const PANIC_PLACE = /(?<= panicked at )(\S+):(\d+):(\d+)/gu;
/** Since Rust 2024, several examples are compiled into one file. */
const BUNDLE = /\bdoctest_bundle_\d+\.rs$/u;

const DOC_LINE = /^\s*\/\/[/!] ?(?:# )?/u;
/** Matches lines that do not start an expression: a comment, an attribute, an item, a binding, an end. */
const NO_EXPRESSION =
  /^(?:\/\/|#|[})\]]|(?:pub|use|mod|fn|struct|enum|impl|trait|type|const|static|extern|unsafe|async|let|macro_rules!)(?![\w(]))/u;
/** rustdoc adds at least two lines before the example. */
const LINES_BEFORE = 2;

/** Reads a file of the project. Returns undefined if it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/** The failure of a test of `cargo test`. For an example, the panic with a location in the source. */
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

/**
 * The only line of the example that can have panicked at this line of the compiled file. If there are several, the
 * first line of the example.
 */
function exampleLine(lines: readonly string[], begin: number, at: number, column: number): number {
  const after = lines.slice(begin);
  const end = after.findIndex((text) => !DOC_LINE.test(text) || /^\s*`{3}/u.test(text.replace(DOC_LINE, '')));
  const code = after.slice(0, Math.max(0, Math.min(end, at - LINES_BEFORE))).map((text) => text.replace(DOC_LINE, ''));
  const [only, ...others] = code.flatMap((text, index) => (mayPanic(text, column) ? [begin + index + 1] : []));
  return only === undefined || others.length > 0 ? begin : only;
}

/** Returns true if an expression starts at a column. Columns start at 1. */
function mayPanic(text = '', column: number): boolean {
  const rest = text.slice(column - 1);
  const isWithin = rest !== '' && !NO_EXPRESSION.test(rest) && !text.trimStart().startsWith('//');
  return isWithin && !/^\s/u.test(rest) && !/\w$/u.test(text.slice(0, column - 1));
}
