// The page's address: reading a link returns the values that it was made of, whatever characters an id has.
import { describe, expect, test } from 'vitest';
import { href, numberOf, parseHash, withQuery, wordOf } from '../src/lib/route.ts';

describe('an address', () => {
  test.each([
    [['patterns'], {}],
    [['patterns', 'pat-0198/%2F ü#?&'], { text: 'a b&c=d #1', sort: 'confidence' }],
    [['compare'], { base: 'run-1', head: 'run-2' }],
  ])('round-trips %j', (path, query) => {
    const read = parseHash(href(path, query));
    expect(read.path).toEqual(path);
    expect(read.query).toEqual(query);
  });

  test('leaves out unset parameters', () => {
    expect(href(['runs'], { status: null, text: '', offset: undefined, live: false, page: 0 })).toBe('#/runs?page=0');
  });

  test('is empty at the start, and keeps a segment that cannot be decoded', () => {
    expect(parseHash('').path).toEqual([]);
    expect(parseHash('#/patterns/%E0%A4%A').path).toEqual(['patterns', '%E0%A4%A']);
  });

  test('keeps the other parameters when a parameter changes', () => {
    const route = parseHash('#/patterns?category=TIMEOUT&sort=confidence&offset=100');
    expect(withQuery(route, { offset: null, text: 'x' })).toBe('#/patterns?category=TIMEOUT&sort=confidence&text=x');
  });
});

test('limits numbers and words of a query to valid values', () => {
  expect(numberOf('12', 0)).toBe(12);
  expect([numberOf('1e9999', 3), numberOf('x', 3), numberOf('', 3), numberOf('1.5', 3)]).toEqual([3, 3, 3, 3]);
  expect(numberOf('99', 0, 1, 50)).toBe(50);
  expect(wordOf('failed', ['passed', 'failed'])).toBe('failed');
  expect(wordOf('constructor', ['passed', 'failed'])).toBeUndefined();
});
