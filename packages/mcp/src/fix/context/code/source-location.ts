/**
 * Finds the location of the error in the project: the first frame in a file of the project, otherwise the only line
 * with the words of the error. The engine has parsed the frames.
 */

import { isSecretFile } from '../../../system/files/secret-files.ts';
import type { ContextScope, EnclosingFunction, Finding, SourceLocation, StackFrame } from '../context-model.ts';
import { isTestFile, searchLines } from './search.ts';

/** Matches folders with third-party code. */
const THIRD_PARTY_FOLDER =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|\.rustup|vendor|\.yarn|\.pnpm|bower_components)\//u;

/** Each frame may need a search through the names of all files. */
const MAX_FRAMES = 30;

/** Maximum number of frames in a brief. */
const MAX_BRIEF_FRAMES = 6;

/** Shorter phrases match too many lines. */
const MIN_PHRASE_CHARACTERS = 10;

export async function findSourceLocation(scope: ContextScope): Promise<SourceLocation | null> {
  const { location, frames = [], headline } = scope.request.error;
  for (const frame of [...(location === null ? [] : [location]), ...frames.slice(0, MAX_FRAMES)]) {
    const file = findProjectFile(scope, frame.file) ?? (await findFileByName(scope, frame));
    if (file !== undefined) return createLocation(scope, file, frame.line ?? 1, frame.function, 'stack trace');
  }
  // A line of the source that contains the message probably throws the error. Several matches do not show which line
  // does.
  for (const phrase of extractPhrases(headline)) {
    const hits = await searchLines(scope, phrase, { limit: 20 });
    const [only, ...others] = hits.filter((hit) => !isTestFile(hit.file));
    if (only && others.length === 0) return createLocation(scope, only.file, only.line, null, `search for "${phrase}"`);
  }
  return null;
}

/** Returns the frames in files of the project, the innermost first. */
export function listProjectFrames(scope: ContextScope): string[] {
  const own = (scope.request.error.frames ?? []).slice(0, MAX_FRAMES).flatMap((frame) => {
    const file = findProjectFile(scope, frame.file);
    const name = toFunctionName(frame.function);
    return file === undefined ? [] : [`${file}:${frame.line ?? 1}${name === null ? '' : ` ${name}`}`];
  });
  return [...new Set(own)].slice(0, MAX_BRIEF_FRAMES);
}

export function describeErrorType({ request, place }: ContextScope): Finding {
  const { error_type, category, error_class, headline } = request.error;
  const kind = KINDS.find(([, pattern]) => pattern.test(`${error_type}: ${headline}`))?.[0] ?? 'unknown';
  const lines = [
    `${error_type || 'unknown'} (${kind} error; category ${category}${error_class ? `, ${error_class}` : ''})`,
    headline && `Message: ${headline}`,
    place?.traced === false && 'No line of the stack trace is in the project.',
  ];
  return { answer: lines.filter((line) => line).join('\n'), source: 'error text' };
}

/**
 * The kinds of errors in the contract. The first match counts, and names of error types come first, because a message
 * may contain any word.
 */
const KINDS: readonly [kind: string, pattern: RegExp][] = [
  [
    'runtime',
    /^(?:\w+\.)*(?:(?:Type|Reference|Range|Name|Key|Index|Attribute|Value|NoMethod|ZeroDivision)Error|panic)\b/u,
  ],
  ['runtime', /^(?:\w+\.)*(?:Null(?:Pointer|Reference)|ClassCast|IndexOutOfBounds|Illegal\w+|Arithmetic)Exception\b/u],
  ['syntax', /SyntaxError|IndentationError|parse error|unexpected token|syntax error/iu],
  ['timeout', /time(?:d)?[ -]?out|ETIMEDOUT|deadline exceeded/iu],
  ['permission', /EACCES|EPERM|permission denied|forbidden|\b403\b|unauthori[sz]ed|\b401\b/iu],
  ['import', /ModuleNotFound|ImportError|cannot find (?:module|package)|unresolved import/iu],
  ['network', /ECONNREFUSED|ECONNRESET|ENOTFOUND|connection refused|socket hang up|no such host/iu],
  ['assertion', /Assertion|assert|expected .+ (?:to|but|received)/iu],
  ['memory', /OutOfMemory|OOMKilled|heap out of memory|MemoryError/iu],
  ['build', /BuildError|error\[E\d|error TS\d|cannot find symbol|undefined reference|compil/iu],
  ['configuration', /config|environment variable|not set|unbound variable/iu],
  ['runtime', /Error|Exception|panic|Traceback|segmentation/iu],
];

export function describeLocation({ place, request }: ContextScope): Finding {
  if (place === null) {
    const seen = request.error.location?.file;
    if (seen) return { why_not: `The stack trace names ${seen}, which is not a file of the project.` };
    return {
      why_not: 'The output names no file of the project, and no line of the project contains the words of the error.',
    };
  }
  const how = place.traced ? '' : ' (contains the words of the error; no stack trace names it)';
  return { answer: `${place.file}:${place.line}${how}`, source: place.source };
}

export function describeFunction({ place }: ContextScope): Finding {
  if (place === null) return { why_not: 'The location of the error is unknown.' };
  if (place.function === null) return { why_not: `${place.file}:${place.line} is not in a function.` };
  const where = place.enclosing && `${place.file}:${place.enclosing.start}`;
  return { answer: `${place.function}${where ? ` (${where})` : ''}`, source: where ?? place.source };
}

function createLocation(
  scope: ContextScope,
  file: string,
  line: number,
  frameFunction: StackFrame['function'],
  source: string,
): SourceLocation {
  const lines = scope.files.readLines(file) ?? [];
  // The file may have fewer lines now than when the error occurred.
  const existingLine = Math.min(Math.max(1, Math.trunc(line) || 1), Math.max(1, lines.length));
  const enclosing = findEnclosingFunction(lines, existingLine, file);
  const name = toFunctionName(frameFunction) ?? enclosing?.name ?? null;
  return { file, line: existingLine, function: name, enclosing, lines, source, traced: source === 'stack trace' };
}

/** Returns null for the placeholder names of runtimes, such as `<anonymous>`. */
function toFunctionName(name: StackFrame['function']): string | null {
  const isNone = !name || /^(?:<.+>|\(?anonymous\)?|\?|\{.*closure.*\}.*)$/u.test(name);
  return isNone ? null : name.replace(/^(?:async|new) /u, '');
}

/** Returns the project file for a path of a trace. A path from another machine or container is matched by its end. */
function findProjectFile({ files }: ContextScope, written: string): string | undefined {
  const named = written.replace(/^(?:file:\/\/|webpack(?:-internal)?:\/\/\/?)/u, '').replaceAll('\\', '/');
  if (/^node:|^<.+>$/u.test(named) || THIRD_PARTY_FOLDER.test(named)) return undefined;
  const parts = named.split('/').filter((part) => !/^\.{0,2}$/u.test(part));
  const suffixes = parts.slice(1, -1).map((_, index) => parts.slice(index + 1).join('/'));
  return [named, ...suffixes]
    .map((file) => files.toRelativePath(file))
    .find((file) => file !== undefined && !THIRD_PARTY_FOLDER.test(file) && !isSecretFile(file) && files.has(file));
}

/** Finds a file by its name only. Traces of Java and Kotlin contain no path, but the class gives the folder. */
async function findFileByName(
  scope: ContextScope,
  { file, function: qualified }: StackFrame,
): Promise<string | undefined> {
  if (scope.git === null || !/^[^/\\]+\.\w+$/u.test(file)) return undefined;
  const folder = (qualified ?? '').split('.').slice(0, -2).join('/');
  for (const pattern of [`${folder}/${file}`, file]) {
    const glob = `:(glob)**/${pattern}`;
    const { stdout } = await scope.git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', glob]);
    const [only, ...others] = stdout.split('\0').filter((one) => findProjectFile(scope, one) === one);
    if (only !== undefined && others.length === 0) return only;
  }
  return undefined;
}

/**
 * Returns the phrases of a message that the source probably contains literally, because they are between inserted
 * values. The longest phrase comes first.
 */
export function extractPhrases(headline: string): string[] {
  return headline
    .replace(/^[\w.$]*(?:Error|Exception|panic\w*|fatal|failed)\b[^:]{0,40}:\s*/iu, '')
    .split(/["'`<>{}()[\]:;=]|\d+|\/\S+|\.\s|\s-\s/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= MIN_PHRASE_CHARACTERS && piece.includes(' '))
    .sort((a, b) => b.length - a.length)
    .slice(0, 2);
}

/*
 * Finds the function around a line by looking upward for a header with a smaller indentation. The code is not parsed,
 * so unusual forms are missed, but the brief also shows the code.
 */

const MAX_HEADER_LINES = 12;

/** Longer lines are skipped, because they are usually generated, and the regular expressions would take long. */
const MAX_HEADER_CHARACTERS = 300;

/** Matches `function a`, `def a`, `pub fn a` and `func (s *S) a`. */
const KEYWORD_FUNCTION =
  /^\s*(?:[\w()"]+\s+)*?(?:function\s*\*?|def|fn|func|fun)\s+(?:\([^)]*\)\s*)?(?:self\.)?(?<name>[\w$?!=:.-]+)/u;
const SHELL_FUNCTION = /^\s*(?<name>[\w:.-]+)\s*\(\)\s*(?:\{|$)/u;
/** Matches `const a = () =>` and `a: function`. */
const ASSIGNED_FUNCTION =
  /^\s*(?:export\s+)?(?:(?:const|let|var)\s+)?(?<name>[\w$]+)\s*(?::[^=]+)?[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)?.*=>|[\w$]+\s*=>|\($)/u;
/** Matches `async a(b) {` and `public static int a(int b)`. */
const METHOD =
  /^\s*(?:@\w+\s+)*(?:[\w<>[\],.?&*:]+\s+)*[*&]?(?<name>#?[\w$]+)\s*(?:<[^>]*>)?\([^;]*(?:[{,(]|\w\s+[\w$]+\([^;]*)\s*$/u;
const TYPED_METHOD =
  /^\s*(?:@\w+\s+)*(?:[\w<>[\],.?&*:]+\s+)+[*&]?(?<name>[\w$]+)\s*\([^;]*\)\s*(?:throws [\w, .]+)?$/u;
/** Tried last, because a method is closer to the line than its class. */
const CLASS = /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?<name>[\w$]+)/u;

/** Words before a parenthesis that are not the name of a function. */
const NON_FUNCTION_WORDS =
  /^(?:if|else|for|foreach|while|switch|catch|return|new|throw|do|try|when|match|with|using|lock|await|function|super|assert)$/u;

/** Returns the innermost function around a line. */
export function findEnclosingFunction(lines: readonly string[], line: number, file: string): EnclosingFunction | null {
  const hasKeywords = /\.(?:pyi?|rb|rake|go|rs|php|sh|bash|zsh)$/u.test(file);
  const forms = hasKeywords
    ? [KEYWORD_FUNCTION, ...(/sh$/u.test(file) ? [SHELL_FUNCTION] : [])]
    : [KEYWORD_FUNCTION, ASSIGNED_FUNCTION, METHOD, TYPED_METHOD, CLASS];
  let limit = Number.POSITIVE_INFINITY;
  for (let index = line - 1; index >= 0 && limit > 0; index--) {
    const text = lines[index] ?? '';
    // Skip the end of a header that spans several lines, and a brace below its header.
    if (/^\s*(?:$|[)\]]|\{\s*$)/u.test(text)) continue;
    const indent = text.replaceAll('\t', '    ').search(/\S/u);
    const isLineItself = index === line - 1;
    if (!isLineItself && indent >= limit) continue;
    const name = parseHeaderName(text, forms);
    if (name !== undefined)
      return {
        name,
        start: index + 1,
        from: findCommentStart(lines, index) + 1,
        signature: readSignature(lines, index),
      };
    if (!isLineItself || indent > 0) limit = Math.min(limit, indent);
  }
  return null;
}

function parseHeaderName(text: string, forms: readonly RegExp[]): string | undefined {
  if (text.length > MAX_HEADER_CHARACTERS || /^\s*(?:return|throw|await|else|new)\b/u.test(text)) return undefined;
  return forms
    .map((form) => form.exec(text)?.groups?.name)
    .find((name) => name !== undefined && !NON_FUNCTION_WORDS.test(name));
}

/** Returns the text from the header to the line that closes its parentheses, on one line. */
function readSignature(lines: readonly string[], start: number): string {
  let depth = 0;
  let text = '';
  for (const line of lines.slice(start, start + MAX_HEADER_LINES)) {
    text += ` ${line.trim()}`;
    depth += (line.match(/[([]/gu)?.length ?? 0) - (line.match(/[)\]]/gu)?.length ?? 0);
    if (depth <= 0) break;
  }
  return text.trim().replace(/\s*\{$/u, '');
}

/** Returns the index of the first line of the comment above a header, including decorators and attributes. */
function findCommentStart(lines: readonly string[], start: number): number {
  const isCommentOrAttribute = (line = '') => /^\s*(?:\/\/|\/\*|\*|#(?!!)|--|@|\[)/u.test(line);
  let first = start;
  while (first > 0 && start - first < MAX_HEADER_LINES && isCommentOrAttribute(lines[first - 1])) first--;
  return first;
}
