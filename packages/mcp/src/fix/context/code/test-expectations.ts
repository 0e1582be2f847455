/**
 * Finds what the tests expect: shows the failing test, otherwise a test that names the failing function or file. Also
 * finds the function that a failing test calls.
 */

import path from 'node:path';
import type { ContextScope, Finding, SourceLocation, TestedFunction } from '../context-model.ts';
import { formatCodeAround } from './failing-code.ts';
import { type Hit, isTestFile, searchLines } from './search.ts';
import { findEnclosingFunction } from './source-location.ts';

/** Pathspecs of git. */
const TEST_FILES = [
  ...['*.test.*', '*.spec.*', 'test_*.py', '*_test.*', '*_spec.rb', '*Test.*', '*Tests.*', '*Spec.*'],
  ...['test/**', 'tests/**', 'spec/**', '__tests__/**'],
].map((pattern) => `:(glob)**/${pattern}`);

export async function findTestExpectations(scope: ContextScope): Promise<Finding> {
  const { place, request } = scope;
  const verified = request.test ? `\nVerified by: ${request.test}` : '';
  const hit = findTestFrame(scope) ?? (await findFailingTest(scope)) ?? (await findTestOfLocation(scope));
  if (hit === undefined) {
    if (verified) return { answer: verified.trim(), source: '--test' };
    const name = place?.function ?? place?.file;
    return { why_not: name === undefined ? 'The output names no test.' : `No test file mentions ${name}.` };
  }
  const source = `${hit.file}:${hit.line}`;
  const isShown = scope.tested === null && hit.file === place?.file && hit.line === place?.line;
  const code = isShown
    ? 'See question 5.'
    : `${source}\n${formatCodeAround(scope.files.readLines(hit.file) ?? [], hit.line)}`;
  return { answer: `${code}${verified}`, source };
}

type TestLocation = Pick<Hit, 'file' | 'line'>;

/** Returns the first frame of the trace that is in a test file. */
function findTestFrame({ request, files, place }: ContextScope): TestLocation | undefined {
  if (place?.traced && isTestFile(place.file)) return place;
  for (const { file: frameFile, line } of [request.error.location, ...(request.error.frames ?? [])].filter(
    (one) => one !== null,
  )) {
    const file = files.toRelativePath(frameFile.replace(/^file:\/\//u, ''));
    if (file !== undefined && isTestFile(file) && line) return { file, line };
  }
  return undefined;
}

/** Finds the failing test by its name, without the names of suites that runners print before it. */
async function findFailingTest(scope: ContextScope): Promise<TestLocation | undefined> {
  for (const name of (scope.request.error.failing_tests ?? []).slice(0, 3)) {
    const own = name.split(/\s+[>›»]\s+|::|\s+#|(?<=\w)\.(?=test)/u).at(-1) ?? '';
    const [hit] = await searchTests(scope, own.replace(/\[.*\]$|\(.*\)$/u, '').trim());
    if (hit !== undefined) return hit;
  }
  return undefined;
}

/** Finds a test that names the failing function or file. Prefers assertions, then calls, then imports. */
async function findTestOfLocation(scope: ContextScope): Promise<TestLocation | undefined> {
  const { place } = scope;
  const base = path.posix.basename(place?.file ?? '').replace(/\.\w+$/u, '');
  for (const name of [place?.function?.split(/[.:#]+/u).at(-1) ?? '', base]) {
    const hits = await searchTests(scope, name);
    const rank = ({ file, text }: Hit) =>
      (/expect|assert|should|require\.|t\.(?:Error|Fatal)/u.test(text)
        ? 0
        : /^\s*(?:import|from|use)\b/u.test(text)
          ? 4
          : 2) + (path.posix.basename(file).includes(base) ? 0 : 1);
    const [best] = hits.sort((one, other) => rank(one) - rank(other));
    if (best !== undefined) return best;
  }
  return undefined;
}

async function searchTests(scope: ContextScope, phrase: string): Promise<Hit[]> {
  if (phrase.length < 3) return [];
  return await searchLines(scope, phrase, { limit: 60, only: TEST_FILES, word: /^[\w$]+$/u.test(phrase) });
}

/** Words of test frameworks and languages that occur before parentheses but are not tested functions. */
const NOT_TESTED =
  /^(?:.|assert\w*|await|catch|describe|equals?|expect\w*|for|function|if|is|it|len|list|new|print|raises|require|return|should|str|test|throws|to[A-Z]\w*|while|with)$/u;

/** Number of lines of a statement that are read from the line of the error on. */
const MAX_STATEMENT_LINES = 4;

/** Each name needs a search through the project. */
const MAX_NAMES = 4;
const MAX_HITS = 60;

/**
 * Finds the function of the project that a failing line of a test calls, because the trace of an assertion rarely
 * contains that function. Skips a function that several files define.
 */
export async function findTestedFunction(scope: ContextScope, place: SourceLocation): Promise<TestedFunction | null> {
  if (!isTestFile(place.file)) return null;
  const statement = place.lines.slice(place.line - 1, place.line - 1 + MAX_STATEMENT_LINES).join('\n');
  const names = [...statement.matchAll(/([A-Za-z_$][\w$]*)[!?]?\s*\(/gu)].map(([, name = '']) => name);
  for (const name of [...new Set(names)].filter((one) => !NOT_TESTED.test(one)).slice(0, MAX_NAMES)) {
    const hits = await searchLines(scope, name, { limit: MAX_HITS, word: true });
    const found = hits.flatMap(({ file, line }) => {
      const lines = isTestFile(file) ? undefined : scope.files.readLines(file);
      const enclosing = lines && findEnclosingFunction(lines, line, file);
      return lines && enclosing?.name === name && enclosing.start === line ? [{ ...enclosing, file, lines }] : [];
    });
    if (new Set(found.map(({ file }) => file)).size === 1) return found[0] ?? null;
  }
  return null;
}
