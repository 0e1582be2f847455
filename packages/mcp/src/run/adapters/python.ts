/** The adapters of Python's runners. Both write a report because of the Python hook in `reporters.ts`. */

import {
  type Adapter,
  findIndexAfterSubcommand,
  getProgramName,
  mayBeReadAsOption,
  REJECTED_ARGUMENT,
  recognizeProgram,
} from './adapter.ts';

export const pytest: Adapter = {
  name: 'pytest',
  filterOptions: ['-k'],
  failsWithoutTests: true,
  rejectedOption: REJECTED_ARGUMENT,
  recognize: recognizeProgram('pytest', 'py.test'),
  filter(name) {
    const expression = PYTEST_EXPRESSION.test(name) ? name : toExpression(name);
    if (expression === '') return undefined;
    // In parentheses, the expression means the same but is not read as an option.
    return ['-k', mayBeReadAsOption(expression) ? `(${expression})` : expression];
  },
};

/**
 * Matches expressions of names with `and`, `or`, `not` and parentheses:
 * https://docs.pytest.org/en/stable/example/markers.html#using-k-expr
 */
const PYTEST_EXPRESSION = (() => {
  const operand = String.raw`(?:not\s+|not(?=\()|\(\s*)*[\p{L}\p{N}_:+\-.[\]\\/]+(?:\s*\))*`;
  return new RegExp(`^\\s*${operand}(?:\\s+(?:and|or)\\s+${operand})*\\s*$`, 'u');
})();

/** Converts a name that is not an expression, such as `test_price[$5 net]`, to an expression of its parts. */
function toExpression(name: string): string {
  const words = name.match(/[\p{L}\p{N}_:+\-.[\]\\/]+/gu) ?? [];
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^(?:and|or|not)$/u.test(word)).join(' and ');
}

/** Also recognizes the test command of Django, which uses unittest. */
export const unittest: Adapter = {
  name: 'unittest',
  filterOptions: ['-k'],
  rejectedOption: REJECTED_ARGUMENT,
  recognize: (words) => {
    const python = recognizeProgram('python', 'python3', 'py', 'coverage')(words);
    if (python === undefined) return findIndexAfterSubcommand(words, recognizeProgram('django-admin')(words), 'test');
    const start = words.findIndex((_, index) => index >= python && findTestArguments(words, index) !== undefined);
    return start >= 0 && areOptions(words.slice(python, start)) ? findTestArguments(words, start) : undefined;
  },
  // The name is a glob, in which a letter in brackets matches itself and does not start an option.
  filter: (name) => ['-k', mayBeReadAsOption(name) ? name.replace(/^./u, '[$&]') : name],
};

/** Returns the index after `-m unittest`, `-m django test` or `manage.py test`, if these words start at `index`. */
function findTestArguments(words: readonly string[], index: number): number | undefined {
  const [first, second, third] = words.slice(index);
  if (first === '-munittest') return index + 1;
  if (first === '-m' && second === 'unittest') return index + 2;
  if (first === '-m' && second === 'django' && third === 'test') return index + 3;
  return getProgramName(first) === 'manage.py' && second === 'test' ? index + 2 : undefined;
}

/** Returns true if all words are options of Python or of coverage. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, index) => {
    return /^-|^(?:coverage|run)$/u.test(word) || /^-[WX]$|^--\w/u.test(words[index - 1] ?? '');
  });
}
