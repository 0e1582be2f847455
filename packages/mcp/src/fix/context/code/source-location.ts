/**
 * Finds the place of the error in the project: the first frame in a file of the project, or else the only line with the
 * words of the error. The engine has parsed the frames.
 */

import { isSecretFile } from '../../../system/files/secret-files.ts';
import type { Finding, Frame } from '../context-model.ts';
import type { ContextScope, SourceLocation } from '../scope.ts';
import { enclosingFunction } from './functions.ts';
import { isTestFile, searchLines } from './search.ts';

/** Folders with third-party code. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|\.rustup|vendor|\.yarn|\.pnpm|bower_components)\//u;

/** Each frame may cost a search through the names of all files. */
const MAX_FRAMES = 30;

/** Frames of the project in a brief. */
const MAX_OWN_FRAMES = 6;

/** Shorter phrases match too many lines. */
const MIN_PHRASE_CHARACTERS = 10;

export async function findPlace(scope: ContextScope): Promise<SourceLocation | null> {
  const { location, frames = [], headline } = scope.request.error;
  for (const frame of [...(location === null ? [] : [location]), ...frames.slice(0, MAX_FRAMES)]) {
    const file = fileOf(scope, frame.file) ?? (await fileByName(scope, frame));
    if (file !== undefined) return placeAt(scope, file, frame.line ?? 1, frame.function, 'stack trace');
  }
  // The line that throws the error contains its words; several matches prove nothing.
  for (const phrase of phrasesOf(headline)) {
    const hits = await searchLines(scope, phrase, { limit: 20 });
    const [only, ...others] = hits.filter((hit) => !isTestFile(hit.file));
    if (only && others.length === 0) return placeAt(scope, only.file, only.line, null, `search for "${phrase}"`);
  }
  return null;
}

/** The frames that lead into the project, innermost first. */
export function ownFrames(scope: ContextScope): string[] {
  const own = (scope.request.error.frames ?? []).slice(0, MAX_FRAMES).flatMap((frame) => {
    const file = fileOf(scope, frame.file);
    const name = usable(frame.function);
    return file === undefined ? [] : [`${file}:${frame.line ?? 1}${name === null ? '' : ` ${name}`}`];
  });
  return [...new Set(own)].slice(0, MAX_OWN_FRAMES);
}

export function errorType({ request, place }: ContextScope): Finding {
  const { error_type, category, error_class, headline } = request.error;
  const kind = KINDS.find(([, pattern]) => pattern.test(`${error_type}: ${headline}`))?.[0] ?? 'unknown';
  const words = [
    `${error_type || 'unknown'} (${kind} error; category ${category}${error_class ? `, ${error_class}` : ''})`,
    headline && `Message: ${headline}`,
    place?.traced === false && 'No line of a trace leads into the project.',
  ];
  return { answer: words.filter((line) => line).join('\n'), source: 'error text' };
}

/** The contract's kinds of errors; the first match counts. Names come first, because a message may mention anything. */
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

export function whereOf({ place, request }: ContextScope): Finding {
  if (place === null) {
    const seen = request.error.location?.file;
    if (seen) return { why_not: `The trace names ${seen}, which is no file of the project.` };
    return { why_not: 'The output names no file of the project, and no line of it holds the words of the error.' };
  }
  const how = place.traced ? '' : ' (it holds the words of the error; no trace names it)';
  return { answer: `${place.file}:${place.line}${how}`, source: place.source };
}

export function functionOf({ place }: ContextScope): Finding {
  if (place === null) return { why_not: 'The place of the error is not known.' };
  if (place.function === null) return { why_not: `${place.file}:${place.line} is in no function.` };
  const where = place.enclosing && `${place.file}:${place.enclosing.start}`;
  return { answer: `${place.function}${where ? ` (${where})` : ''}`, source: where ?? place.source };
}

function placeAt(
  scope: ContextScope,
  file: string,
  line: number,
  named: Frame['function'],
  source: string,
): SourceLocation {
  const lines = scope.files.lines(file) ?? [];
  // A file that has changed since may have fewer lines.
  const at = Math.min(Math.max(1, Math.trunc(line) || 1), Math.max(1, lines.length));
  const enclosing = enclosingFunction(lines, at, file);
  const name = usable(named) ?? enclosing?.name ?? null;
  return { file, line: at, function: name, enclosing, lines, source, traced: source === 'stack trace' };
}

/** Skips the placeholder names of runtimes, such as `<anonymous>`. */
function usable(name: Frame['function']): string | null {
  const isNone = !name || /^(?:<.+>|\(?anonymous\)?|\?|\{.*closure.*\}.*)$/u.test(name);
  return isNone ? null : name.replace(/^(?:async|new) /u, '');
}

/** The file of the project for a path of a trace; a path of another machine or container is matched by its end. */
function fileOf({ files }: ContextScope, written: string): string | undefined {
  const named = written.replace(/^(?:file:\/\/|webpack(?:-internal)?:\/\/\/?)/u, '').replaceAll('\\', '/');
  if (/^node:|^<.+>$/u.test(named) || FOREIGN.test(named)) return undefined;
  const parts = named.split('/').filter((part) => !/^\.{0,2}$/u.test(part));
  const suffixes = parts.slice(1, -1).map((_, index) => parts.slice(index + 1).join('/'));
  return [named, ...suffixes]
    .map((file) => files.inside(file))
    .find((file) => file !== undefined && !FOREIGN.test(file) && !isSecretFile(file) && files.has(file));
}

/** Traces of Java and Kotlin have only the name of the file; the class gives its folder. */
async function fileByName(scope: ContextScope, { file, function: qualified }: Frame): Promise<string | undefined> {
  if (scope.git === null || !/^[^/\\]+\.\w+$/u.test(file)) return undefined;
  const folder = (qualified ?? '').split('.').slice(0, -2).join('/');
  for (const pattern of [`${folder}/${file}`, file]) {
    const glob = `:(glob)**/${pattern}`;
    const { stdout } = await scope.git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', glob]);
    const [only, ...others] = stdout.split('\0').filter((one) => fileOf(scope, one) === one);
    if (only !== undefined && others.length === 0) return only;
  }
  return undefined;
}

/** Phrases of a message that the source contains literally, because they are between values; longest first. */
export function phrasesOf(headline: string): string[] {
  return headline
    .replace(/^[\w.$]*(?:Error|Exception|panic\w*|fatal|failed)\b[^:]{0,40}:\s*/iu, '')
    .split(/["'`<>{}()[\]:;=]|\d+|\/\S+|\.\s|\s-\s/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= MIN_PHRASE_CHARACTERS && piece.includes(' '))
    .sort((a, b) => b.length - a.length)
    .slice(0, 2);
}
