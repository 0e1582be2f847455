/** The runners of Python; what `reporters.ts` puts on its path makes both write a report. */

import { type Adapter, afterSubcommand, basename, isReadAsOption, program } from './adapter.ts';

export const pytest: Adapter = {
  name: 'pytest',
  filterOptions: ['-k'],
  failsWithoutTests: true,
  recognise: program('pytest', 'py.test'),
  filter(name) {
    const expression = EXPRESSION.test(name) ? name : wordsOf(name);
    if (expression === '') return undefined;
    // In brackets it is the same expression, and no option.
    return ['-k', isReadAsOption(expression) ? `(${expression})` : expression];
  },
};

/** Names with `and`, `or`, `not` and brackets: https://docs.pytest.org/en/stable/example/markers.html#using-k-expr */
const EXPRESSION = (() => {
  const operand = String.raw`(?:not\s+|not(?=\()|\(\s*)*[\p{L}\p{N}_:+\-.[\]\\/]+(?:\s*\))*`;
  return new RegExp(`^\\s*${operand}(?:\\s+(?:and|or)\\s+${operand})*\\s*$`, 'u');
})();

/** Any other name, such as `test_price[$5 net]`, by the parts that an expression takes. */
function wordsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}_:+\-.[\]\\/]+/gu) ?? [];
  return words.filter((word) => /[\p{L}\p{N}]/u.test(word) && !/^(?:and|or|not)$/u.test(word)).join(' and ');
}

/** On it runs the command of Django, too. */
export const unittest: Adapter = {
  name: 'unittest',
  filterOptions: ['-k'],
  recognise: (words) => {
    const python = program('python', 'python3', 'py', 'coverage')(words);
    if (python === undefined) return afterSubcommand(words, program('django-admin')(words), 'test');
    const start = words.findIndex((_, index) => index >= python && startsTests(words, index) !== undefined);
    return start >= 0 && areOptions(words.slice(python, start)) ? startsTests(words, start) : undefined;
  },
  // A glob, in which a letter in brackets is that letter, and no option.
  filter: (name) => ['-k', isReadAsOption(name) ? name.replace(/^./u, '[$&]') : name],
};

/** Where the arguments of `-m unittest`, `-m django test` or `manage.py test` begin, if one of them stands here. */
function startsTests(words: readonly string[], at: number): number | undefined {
  const [first, second, third] = words.slice(at);
  if (first === '-munittest') return at + 1;
  if (first === '-m' && second === 'unittest') return at + 2;
  if (first === '-m' && second === 'django' && third === 'test') return at + 3;
  return basename(first) === 'manage.py' && second === 'test' ? at + 2 : undefined;
}

/** Of Python, or of coverage before it. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, index) => {
    return /^-|^(?:coverage|run)$/u.test(word) || /^-[WX]$|^--\w/u.test(words[index - 1] ?? '');
  });
}
