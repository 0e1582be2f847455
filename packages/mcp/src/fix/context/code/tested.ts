/**
 * Finds the function of the project that a failing line of a test calls, because the trace of an assertion rarely
 * contains it. A function that several files define is skipped.
 */

import type { ContextScope, SourceLocation, Tested } from '../scope.ts';
import { enclosingFunction } from './functions.ts';
import { isTestFile, searchLines } from './search.ts';

/** Words of test frameworks and languages before parentheses. */
const NOT_TESTED =
  /^(?:.|assert\w*|await|catch|describe|equals?|expect\w*|for|function|if|is|it|len|list|new|print|raises|require|return|should|str|test|throws|to[A-Z]\w*|while|with)$/u;

/** Lines of one statement after the line of the error. */
const MAX_STATEMENT_LINES = 4;

/** Each name costs a search through the project. */
const MAX_NAMES = 4;
const MAX_HITS = 60;

export async function testedFunction(scope: ContextScope, place: SourceLocation): Promise<Tested | null> {
  if (!isTestFile(place.file)) return null;
  const statement = place.lines.slice(place.line - 1, place.line - 1 + MAX_STATEMENT_LINES).join('\n');
  const names = [...statement.matchAll(/([A-Za-z_$][\w$]*)[!?]?\s*\(/gu)].map(([, name = '']) => name);
  for (const name of [...new Set(names)].filter((one) => !NOT_TESTED.test(one)).slice(0, MAX_NAMES)) {
    const hits = await searchLines(scope, name, { limit: MAX_HITS, word: true });
    const found = hits.flatMap(({ file, line }) => {
      const lines = isTestFile(file) ? undefined : scope.files.lines(file);
      const around = lines && enclosingFunction(lines, line, file);
      return lines && around?.name === name && around.start === line ? [{ ...around, file, lines }] : [];
    });
    if (new Set(found.map(({ file }) => file)).size === 1) return found[0] ?? null;
  }
  return null;
}
