// Both languages say everything; the types see to the keys, this sees to the words.

import { FAILURE_CATEGORIES } from 'argus-engine/browser';
import { expect, test } from 'vitest';
import { problems as englishProblems } from '../src/i18n/en/problems.ts';
import { en } from '../src/i18n/en.ts';
import { problems as chineseProblems } from '../src/i18n/zh/problems.ts';
import { zh } from '../src/i18n/zh.ts';

/** Every text with its path; functions are asked with numbers. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return texts(value('1', '2', '3'), `${path}()`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${path}.${key}`));
}

test('no text is empty, and both have the same ones', () => {
  const [english, chinese] = [texts([en, englishProblems]), texts([zh, chineseProblems])];
  expect(english.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.map(([path]) => path)).toEqual(english.map(([path]) => path));
});

test('Chinese texts are Chinese', () => {
  const same = new Set(['.otherLanguageLabel', '.pattern.id']);
  const latin = texts(zh).filter(
    ([path, text]) => !/[\u4e00-\u9fff]/.test(text) && !/^\.keys\.list\.\d\.0$/.test(path),
  );
  expect(latin.map(([path]) => path).filter((path) => !same.has(path))).toEqual([]);
});

test('every category and every known problem has words in both', () => {
  for (const category of FAILURE_CATEGORIES) expect(zh.category[category]).not.toBe(en.category[category]);
  for (const code of ['DATABASE_CORRUPT', 'DATABASE_NEWER', 'DATABASE_UNAVAILABLE', 'UNAUTHORIZED', 'SERVER_GONE']) {
    expect(en.problem(code)?.next).toBeTruthy();
    expect(zh.problem(code)?.next).toBeTruthy();
  }
  expect(en.problem('SOMETHING_ELSE')).toBeUndefined();
});
