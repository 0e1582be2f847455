/**
 * Finds the function around a line, its signature and what is said of it, by the shape of the code: a header less
 * indented than the line. Enough to read by, in ten languages. Nothing is parsed: a function written in an odd way is
 * not seen.
 */

import path from 'node:path';

export interface EnclosingFunction {
  name: string;
  /** Line of its header, from 1. */
  start: number;
  /** Header up to the body, on one line. */
  signature: string;
  /** The comment or docstring of it. */
  doc: string | null;
}

/** Longer headers are cut. */
const MAX_HEADER_LINES = 12;
const MAX_DOC_LINES = 20;

/** A longer line is generated, and takes long to look at. */
const MAX_HEADER_CHARACTERS = 300;

const JAVASCRIPT = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?<name>[\w$]+)\s*[(<]/u,
  /^\s*(?:export\s+)?(?:const|let|var)\s+(?<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)?.*=>|[\w$]+\s*=>|\($)/u,
  /^\s*(?:(?:public|private|protected|static|async|override|readonly|get|set)\s+)*\*?(?<name>#?[\w$]+)\s*(?:<[^>]*>)?\([^;]*(?:\)\s*(?::[^{]+)?\{|,|\()\s*$/u,
  /^\s*(?<name>[\w$]+)\s*:\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>)/u,
  // Class bodies come last: a method is nearer.
  /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?<name>[\w$]+)/u,
];
const C_LIKE = [
  /^\s*(?:@\w+\s+)*(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|synchronized|suspend|open|inline|default|native|partial)\s+)*(?:fun\s+(?:<[^>]+>\s*)?|[\w<>[\],.?&*: ]+\s+\*?)(?<name>[\w$]+)\s*\([^;]*$/u,
];

const HEADERS: readonly { extensions: readonly string[]; patterns: readonly RegExp[] }[] = [
  {
    extensions: ['.js', '.jsx', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.vue', '.svelte'],
    patterns: JAVASCRIPT,
  },
  { extensions: ['.py', '.pyi'], patterns: [/^\s*(?:async\s+)?def\s+(?<name>\w+)\s*[([]/u] },
  { extensions: ['.go'], patterns: [/^func\s+(?:\([^)]*\)\s*)?(?<name>\w+)\s*[([]/u] },
  {
    extensions: ['.rs'],
    patterns: [/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(?<name>\w+)/u],
  },
  { extensions: ['.rb', '.rake'], patterns: [/^\s*def\s+(?:self\.)?(?<name>[\w?!=]+)/u] },
  {
    extensions: ['.php'],
    patterns: [/^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*function\s+&?(?<name>\w+)\s*\(/u],
  },
  {
    extensions: ['.sh', '.bash', '.zsh'],
    patterns: [/^\s*(?:function\s+(?<name>[\w:.-]+)|(?<named>[\w:.-]+)\s*\(\))/u],
  },
  {
    extensions: [
      '.java',
      '.kt',
      '.kts',
      '.cs',
      '.scala',
      '.c',
      '.h',
      '.cc',
      '.cpp',
      '.hpp',
      '.swift',
      '.dart',
      '.groovy',
    ],
    patterns: C_LIKE,
  },
];

/** Words before a parenthesis that begin no function. */
const NOT_NAMES = new Set(
  'if else for foreach while switch catch return new throw do try when match with using lock await function super assert'.split(
    ' ',
  ),
);

/** The innermost function around a line. */
export function enclosingFunction(lines: readonly string[], line: number, file: string): EnclosingFunction | null {
  const patterns = HEADERS.find(({ extensions }) => extensions.includes(path.extname(file)))?.patterns;
  if (patterns === undefined) return null;
  let limit = Number.POSITIVE_INFINITY;
  for (let index = line - 1; index >= 0; index--) {
    const text = lines[index] ?? '';
    // The end of a header of several lines, and a brace under its header, are no lines of their own.
    if (/^\s*(?:$|[)\]]|\{\s*$)/u.test(text)) continue;
    const indent = indentOf(text);
    const isLineItself = index === line - 1;
    if (!isLineItself && indent >= limit) continue;
    const name = headerName(text, patterns);
    if (name !== undefined) {
      const { signature, end } = signatureAt(lines, index, file);
      return { name, start: index + 1, signature, doc: docOf(lines, index, end, file) };
    }
    limit = Math.min(limit, indent);
    if (limit === 0 && !/^[\s)\]}]/u.test(text) && !isLineItself) break;
  }
  return null;
}

function headerName(text: string, patterns: readonly RegExp[]): string | undefined {
  if (text.length > MAX_HEADER_CHARACTERS) return undefined;
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    const name = groups?.name ?? groups?.named;
    if (name !== undefined && !NOT_NAMES.has(name) && !/^\s*(?:return|throw|await|else|new)\b/u.test(text)) return name;
  }
  return undefined;
}

function indentOf(text: string): number {
  return text.replaceAll('\t', '    ').search(/\S/u);
}

/** From the header to where the body begins. */
function signatureAt(lines: readonly string[], start: number, file: string): { signature: string; end: number } {
  let depth = 0;
  let text = '';
  for (let index = start; index < Math.min(lines.length, start + MAX_HEADER_LINES); index++) {
    const line = (lines[index] ?? '').trim();
    text += `${text === '' ? '' : ' '}${line}`;
    depth += count(line, /[([]/gu) - count(line, /[)\]]/gu);
    const open =
      /[{:]\s*(?:#.*|\/\/.*)?$|=>|^end$|;$/u.test(line) || !/\.(?:py|[jt]sx?|rs|go|java|cs|kt|php)$/u.test(file);
    if (depth <= 0 && open) return { signature: text.replace(/\s*\{$/u, ''), end: index };
  }
  return { signature: text, end: start };
}

function docOf(lines: readonly string[], start: number, end: number, file: string): string | null {
  const doc = file.endsWith('.py') ? docstring(lines, end + 1) : commentAbove(lines, start);
  return doc === '' ? null : doc;
}

function docstring(lines: readonly string[], from: number): string {
  const first = (lines[from] ?? '').trim();
  const quote = /^[rubf]*("""|'''|"|')/iu.exec(first)?.[1];
  if (quote === undefined) return '';
  const text = lines
    .slice(from, from + MAX_DOC_LINES)
    .join('\n')
    .trim()
    .replace(/^[rubf]*/iu, '')
    .slice(quote.length);
  const close = text.indexOf(quote);
  return tidied(close < 0 ? text : text.slice(0, close));
}

/** The comment right above, decorators and attributes passed over. */
function commentAbove(lines: readonly string[], start: number): string {
  const found: string[] = [];
  for (let index = start - 1; index >= 0 && found.length < MAX_DOC_LINES; index--) {
    const line = (lines[index] ?? '').trim();
    if (/^(?:\/\/|\/\*|\*|#(?!!|\[)|--|\*\/)/u.test(line)) found.unshift(line);
    else if (/^(?:@|#\[|\[)/u.test(line) && found.length === 0) continue;
    else break;
  }
  return tidied(
    found.map((line) => line.replace(/^(?:\/\/[/!]?|\/\*+|\*+\/|\*|#+|--)\s?/u, '').replace(/\*+\/$/u, '')).join('\n'),
  );
}

function tidied(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
