// Tests that stored texts are shown safely: no hidden characters, no control characters, and no more than a browser can
// lay out.
import { describe, expect, test } from 'vitest';
import { clipText, showInvisible, splitAtSpans, toOneLine } from '../src/lib/display-text.ts';

test.each([
  ['\u001b[31mred\u001b[0m', '⟨ESC⟩[31mred⟨ESC⟩[0m'],
  ['a\u0000b\u007fc\u009b', 'a⟨NUL⟩b⟨DEL⟩c⟨U+009B⟩'],
  ['one\r\ntwo\rthree\tfour', 'one\ntwo\nthree\tfour'],
  ['abc\u202Efed\u2066x\u200b', 'abc⟨U+202E⟩fed⟨U+2066⟩x⟨U+200B⟩'],
  ['say \u{e0041}\u{e0042} and a\ufe0fb\u200dc', 'say ⟨U+E0041⟩⟨U+E0042⟩ and a⟨U+FE0F⟩b⟨U+200D⟩c'],
  ['👩🏽\u200d💻 ❤\ufe0f 1\ufe0f⃣', '👩🏽\u200d💻 ❤\ufe0f 1\ufe0f⃣'],
  ['half \ud83d of', 'half \ufffd of'],
  ['<script>alert(1)</script> 👀', '<script>alert(1)</script> 👀'],
])('shows %j as %j', (text, shown) => {
  expect(showInvisible(text)).toBe(shown);
});

test('a line of 10 MB is shortened', () => {
  const line = toOneLine('x '.repeat(5_000_000), 100);
  expect(line).toBe(`${'x '.repeat(50).trim()}…`);
});

test('shortening never splits a character', () => {
  expect(clipText('ab👀c', 3)).toEqual({ text: 'ab', more: 3 });
  expect(clipText('ab👀c', 4)).toEqual({ text: 'ab👀', more: 1 });
  expect(clipText('abc', 3)).toEqual({ text: 'abc', more: 0 });
});

describe('splitting a text at spans', () => {
  test('splits the text into pieces at the bounds of the spans', () => {
    const spans = [
      { start: 11, end: 15, kind: 'b' },
      { start: 0, end: 5, kind: 'a' },
    ];
    expect(splitAtSpans('Error: 5 of 12ms', spans)).toEqual([
      { text: 'Error', kind: 'a' },
      { text: ': 5 of' },
      { text: ' 12m', kind: 'b' },
      { text: 's' },
    ]);
  });

  test('the pieces never exceed the text, whatever the spans are', () => {
    const spans = [
      { start: 2, end: 4, kind: 'a' },
      { start: 3, end: 6, kind: 'overlapping' },
      { start: 5, end: 5, kind: 'empty' },
      { start: 6, end: 99, kind: 'outside' },
    ];
    const made = splitAtSpans('abcdefgh', spans);
    expect(made.map((piece) => piece.text).join('')).toBe('abcdefgh');
    expect(made.filter((piece) => piece.kind)).toEqual([{ text: 'cd', kind: 'a' }]);
  });
});
