import { expect, test } from 'vitest';
import { lastCommand, quoted } from '../../src/system/words.ts';

const words = (line: string, windows = false) => lastCommand(line, windows).words.map((word) => word.text);

test.each([
  ['npm test', ['npm', 'test']],
  ['node \'a b.js\' "c \\" d" e\\ f', ['node', 'a b.js', 'c " d', 'e f']],
  ['npm test \\\n  -- "a\\\nb\\c" \\', ['npm', 'test', '--', 'ab\\c', '\\']],
  ['tsc && vitest run', ['vitest', 'run']],
  ['a; b || c d', ['c', 'd']],
  ['', []],
  ["'unclosed", ['unclosed']],
])('%s', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

test('treats backslashes as path separators on Windows', () => {
  expect(words('.venv\\Scripts\\python.exe -m pytest', true)).toEqual(['.venv\\Scripts\\python.exe', '-m', 'pytest']);
});

test.each([
  ...['vitest run | tee log', 'vitest > out', '(vitest)', 'vitest $(cat names)', 'vitest `x`', 'vitest &', ''],
  ...['(tsc; vitest)', 'tsc # then && vitest', 'sh <<EOF\nvitest', 'echo `tsc; vitest`'],
])('marks %s as not editable', (line) => {
  expect(lastCommand(line, false).editable).toBe(false);
});

test.each(['tsc > log && vitest', 'tsc 2>&1 | tee log; vitest', '(tsc; ls) && vitest', 'server & sleep 1; vitest'])(
  'ignores the syntax around another command: %s',
  (line) => {
    expect(lastCommand(line, false)).toMatchObject({ words: [{ text: 'vitest' }], editable: true });
  },
);

test('returns the offsets of the words', () => {
  const line = 'tsc &&  vitest "run"';
  const spans = lastCommand(line, false).words.map(({ start, end }) => line.slice(start, end));
  expect(spans).toEqual(['vitest', '"run"']);
});

test('quotes an argument for the shell', () => {
  expect(quoted('--reporter=json', false)).toBe('--reporter=json');
  expect(quoted("it's $HOME", false)).toBe("'it'\\''s $HOME'");
  expect(quoted('a "b"', true)).toBe('"a ""b"""');
});
