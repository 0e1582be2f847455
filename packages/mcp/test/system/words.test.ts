import { expect, test } from 'vitest';
import { parseLastCommand, quoteArgument } from '../../src/system/command-line.ts';

const lastCommandWords = (line: string, windows = false) =>
  parseLastCommand(line, windows).words.map((word) => word.text);

test.each([
  ['npm test', ['npm', 'test']],
  ['node \'a b.js\' "c \\" d" e\\ f', ['node', 'a b.js', 'c " d', 'e f']],
  ['npm test \\\n  -- "a\\\nb\\c" \\', ['npm', 'test', '--', 'ab\\c', '\\']],
  ['tsc && vitest run', ['vitest', 'run']],
  ['a; b || c d', ['c', 'd']],
  ['', []],
  ["'unclosed", ['unclosed']],
])('returns the words of the last command in %s', (line, expected) => {
  expect(lastCommandWords(line)).toEqual(expected);
});

test('treats backslashes as path separators on Windows', () => {
  expect(lastCommandWords('.venv\\Scripts\\python.exe -m pytest', true)).toEqual([
    '.venv\\Scripts\\python.exe',
    '-m',
    'pytest',
  ]);
});

test.each([
  ...['vitest run | tee log', 'vitest > out', '(vitest)', 'vitest $(cat names)', 'vitest `x`', 'vitest &', ''],
  ...['(tsc; vitest)', 'tsc # then && vitest', 'sh <<EOF\nvitest', 'echo `tsc; vitest`'],
])('marks %s as not editable', (line) => {
  expect(parseLastCommand(line, false).editable).toBe(false);
});

test.each(['tsc > log && vitest', 'tsc 2>&1 | tee log; vitest', '(tsc; ls) && vitest', 'server & sleep 1; vitest'])(
  'ignores the syntax around another command: %s',
  (line) => {
    expect(parseLastCommand(line, false)).toMatchObject({ words: [{ text: 'vitest' }], editable: true });
  },
);

test('returns the offsets of the words', () => {
  const line = 'tsc &&  vitest "run"';
  const spans = parseLastCommand(line, false).words.map(({ start, end }) => line.slice(start, end));
  expect(spans).toEqual(['vitest', '"run"']);
});

test('quotes an argument for the shell', () => {
  expect(quoteArgument('--reporter=json', false)).toBe('--reporter=json');
  expect(quoteArgument("it's $HOME", false)).toBe("'it'\\''s $HOME'");
  expect(quoteArgument('a "b"', true)).toBe('"a ""b"""');
});
