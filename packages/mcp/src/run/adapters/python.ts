/** The runners of Python. */

import path from 'node:path';
import { REPORTERS } from '../reporters.ts';
import { type Adapter, basename, program } from './adapter.ts';

export const pytest: Adapter = {
  name: 'pytest',
  filterOptions: ['-k'],
  failsWithoutTests: true,
  recognise: program('pytest', 'py.test'),
  filter: (name) => ['-k', name],
};

/** It has no report and no place for one: a program that does what its own does, and writes one, stands in for it. */
export const unittest: Adapter = {
  name: 'unittest',
  filterOptions: ['-k'],
  recognise: (words) => {
    const module = unittestModule(words);
    return module === undefined ? undefined : module.end;
  },
  filter: (name) => ['-k', name],
  reporting({ words, throughScript }) {
    const module = unittestModule(words);
    // What coverage measures is what it is told to run.
    if (module === undefined || throughScript || words.some((word) => basename(word) === 'coverage')) {
      return { reports: [] };
    }
    return { replaced: { ...module, by: [path.join(REPORTERS, 'unittest_runner.py')] }, reports: [] };
  },
};

/** Where `-m unittest` stands behind a Python and its options, itself behind any launchers. */
function unittestModule(words: readonly string[]): { start: number; end: number } | undefined {
  const python = program('python', 'python3', 'py', 'coverage')(words);
  if (python === undefined) return undefined;
  const start = words.findIndex(
    (word, index) => index >= python && (word === '-munittest' || (word === '-m' && words[index + 1] === 'unittest')),
  );
  const between = words.slice(python, start);
  const isOption = (word: string, index: number) =>
    /^-|^(?:coverage|run)$/u.test(word) || /^-[WX]$|^--\w/u.test(between[index - 1] ?? '');
  if (start < 0 || !between.every(isOption)) return undefined;
  return { start, end: words[start] === '-m' ? start + 2 : start + 1 };
}
