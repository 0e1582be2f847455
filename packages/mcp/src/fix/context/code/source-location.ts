/**
 * Where in the project the error comes from: the innermost frame that is the project's own, else the only line that
 * holds the error's words. Answers what, where and in which function. The stack trace is parsed by the engine.
 */

import path from 'node:path';
import { isSecretFile } from '../../../system/files/secret-files.ts';
import type { Finding, Frame } from '../context-model.ts';
import type { ContextScope, SourceLocation } from '../scope.ts';
import type { ProjectFiles } from './files.ts';
import { enclosingFunction } from './functions.ts';
import { isTestFile, searchLines } from './search.ts';

/** Folders whose code is somebody else's. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|\.rustup|vendor|\.yarn|\.pnpm|bower_components)\//u;

/** A path in another machine's or container's words may still end like one of the project's. */
const MIN_SUFFIX_PARTS = 2;

/** Each may cost a look through the names of all files. */
const MAX_FRAMES = 30;

/** Of the project's own, as many are told. */
const MAX_OWN_FRAMES = 6;

/** Shorter pieces of a message are found everywhere. */
const MIN_PHRASE_CHARACTERS = 10;

export async function findPlace(scope: ContextScope): Promise<SourceLocation | null> {
  const { location, frames = [] } = scope.request.error;
  for (const frame of [...(location === null ? [] : [location]), ...frames.slice(0, MAX_FRAMES)]) {
    const file = await projectFile(scope, frame);
    if (file !== undefined) return placeAt(scope, file, frame.line ?? 1, frame.function ?? null, 'stack trace');
  }
  return placeInOutput(scope) ?? (await placeOfWords(scope));
}

/** The frames that lead into the project, innermost first. */
export function ownFrames(scope: ContextScope): string[] {
  const { frames = [] } = scope.request.error;
  const own = frames.slice(0, MAX_FRAMES).flatMap((frame) => {
    const file = namedFile(scope, frame.file);
    const name = usable(frame.function ?? null);
    return file === undefined ? [] : [`${file}:${frame.line ?? 1}${name === null ? '' : ` ${name}`}`];
  });
  return [...new Set(own)].slice(0, MAX_OWN_FRAMES);
}

export function errorType({ request, place }: ContextScope): Finding {
  const { error_type, category, error_class, headline } = request.error;
  const kind = KINDS.find(({ pattern }) => pattern.test(`${error_type}: ${headline}`))?.kind ?? 'unknown';
  const words = [
    `${error_type || 'unknown'} (${kind} error; category ${category}${error_class ? `, ${error_class}` : ''})`,
    headline && `Message: ${headline}`,
    place?.traced === false && 'No line of a trace leads into the project.',
  ];
  return { answer: words.filter((line) => line).join('\n'), source: 'error text' };
}

/** The contract's words for kinds of errors; the first that fits. */
const KINDS: readonly { kind: string; pattern: RegExp }[] = [
  // By name first: the message of such an error may speak of anything.
  {
    kind: 'runtime',
    pattern:
      /^(?:\w+\.)*(?:TypeError|ReferenceError|RangeError|NameError|KeyError|IndexError|AttributeError|ValueError|NoMethodError|ZeroDivisionError|NullPointerException|NullReferenceException|ClassCastException|IndexOutOfBoundsException|IllegalArgumentException|IllegalStateException|ArithmeticException|panic)\b/u,
  },
  { kind: 'syntax', pattern: /SyntaxError|IndentationError|parse error|unexpected token|syntax error/iu },
  { kind: 'timeout', pattern: /time(?:d)?[ -]?out|ETIMEDOUT|deadline exceeded/iu },
  { kind: 'permission', pattern: /EACCES|EPERM|permission denied|forbidden|\b403\b|unauthori[sz]ed|\b401\b/iu },
  { kind: 'import', pattern: /ModuleNotFound|ImportError|cannot find (?:module|package)|unresolved import/iu },
  { kind: 'network', pattern: /ECONNREFUSED|ECONNRESET|ENOTFOUND|connection refused|socket hang up|no such host/iu },
  { kind: 'assertion', pattern: /Assertion|assert|expected .+ (?:to|but|received)/iu },
  { kind: 'memory', pattern: /OutOfMemory|OOMKilled|heap out of memory|MemoryError/iu },
  { kind: 'build', pattern: /BuildError|error\[E\d|error TS\d|cannot find symbol|undefined reference|compil/iu },
  { kind: 'configuration', pattern: /config|environment variable|not set|unbound variable/iu },
  { kind: 'runtime', pattern: /Error|Exception|panic|Traceback|segmentation/iu },
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
  const { enclosing } = place;
  const where = enclosing ? ` (${place.file}:${enclosing.start})` : '';
  return { answer: `${place.function}${where}`, source: enclosing ? place.file : place.source };
}

function placeAt(
  scope: ContextScope,
  file: string,
  line: number,
  named: string | null,
  source: string,
): SourceLocation {
  const lines = scope.files.lines(file) ?? [];
  // A file that has changed since may have fewer lines.
  const at = Math.min(Math.max(1, Math.trunc(line) || 1), Math.max(1, lines.length));
  const enclosing = enclosingFunction(lines, at, file);
  const traced = source === 'stack trace' || source === 'output';
  return { file, line: at, function: usable(named) ?? enclosing?.name ?? null, enclosing, lines, source, traced };
}

/** Names that runtimes give to what has none. */
function usable(name: string | null): string | null {
  if (name === null || name === '' || /^(?:<.+>|\(?anonymous\)?|\?|\{.*closure.*\}.*)$/u.test(name)) return null;
  return name.replace(/^(?:async|new) /u, '');
}

/** The project's own file a frame means, or undefined. */
async function projectFile(scope: ContextScope, { file, function: name }: Frame): Promise<string | undefined> {
  const parts = partsOf(file);
  return namedFile(scope, file) ?? (parts.length > 0 ? await byName(scope, parts, name ?? '') : undefined);
}

/** The same by the path alone. */
function namedFile({ files }: ContextScope, file: string): string | undefined {
  const parts = partsOf(file);
  const direct = parts.length > 0 ? files.inside(pathOf(file)) : undefined;
  if (direct !== undefined && isOwn(files, direct)) return direct;
  for (let from = 1; parts.length - from >= MIN_SUFFIX_PARTS; from++) {
    const suffix = files.inside(parts.slice(from).join('/'));
    if (suffix !== undefined && isOwn(files, suffix)) return suffix;
  }
  return undefined;
}

function isOwn(files: ProjectFiles, file: string): boolean {
  return !FOREIGN.test(file) && !isSecretFile(file) && files.has(file);
}

function pathOf(written: string): string {
  return written.replace(/^(?:file:\/\/|webpack(?:-internal)?:\/\/\/?)/u, '').replaceAll('\\', '/');
}

/** None where it is no file of a project. */
function partsOf(written: string): string[] {
  const file = pathOf(written);
  if (/^node:|^<.+>$/u.test(file) || FOREIGN.test(file)) return [];
  return file.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
}

/** Java and Kotlin give the name of the file alone; the class says in which folder. */
async function byName(
  { git, files }: ContextScope,
  parts: readonly string[],
  qualified: string,
): Promise<string | undefined> {
  const name = parts.at(-1);
  if (git === null || name === undefined || !/\.\w+$/u.test(name)) return undefined;
  const { stdout } = await git([
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    `:(glob)**/${name}`,
  ]);
  const found = stdout.split('\0').filter((one) => one !== '' && isOwn(files, one));
  const folder = qualified.split('.').slice(0, -2).join('/');
  const inPackage = folder === '' ? [] : found.filter((one) => path.posix.dirname(one).endsWith(folder));
  const candidates = inPackage.length > 0 ? inPackage : found;
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** `src/a.ts:3:21`, `src/a.ts(3,21)`, `"a.py", line 3`, in whatever form a runner prints its failures. */
const PLACE =
  /(?<![\w./\\-])((?:file:\/\/)?(?:[A-Za-z]:)?[\w@./\\+-]{0,300}[\w-]\.[A-Za-z]\w{0,5})(?::|\(|", line )(\d{1,6})/gu;

/** Later ones are no nearer. */
const MAX_PLACES = 40;

/** The first line of the project that the output names; of a test only where it names nothing else. */
function placeInOutput(scope: ContextScope): SourceLocation | null {
  const named = [...scope.request.errorText.matchAll(PLACE)].slice(0, MAX_PLACES).flatMap(([, file = '', line]) => {
    const own = namedFile(scope, file);
    return own === undefined ? [] : [{ file: own, line: Number(line) }];
  });
  const best = named.find(({ file }) => !isTestFile(file)) ?? named[0];
  return best === undefined ? null : placeAt(scope, best.file, best.line, null, 'output');
}

/** The line that throws a message holds its words; only when there is just one such line. */
async function placeOfWords(scope: ContextScope): Promise<SourceLocation | null> {
  for (const phrase of phrasesOf(scope.request.error.headline)) {
    const hits = (await searchLines(scope, phrase, { limit: 20 })).filter((hit) => !isTestFile(hit.file));
    const [only, ...others] = hits;
    if (only !== undefined && others.length === 0) {
      return placeAt(scope, only.file, only.line, null, `search for "${phrase}"`);
    }
  }
  return null;
}

/** The pieces of a message that stand in the source as they are: between values, longest first. */
export function phrasesOf(headline: string): string[] {
  return headline
    .replace(/^[\w.$]*(?:Error|Exception|panic\w*|fatal|failed)\b[^:]{0,40}:\s*/iu, '')
    .split(/["'`<>{}()[\]:;=]|\d+|\/\S+|\.\s|\s-\s/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= MIN_PHRASE_CHARACTERS && piece.includes(' '))
    .sort((a, b) => b.length - a.length)
    .slice(0, 2);
}
