import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { batches } from '../../src/cli/terminal/lines.ts';
import { sessionKey } from '../../src/sessions/session-manager.ts';
import { acceptedLocale, chooseLocale } from '../../src/text/locale.ts';
import { clipped, visible, visibleDeep } from '../../src/text/untrusted.ts';

test.each([
  ['colours', '\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007', 'red link'],
  ['controls', 'a\u0000b\u0008c\u007fd\u0085e\tf\ng', 'abcde\tf\ng'],
  ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
  ['direction', 'user\u202e\u2066 // admin\u2069', 'user // admin'],
  ['zero width', 'ig\u200bno\u2060re\ufeff', 'ignore'],
  ['tags', `x${String.fromCodePoint(0xe0041, 0xe007f)}y`, 'xy'],
  ['hidden selectors', `a\ufe01${String.fromCodePoint(0xe0101)}b`, 'ab'],
  ['emoji stay whole', '👩‍💻 ❤️ 🏳️‍🌈', '👩‍💻 ❤️ 🏳️‍🌈'],
  ['loose joiners', 'a\u200db', 'ab'],
  ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
])('%s', (_name, text, expected) => {
  expect(visible(text)).toBe(expected);
});

const VISIBLE = new URL('../../../../tests/vectors/visible.jsonl', import.meta.url);
const rows = readFileSync(VISIBLE, 'utf8').trim().split('\n');

test.each(rows.map((row) => JSON.parse(row)))('what the engine shows is shown here: $name', (row) => {
  expect(visible(row.text)).toBe(row.visible);
  expect(visible(`before ${row.text} after`)).toBe(`before ${row.visible} after`);
});

test('every string of an answer', () => {
  const value = { a: ['x\u0000', { b: 'y\u200b' }], n: 1, z: null };
  expect(visibleDeep(value)).toEqual({ a: ['x', { b: 'y' }], n: 1, z: null });
});

test('clipping', () => {
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
] as const)('locale: %s', (_name, configured, env, expected) => {
  expect(chooseLocale(configured, facts(env))).toBe(expected);
});

test('locale of Windows', () => {
  expect(chooseLocale(undefined, facts({}, 'win32', 'zh-CN'))).toBe('zh');
  expect(chooseLocale(undefined, facts({}, 'win32', 'fr-FR'))).toBe('en');
  expect(chooseLocale(undefined, facts({}, 'linux', 'zh-CN'))).toBe('en');
});

test('locale of a reader, where the machine names none', () => {
  expect(chooseLocale(undefined, facts({ LANG: 'C.UTF-8' }), 'zh')).toBe('zh');
  expect(chooseLocale(undefined, facts({ LANG: 'zh_CN.UTF-8' }), 'en')).toBe('zh');
  expect(chooseLocale('zh', facts({}), 'en')).toBe('zh');
});

test.each([
  ['de,en-GB;q=0.9,zh;q=0.8', 'en'],
  ['zh-CN, en;q=0.5', 'zh'],
  ['fr', undefined],
  ['', undefined],
])('of the languages %j the first that is one of the two', (header, expected) => {
  expect(acceptedLocale(header)).toBe(expected);
});

test('one session whatever case the drive letter has', () => {
  expect(sessionKey('c:\\Work')).toBe(sessionKey('C:\\Work'));
  expect(sessionKey('/work')).not.toBe(sessionKey('/Work'));
});

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('batches hold whole lines', async () => {
  const out: string[] = [];
  const input = chunks('a\nb', 'c\n', 'dé', '\ne');
  for await (const { bytes } of batches(input, { bytes: 4 })) out.push(Buffer.from(bytes).toString());
  expect(out.join('')).toBe('a\nbc\ndé\ne');
  expect(out.slice(0, -1).every((batch) => batch.endsWith('\n'))).toBe(true);
});

test('batches of so many lines at most', async () => {
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

test('names are cleaned as texts are', () => {
  expect(visibleDeep({ 'a\u200b': ['b\u202e'] })).toEqual({ a: ['b'] });
});
