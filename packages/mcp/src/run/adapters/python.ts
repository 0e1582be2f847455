/** The runners of Python. The Python path of `reporters.ts` makes both write a report. */

import { type Adapter, afterSubcommand, basename, isReadAsOption, program } from './adapter.ts';

export const pytest: Adapter = {
  name: 'pytest',
  filterOptions: ['-k'],
  failsWithoutTests: true,
  recognise: program('pytest', 'py.test'),
  filter(name) {
    const expression = EXPRESSION.test(name) ? name : wordsOf(name);
    if (expression === '') return undefined;
    // In brackets, it is the same expression but not read as an option.
    return ['-k', isReadAsOption(expression) ? `(${expression})` : expression];
  },
};

/** Names with `and`, `or`, `not` and brackets: https://docs.pytest.org/en/stable/example/markers.html#using-k-expr */
const EXPRESSION = (() => {
  const operand = String.raw`(?:not\s+|not(?=\()|\(\s*)*[\p{L}\p{N}_:+\-.[\]\\/]+(?:\s*\))*`;
  return new RegExp(`^\\s*${operand}(?:\\s+(?:and|or)\\s+${operand})*\\s*$`, 'u');
})();

/** Converts any other name, such as `test_price[$5 net]`, to the parts that an expression allows. */
function wordsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}_:+\-.[\]\\/]+/gu) ?? [];
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^(?:and|or|not)$/u.test(word)).join(' and ');
}

/** Also covers the test command of Django, which uses unittest. */
export const unittest: Adapter = {
  name: 'unittest',
  filterOptions: ['-k'],
  recognise: (words) => {
    const python = program('python', 'python3', 'py', 'coverage')(words);
    if (python === undefined) return afterSubcommand(words, program('django-admin')(words), 'test');
    const start = words.findIndex((_, index) => index >= python && startsTests(words, index) !== undefined);
    return start >= 0 && areOptions(words.slice(python, start)) ? startsTests(words, start) : undefined;
  },
  // A glob, in which a letter in brackets matches itself and is not read as an option.
  filter: (name) => ['-k', isReadAsOption(name) ? name.replace(/^./u, '[$&]') : name],
};

/** Returns the index after `-m unittest`, `-m django test` or `manage.py test` if such words start at `at`. */
function startsTests(words: readonly string[], at: number): number | undefined {
  const [first, second, third] = words.slice(at);
  if (first === '-munittest') return at + 1;
  if (first === '-m' && second === 'unittest') return at + 2;
  if (first === '-m' && second === 'django' && third === 'test') return at + 3;
  return basename(first) === 'manage.py' && second === 'test' ? at + 2 : undefined;
}

/** Returns true if the words are options of Python or of coverage. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, index) => {
    return /^-|^(?:coverage|run)$/u.test(word) || /^-[WX]$|^--\w/u.test(words[index - 1] ?? '');
  });
}
