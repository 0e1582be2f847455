import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readBatches, writeWithBackpressure } from '../../src/cli/terminal/lines.ts';
import { toSessionKey } from '../../src/sessions/session-manager.ts';
import { chooseLocale, findAcceptedLocale } from '../../src/text/locale.ts';
import { clip, mapStringsDeep, removeInvisibleCharacters, removeInvisibleDeep } from '../../src/text/untrusted-text.ts';

const VISIBLE_VECTORS = new URL('../../../../tests/vectors/visible.jsonl', import.meta.url);
const visibleRows = readFileSync(VISIBLE_VECTORS, 'utf8').trim().split('\n');

test.each(visibleRows.map((row) => JSON.parse(row)))('shows the same text as the engine: $name', (row) => {
  expect(removeInvisibleCharacters(row.text)).toBe(row.visible);
  expect(removeInvisibleCharacters(`before ${row.text} after`)).toBe(`before ${row.visible} after`);
});

test('replaces a lone surrogate, because the engine cannot receive it', () => {
  expect(removeInvisibleCharacters('a\ud800b')).toBe('a\ufffdb');
});

test('cleans every key and every string of an answer', () => {
  const value = { 'a\u200b': ['x\u0000', { b: 'y\u202e' }], n: 1, z: null };
  expect(removeInvisibleDeep(value)).toEqual({ a: ['x', { b: 'y' }], n: 1, z: null });
});

test('changes no field names', () => {
  const secret = { failed: 'failed', AKIA234567ABCDEFGHIJ: 1 };
  expect(mapStringsDeep(secret, () => 'x')).toEqual({ failed: 'x', x: 1 });
});

test('clips a long text', () => {
  expect(clip('short', 10)).toBe('short');
  expect(clip('a'.repeat(12), 10)).toBe(`${'a'.repeat(10)}… (2 more characters)`);
  expect(clip('a😀b', 2)).toBe('a\ufffd… (2 more characters)');
});

const localeFacts = (env: Record<string, string>, platform = 'linux', intl = 'fr-FR') => ({
  env,
  platform,
  intlLocale: () => intl,
});

test.each([
  ['configured', 'en', { LANG: 'zh_CN.UTF-8' }, 'en'],
  ['LANG', undefined, { LANG: 'en_US.UTF-8' }, 'en'],
  ['LC_ALL wins', undefined, { LC_ALL: 'zh_TW', LANG: 'en_US' }, 'zh'],
  ['LC_ALL names neither', undefined, { LC_ALL: 'C', LANG: 'zh_CN' }, 'en'],
  ['empty does not count', undefined, { LC_ALL: '', LC_MESSAGES: 'en' }, 'en'],
  ['nothing', undefined, {}, 'en'],
  ['another language', undefined, { LANG: 'de_DE.UTF-8' }, 'en'],
  ['not a language', undefined, { LANG: 'zhuang' }, 'en'],
] as const)('chooses the locale: %s', (_name, configured, env, expected) => {
  expect(chooseLocale(configured, localeFacts(env))).toBe(expected);
});

test('reads the locale of Windows', () => {
  expect(chooseLocale(undefined, localeFacts({}, 'win32', 'zh-CN'))).toBe('zh');
  expect(chooseLocale(undefined, localeFacts({}, 'win32', 'fr-FR'))).toBe('en');
  expect(chooseLocale(undefined, localeFacts({}, 'linux', 'zh-CN'))).toBe('en');
});

test("uses the reader's locale if the machine specifies none", () => {
  expect(chooseLocale(undefined, localeFacts({ LANG: 'C.UTF-8' }), 'zh')).toBe('zh');
  expect(chooseLocale(undefined, localeFacts({ LANG: 'zh_CN.UTF-8' }), 'en')).toBe('zh');
  expect(chooseLocale('zh', localeFacts({}), 'en')).toBe('zh');
});

test.each([
  ['de,en-GB;q=0.9,zh;q=0.8', 'en'],
  ['zh-CN, en;q=0.5', 'zh'],
  ['fr', undefined],
  ['', undefined],
])('takes the first supported language of %j', (header, expected) => {
  expect(findAcceptedLocale(header)).toBe(expected);
});

test('ignores the case of the drive letter', () => {
  expect(toSessionKey('c:\\Work')).toBe(toSessionKey('C:\\Work'));
  expect(toSessionKey('/work')).not.toBe(toSessionKey('/Work'));
});

async function* streamChunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('splits batches at line ends', async () => {
  const out: string[] = [];
  const input = streamChunks('a\nb', 'c\n', 'dé', '\ne');
  for await (const { bytes } of readBatches(input, { bytes: 4 })) out.push(Buffer.from(bytes).toString());
  expect(out.join('')).toBe('a\nbc\ndé\ne');
  expect(out.slice(0, -1).every((batch) => batch.endsWith('\n'))).toBe(true);
});

test('limits the number of lines in a batch', async () => {
  const out: [string, number][] = [];
  const input = streamChunks('a\nb', '\nc\nd\ne\n', 'f');
  for await (const { bytes, count } of readBatches(input, { bytes: 100, lines: 2 })) {
    out.push([Buffer.from(bytes).toString(), count]);
  }
  expect(out).toEqual([
    ['a\nb\n', 2],
    ['c\nd\n', 2],
    ['e\nf', 2],
  ]);
});

test('waits for a slow reader, but not for a closed stream', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  expect(writeWithBackpressure(stream, 'ab')).toBeUndefined();
  const waiting = writeWithBackpressure(stream, 'cdef');
  expect(waiting).toBeInstanceOf(Promise);
  expect(String(stream.read())).toBe('abcdef');
  await waiting;
  const abandoned = writeWithBackpressure(stream, 'long enough');
  stream.destroy();
  await abandoned;
  expect(writeWithBackpressure(stream, 'more')).toBeUndefined();
});
