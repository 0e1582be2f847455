/**
 * The project's own function that a failing line of a test calls: what is tested seldom stands in the trace of an
 * assertion. Nothing is parsed: a function written in an odd way, or one that many files define, is not found.
 */

import type { ContextScope, SourceLocation, Tested } from '../scope.ts';
import { enclosingFunction } from './functions.ts';
import { isTestFile, searchLines } from './search.ts';

/** Words of test frameworks and languages, in front of parentheses, that no project means by them. */
const NOT_TESTED =
  /^(?:assert\w*|await|catch|describe|equals?|expect\w*|for|function|if|is|it|len|list|new|print|raises|require|return|should|str|test|throws|to[A-Z]\w*|while|with)$/u;

/** Lines of one statement that may follow the one an error names. */
const MAX_STATEMENT_LINES = 4;

/** Each is looked for through the whole project. */
const MAX_NAMES = 4;
const MAX_HITS = 60;

export async function testedFunction(
  scope: ContextScope,
  { file, line, lines }: SourceLocation,
): Promise<Tested | null> {
  if (!isTestFile(file)) return null;
  for (const name of callsIn(lines.slice(line - 1, line - 1 + MAX_STATEMENT_LINES))) {
    const found = await definitionOf(scope, name);
    if (found !== null) return found;
  }
  return null;
}

/** Names before a parenthesis, those of the first line first. */
function callsIn(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) =>
    [...line.matchAll(/([A-Za-z_$][\w$]*)[!?]?\s*\(/gu)].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => name.length > 1 && !NOT_TESTED.test(name)).slice(0, MAX_NAMES);
}

/** Where exactly one file outside of the tests defines it. */
async function definitionOf(scope: ContextScope, name: string): Promise<Tested | null> {
  const hits = await searchLines(scope, name, { limit: MAX_HITS, word: true });
  const found = hits.flatMap(({ file, line }) => {
    const lines = isTestFile(file) ? undefined : scope.files.lines(file);
    const around = lines && enclosingFunction(lines, line, file);
    return lines && around?.name === name && around.start === line ? [{ ...around, file, lines }] : [];
  });
  return new Set(found.map(({ file }) => file)).size === 1 ? (found[0] ?? null) : null;
}
