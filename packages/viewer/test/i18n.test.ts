// Both languages have all texts. The types check the keys, these tests check the words.

import { FAILURE_CATEGORIES } from 'argus-engine/browser';
import { expect, test } from 'vitest';
import { problems as englishProblems } from '../src/i18n/en/problems.ts';
import { en } from '../src/i18n/en.ts';
import { problems as chineseProblems } from '../src/i18n/zh/problems.ts';
import { zh } from '../src/i18n/zh.ts';

/** Every text with its path. Functions are called with numbers. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return texts(value('1', '2', '3'), `${path}()`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, `${path}.${key}`));
}

test('has the same texts in both languages, without empty texts', () => {
  const [english, chinese] = [texts([en, englishProblems]), texts([zh, chineseProblems])];
  expect(english.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.map(([path]) => path)).toEqual(english.map(([path]) => path));
});

test('has Chinese words in every Chinese text', () => {
  const same = new Set(['.otherLanguageLabel', '.pattern.id']);
  const latin = texts(zh).filter(
    ([path, text]) => !/[\u4e00-\u9fff]/.test(text) && !/^\.keys\.list\.\d\.0$/.test(path),
  );
  expect(latin.map(([path]) => path).filter((path) => !same.has(path))).toEqual([]);
});

test('has words for every category and known problem in both languages', () => {
  for (const category of FAILURE_CATEGORIES) expect(zh.category[category]).not.toBe(en.category[category]);
  for (const code of ['DATABASE_CORRUPT', 'DATABASE_NEWER', 'DATABASE_UNAVAILABLE', 'UNAUTHORIZED', 'SERVER_GONE']) {
    expect(en.problem(code)?.next).toBeTruthy();
    expect(zh.problem(code)?.next).toBeTruthy();
  }
  expect(en.problem('SOMETHING_ELSE')).toBeUndefined();
});
