import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { batches, passOn } from '../../src/cli/terminal/lines.ts';
import { sessionKey } from '../../src/sessions/session-manager.ts';
import { acceptedLocale, chooseLocale } from '../../src/text/locale.ts';
import { clipped, visible, visibleDeep } from '../../src/text/untrusted.ts';

const VISIBLE = new URL('../../../../tests/vectors/visible.jsonl', import.meta.url);
const rows = readFileSync(VISIBLE, 'utf8').trim().split('\n');

test.each(rows.map((row) => JSON.parse(row)))('shows the same text as the engine: $name', (row) => {
  expect(visible(row.text)).toBe(row.visible);
  expect(visible(`before ${row.text} after`)).toBe(`before ${row.visible} after`);
});

test('replaces a lone surrogate, because the engine cannot receive it', () => {
  expect(visible('a\ud800b')).toBe('a\ufffdb');
});

test('cleans every key and every string of an answer', () => {
  const value = { 'a\u200b': ['x\u0000', { b: 'y\u202e' }], n: 1, z: null };
  expect(visibleDeep(value)).toEqual({ a: ['x', { b: 'y' }], n: 1, z: null });
});

test('clips a long text', () => {
  expect(clipped('short', 10)).toBe('short');
  expect(clipped('a'.repeat(12), 10)).toBe(`${'a'.repeat(10)}… (2 more characters)`);
  expect(clipped('a😀b', 2)).toBe('a\ufffd… (2 more characters)');
});

const facts = (env: Record<string, string>, platform = 'linux', intl = 'fr-FR') => ({
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
  expect(chooseLocale(configured, facts(env))).toBe(expected);
});

test('reads the locale of Windows', () => {
  expect(chooseLocale(undefined, facts({}, 'win32', 'zh-CN'))).toBe('zh');
  expect(chooseLocale(undefined, facts({}, 'win32', 'fr-FR'))).toBe('en');
  expect(chooseLocale(undefined, facts({}, 'linux', 'zh-CN'))).toBe('en');
});

test('uses the locale of the reader if the machine names none', () => {
  expect(chooseLocale(undefined, facts({ LANG: 'C.UTF-8' }), 'zh')).toBe('zh');
  expect(chooseLocale(undefined, facts({ LANG: 'zh_CN.UTF-8' }), 'en')).toBe('zh');
  expect(chooseLocale('zh', facts({}), 'en')).toBe('zh');
});

test.each([
  ['de,en-GB;q=0.9,zh;q=0.8', 'en'],
  ['zh-CN, en;q=0.5', 'zh'],
  ['fr', undefined],
  ['', undefined],
])('takes the first supported language of %j', (header, expected) => {
  expect(acceptedLocale(header)).toBe(expected);
});

test('ignores the case of the drive letter', () => {
  expect(sessionKey('c:\\Work')).toBe(sessionKey('C:\\Work'));
  expect(sessionKey('/work')).not.toBe(sessionKey('/Work'));
});

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('splits batches at line ends', async () => {
  const out: string[] = [];
  const input = chunks('a\nb', 'c\n', 'dé', '\ne');
  for await (const { bytes } of batches(input, { bytes: 4 })) out.push(Buffer.from(bytes).toString());
  expect(out.join('')).toBe('a\nbc\ndé\ne');
  expect(out.slice(0, -1).every((batch) => batch.endsWith('\n'))).toBe(true);
});

test('limits the lines of a batch', async () => {
  const out: [string, number][] = [];
  const input = chunks('a\nb', '\nc\nd\ne\n', 'f');
  for await (const { bytes, count } of batches(input, { bytes: 100, lines: 2 })) {
    out.push([Buffer.from(bytes).toString(), count]);
  }
  expect(out).toEqual([
    ['a\nb\n', 2],
    ['c\nd\n', 2],
    ['e\nf', 2],
  ]);
});

test('waits for a slow reader and not for a closed stream', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  expect(passOn(stream, 'ab')).toBeUndefined();
  const waiting = passOn(stream, 'cdef');
  expect(waiting).toBeInstanceOf(Promise);
  expect(String(stream.read())).toBe('abcdef');
  await waiting;
  const abandoned = passOn(stream, 'long enough');
  stream.destroy();
  await abandoned;
  expect(passOn(stream, 'more')).toBeUndefined();
});
