/**
 * What the tests expect: the failing test's own code, else the tests of the failing function or file. They are not run.
 */

import path from 'node:path';
import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';
import { codeAround } from './code.ts';
import { type Hit, isTestFile, searchLines } from './search.ts';

const LINES_AROUND = 12;

/** As git's patterns. */
const TEST_FILES = [
  ':(glob)**/*.test.*',
  ':(glob)**/*.spec.*',
  ':(glob)**/test_*.py',
  ':(glob)**/*_test.*',
  ':(glob)**/*_spec.rb',
  ':(glob)**/*Test.*',
  ':(glob)**/*Tests.*',
  ':(glob)**/*Spec.*',
  ':(glob)**/test/**',
  ':(glob)**/tests/**',
  ':(glob)**/spec/**',
  ':(glob)**/__tests__/**',
];

export async function testExpectations(scope: ContextScope): Promise<Finding> {
  const { place, request } = scope;
  const verified = request.test ? `\nVerified by: ${request.test}` : '';
  const failing = failingFrame(scope) ?? (await failingTest(scope));
  const hit = failing ?? (await testOfPlace(scope));
  const isShown = scope.tested === null && hit?.file === place?.file && hit?.line === place?.line;
  if (hit !== undefined && isShown) return { answer: `The lines of question 5.${verified}`, source: hit.file };
  if (hit !== undefined) {
    const lines = scope.files.lines(hit.file) ?? [];
    const answer = `${hit.file}:${hit.line}\n${codeAround(lines, hit.line, LINES_AROUND)}${verified}`;
    return { answer, source: hit.file };
  }
  if (verified) return { answer: verified.trim(), source: '--test' };
  const name = place?.function ?? place?.file;
  if (name === undefined) return { why_not: 'The output names no test, and the place of the error is not known.' };
  return { why_not: `No test file speaks of ${name}.` };
}

type TestPlace = Pick<Hit, 'file' | 'line'>;

/** A frame of the trace that lies in a test. */
function failingFrame({ request, files, place }: ContextScope): TestPlace | undefined {
  if (place?.traced && isTestFile(place.file)) return place;
  const { location, frames = [] } = request.error;
  for (const frame of location === null ? frames : [location, ...frames]) {
    const file = files.inside(frame.file.replace(/^file:\/\//u, ''));
    if (file !== undefined && isTestFile(file) && frame.line) return { file, line: frame.line };
  }
  return undefined;
}

/** By its name, of which runners print suites and all. */
async function failingTest(scope: ContextScope): Promise<TestPlace | undefined> {
  for (const name of (scope.request.error.failing_tests ?? []).slice(0, 3)) {
    const own =
      name
        .split(/\s+[>›»]\s+|::|\s+#|(?<=\w)\.(?=test)/u)
        .at(-1)
        ?.replace(/\[.*\]$|\(.*\)$/u, '')
        .trim() ?? '';
    const hits = await searchTests(scope, own);
    if (hits[0] !== undefined) return hits[0];
  }
  return undefined;
}

async function testOfPlace(scope: ContextScope): Promise<TestPlace | undefined> {
  const { place } = scope;
  if (place === null) return undefined;
  const base = path.posix.basename(place.file).replace(/\.\w+$/u, '');
  const called = place.function?.split(/[.:#]+/u).at(-1) ?? '';
  const own = place.lines.findIndex((line) => /#\[cfg\(test\)\]/u.test(line));
  if (own >= 0) {
    const use = place.lines.findIndex((line, index) => index > own && called !== '' && line.includes(called));
    return { file: place.file, line: (use > 0 ? use : own) + 1 };
  }
  for (const name of [called, base]) {
    const found = await searchTests(scope, name);
    const hits = [...found.filter(({ file }) => path.posix.basename(file).includes(base)), ...found];
    // An import mentions it, an assertion says what is expected of it.
    const telling = hits.find(({ text }) => /expect|assert|should|require\.|t\.(?:Error|Fatal)/u.test(text));
    const best = telling ?? hits.find(({ text }) => !/^\s*(?:import|from|use|const .*require)/u.test(text)) ?? hits[0];
    if (best !== undefined) return best;
  }
  return undefined;
}

async function searchTests(scope: ContextScope, phrase: string): Promise<Hit[]> {
  if (phrase.length < 3) return [];
  return await searchLines(scope, phrase, { limit: 60, only: TEST_FILES, word: /^[\w$]+$/u.test(phrase) });
}
