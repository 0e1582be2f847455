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
  recognise: (words) => unittestModule(words)?.end ?? djangoProgram(words)?.test,
  filter: (name) => ['-k', name],
  reporting({ words, throughScript }) {
    // What coverage measures is what it is told to run.
    if (throughScript || words.some((word) => basename(word) === 'coverage')) return { reports: [] };
    const own = path.join(REPORTERS, 'unittest_runner.py');
    const module = unittestModule(words);
    if (module !== undefined) return { replaced: { ...module, by: [own] }, reports: [] };
    const django = djangoProgram(words);
    if (django === undefined) return { reports: [] };
    const { start, end } = django;
    return { replaced: { start, end, by: [own, '--program', ...words.slice(start, end)] }, reports: [] };
  },
};

/** `python manage.py test`: Django's own runner, on that of unittest. */
function djangoProgram(words: readonly string[]): { start: number; end: number; test: number } | undefined {
  const start = program('python', 'python3', 'py', 'coverage')(words);
  const at = words.findIndex((word, index) => index >= (start ?? 0) && basename(word) === 'manage.py');
  if (start === undefined || at < 0 || words[at + 1] !== 'test') return undefined;
  return areOptions(words.slice(start, at)) ? { start: at, end: at + 1, test: at + 2 } : undefined;
}

/** Where `-m unittest` stands behind a Python and its options, itself behind any launchers. */
function unittestModule(words: readonly string[]): { start: number; end: number } | undefined {
  const python = program('python', 'python3', 'py', 'coverage')(words);
  if (python === undefined) return undefined;
  const start = words.findIndex(
    (word, index) => index >= python && (word === '-munittest' || (word === '-m' && words[index + 1] === 'unittest')),
  );
  if (start < 0 || !areOptions(words.slice(python, start))) return undefined;
  return { start, end: words[start] === '-m' ? start + 2 : start + 1 };
}

/** Of Python, or of coverage before it. */
function areOptions(words: readonly string[]): boolean {
  return words.every((word, index) => {
    return /^-|^(?:coverage|run)$/u.test(word) || /^-[WX]$|^--\w/u.test(words[index - 1] ?? '');
  });
}
