// Both languages have all texts. The types check the keys, and these tests check the words.

import { FAILURE_CATEGORIES } from 'argus-engine/browser';
import { expect, test } from 'vitest';
import { en, problemTexts as englishProblems } from '../src/i18n/en.ts';
import { problemTexts as chineseProblems, zh } from '../src/i18n/zh.ts';

/** Returns every text with its path. Functions are called with numbers. */
function listTexts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return listTexts(value('1', '2', '3'), `${path}()`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, `${path}.${key}`));
}

test('both languages have the same texts, and no text is empty', () => {
  const [english, chinese] = [listTexts([en, englishProblems]), listTexts([zh, chineseProblems])];
  expect(english.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.filter(([, text]) => text.trim() === '')).toEqual([]);
  expect(chinese.map(([path]) => path)).toEqual(english.map(([path]) => path));
});

test('every Chinese text has Chinese characters', () => {
  const same = new Set(['.otherLanguageLabel', '.pattern.id']);
  const latin = listTexts(zh).filter(
    ([path, text]) => !/[\u4e00-\u9fff]/.test(text) && !/^\.keys\.list\.\d\.0$/.test(path),
  );
  expect(latin.map(([path]) => path).filter((path) => !same.has(path))).toEqual([]);
});

test('every category and known problem has a text in both languages', () => {
  for (const category of FAILURE_CATEGORIES) expect(zh.category[category]).not.toBe(en.category[category]);
  for (const code of ['DATABASE_CORRUPT', 'DATABASE_NEWER', 'DATABASE_UNAVAILABLE', 'UNAUTHORIZED', 'SERVER_GONE']) {
    expect(en.problem(code)?.next).toBeTruthy();
    expect(zh.problem(code)?.next).toBeTruthy();
  }
  expect(en.problem('SOMETHING_ELSE')).toBeUndefined();
});
