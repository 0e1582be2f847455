/**
 * Finds the function around a line by a header with a smaller indentation. Nothing is parsed, so an unusual form is
 * missed; the brief shows the code as well.
 */

export interface EnclosingFunction {
  name: string;
  /** Line of its header, from 1. */
  start: number;
  /** First line of the comment above it, or of the header. */
  from: number;
  /** Header up to the body, on one line. */
  signature: string;
}

const MAX_HEADER_LINES = 12;

/** A longer line is generated, and the expressions would take long. */
const MAX_HEADER_CHARACTERS = 300;

/** `function a`, `def a`, `pub fn a`, `func (s *S) a`, and `a()` of a shell. */
const KEYWORD =
  /^\s*(?:[\w()"]+\s+)*?(?:function\s*\*?|def|fn|func|fun)\s+(?:\([^)]*\)\s*)?(?:self\.)?(?<name>[\w$?!=:.-]+)/u;
const SHELL = /^\s*(?<name>[\w:.-]+)\s*\(\)\s*(?:\{|$)/u;
/** `const a = () =>`, `a: function`. */
const ASSIGNED =
  /^\s*(?:export\s+)?(?:(?:const|let|var)\s+)?(?<name>[\w$]+)\s*(?::[^=]+)?[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)?.*=>|[\w$]+\s*=>|\($)/u;
/** `async a(b) {`, `public static int a(int b)`. */
const METHOD =
  /^\s*(?:@\w+\s+)*(?:[\w<>[\],.?&*:]+\s+)*[*&]?(?<name>#?[\w$]+)\s*(?:<[^>]*>)?\([^;]*(?:[{,(]|\w\s+[\w$]+\([^;]*)\s*$/u;
const TYPED = /^\s*(?:@\w+\s+)*(?:[\w<>[\],.?&*:]+\s+)+[*&]?(?<name>[\w$]+)\s*\([^;]*\)\s*(?:throws [\w, .]+)?$/u;
/** Last, because a method is nearer. */
const CLASS = /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?<name>[\w$]+)/u;

/** Words before a parenthesis that begin no function. */
const NOT_NAMES =
  /^(?:if|else|for|foreach|while|switch|catch|return|new|throw|do|try|when|match|with|using|lock|await|function|super|assert)$/u;

/** The innermost function around a line. */
export function enclosingFunction(lines: readonly string[], line: number, file: string): EnclosingFunction | null {
  const hasKeywords = /\.(?:pyi?|rb|rake|go|rs|php|sh|bash|zsh)$/u.test(file);
  const forms = hasKeywords
    ? [KEYWORD, ...(/sh$/u.test(file) ? [SHELL] : [])]
    : [KEYWORD, ASSIGNED, METHOD, TYPED, CLASS];
  let limit = Number.POSITIVE_INFINITY;
  for (let index = line - 1; index >= 0 && limit > 0; index--) {
    const text = lines[index] ?? '';
    // Skip the end of a header of several lines, and a brace below its header.
    if (/^\s*(?:$|[)\]]|\{\s*$)/u.test(text)) continue;
    const indent = text.replaceAll('\t', '    ').search(/\S/u);
    const isLineItself = index === line - 1;
    if (!isLineItself && indent >= limit) continue;
    const name = headerName(text, forms);
    if (name !== undefined)
      return { name, start: index + 1, from: commentAbove(lines, index) + 1, signature: signatureAt(lines, index) };
    if (!isLineItself || indent > 0) limit = Math.min(limit, indent);
  }
  return null;
}

function headerName(text: string, forms: readonly RegExp[]): string | undefined {
  if (text.length > MAX_HEADER_CHARACTERS || /^\s*(?:return|throw|await|else|new)\b/u.test(text)) return undefined;
  return forms.map((form) => form.exec(text)?.groups?.name).find((name) => name !== undefined && !NOT_NAMES.test(name));
}

/** From the header to where its parentheses are closed. */
function signatureAt(lines: readonly string[], start: number): string {
  let depth = 0;
  let text = '';
  for (const line of lines.slice(start, start + MAX_HEADER_LINES)) {
    text += ` ${line.trim()}`;
    depth += (line.match(/[([]/gu)?.length ?? 0) - (line.match(/[)\]]/gu)?.length ?? 0);
    if (depth <= 0) break;
  }
  return text.trim().replace(/\s*\{$/u, '');
}

/** The index of its first line, decorators and attributes included. */
function commentAbove(lines: readonly string[], start: number): number {
  const isAbout = (line = '') => /^\s*(?:\/\/|\/\*|\*|#(?!!)|--|@|\[)/u.test(line);
  let first = start;
  while (first > 0 && start - first < MAX_HEADER_LINES && isAbout(lines[first - 1])) first--;
  return first;
}
