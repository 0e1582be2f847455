/** Finds the expectation of the tests: the failing test, or else a test that names the failing function or file. */

import path from 'node:path';
import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';
import { codeAround } from './code.ts';
import { type Hit, isTestFile, searchLines } from './search.ts';

/** Pathspecs of git. */
const TEST_FILES = [
  ...['*.test.*', '*.spec.*', 'test_*.py', '*_test.*', '*_spec.rb', '*Test.*', '*Tests.*', '*Spec.*'],
  ...['test/**', 'tests/**', 'spec/**', '__tests__/**'],
].map((pattern) => `:(glob)**/${pattern}`);

export async function testExpectations(scope: ContextScope): Promise<Finding> {
  const { place, request } = scope;
  const verified = request.test ? `\nVerified by: ${request.test}` : '';
  const hit = failingFrame(scope) ?? (await failingTest(scope)) ?? (await testOfPlace(scope));
  if (hit === undefined) {
    if (verified) return { answer: verified.trim(), source: '--test' };
    const name = place?.function ?? place?.file;
    return { why_not: name === undefined ? 'The output names no test.' : `No test file speaks of ${name}.` };
  }
  const source = `${hit.file}:${hit.line}`;
  const isShown = scope.tested === null && hit.file === place?.file && hit.line === place?.line;
  const code = isShown
    ? 'The lines of question 5.'
    : `${source}\n${codeAround(scope.files.lines(hit.file) ?? [], hit.line)}`;
  return { answer: `${code}${verified}`, source };
}

type TestPlace = Pick<Hit, 'file' | 'line'>;

/** A frame of the trace in a test file. */
function failingFrame({ request, files, place }: ContextScope): TestPlace | undefined {
  if (place?.traced && isTestFile(place.file)) return place;
  for (const { file: named, line } of [request.error.location, ...(request.error.frames ?? [])].filter(
    (one) => one !== null,
  )) {
    const file = files.inside(named.replace(/^file:\/\//u, ''));
    if (file !== undefined && isTestFile(file) && line) return { file, line };
  }
  return undefined;
}

/** The test by its name, without the suites that runners print before it. */
async function failingTest(scope: ContextScope): Promise<TestPlace | undefined> {
  for (const name of (scope.request.error.failing_tests ?? []).slice(0, 3)) {
    const own = name.split(/\s+[>›»]\s+|::|\s+#|(?<=\w)\.(?=test)/u).at(-1) ?? '';
    const [hit] = await searchTests(scope, own.replace(/\[.*\]$|\(.*\)$/u, '').trim());
    if (hit !== undefined) return hit;
  }
  return undefined;
}

/** Prefers assertions, then calls, then imports. */
async function testOfPlace(scope: ContextScope): Promise<TestPlace | undefined> {
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
