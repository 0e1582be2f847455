/** The pure parts of the benchmark: search, notes, the repairer's order, locations, mutations and intervals. */
import { expect, test } from 'vitest';

// The modules are JavaScript without declarations, which TypeScript accepts only if their names are computed.
const load = (file: string) => import(new URL(file, import.meta.url).href);
const { wilsonInterval } = await load('../measure.mjs');
const { findSymbol, mutateLine, parseDiff } = await load('./code.mjs');
const { formatNotes, fromHook, keepFirstOfFiles, rankBm25 } = await load('./conditions.mjs');

test('BM25 prefers the document with the rare word, and omits documents without a common word', () => {
  const documents = ['parse the date', 'parse the parse tree', 'format numbers'].map((text) => ({ text }));
  expect(rankBm25(documents, 'parseDate fails').map(({ text }: { text: string }) => text)).toEqual([
    documents[0]?.text,
    documents[1]?.text,
  ]);
});

test('notes are whole lines, newest first, of at most 8 KB', () => {
  const recorded = Array.from({ length: 50 }, (_, index) => ({
    caseNames: [`t${index}`],
    error: 'x'.repeat(400),
    truth: [],
  }));
  const lines = formatNotes(recorded);
  expect(JSON.parse(lines[0] ?? '').test).toBe('t49');
  expect(Buffer.byteLength(`${lines.join('\n')}\n`)).toBeLessThanOrEqual(8192);
});

test('the repairer tries a file once, at its first location', () => {
  const [one, other] = [{ file: 'a.py', symbol: 'f' }, { file: 'b.py' }];
  expect(keepFirstOfFiles([one, other, { file: 'a.py', symbol: 'g' }])).toEqual([one, other]);
});

test('reads the files and symbols of the hook', () => {
  const text = 'proved to fix it: commit 0b37\n  files: a.py, b.py\n  symbols: f, g\n';
  const { locations } = fromHook({ text, seconds: 0 }, (file: string, name: string) => file === 'b.py' && name === 'g');
  expect(locations).toEqual([
    { file: 'a.py', symbol: undefined },
    { file: 'b.py', symbol: 'g' },
  ]);
});

test('finds the definition around a line, and the locations of a diff', () => {
  expect(findSymbol(['class A:', '    def f(self):', '        if x:', '            y()'], 4, 'a.py')).toBe('f');
  expect(findSymbol(['func (r *Route) Match(x int) bool {', '\treturn x > 1', '}'], 2, 'a.go')).toBe('Match');
  const diff = '+++ b/a.go\n@@ -3 +3,2 @@ func f() {\n-x\n+y\n+z';
  expect(parseDiff(diff)).toEqual([{ file: 'a.go', line: 3, count: 2, symbol: 'f' }]);
});

test('exchanges one operator of a line, and leaves comments alone', () => {
  expect(mutateLine('return a == b', 'a.py')).toEqual(['return a != b', 'return not a == b']);
  expect(mutateLine('# a == b', 'a.py')).toEqual([]);
});

test('the Wilson interval of 9 of 10 is the published one', () => {
  expect(wilsonInterval(9, 10).map((value: number) => value.toFixed(3))).toEqual(['0.596', '0.982']);
});
