// Tests the page's addresses: parsing an address returns the values from which it was created, whatever characters an
// id has.
import { describe, expect, test } from 'vitest';
import { findKnownWord, href, parseHash, parseInteger, withQuery } from '../src/lib/route.ts';

describe('parsing an address returns its path and query', () => {
  test.each([
    [['patterns'], {}],
    [['patterns', 'pat-0198/%2F ü#?&'], { text: 'a b&c=d #1', sort: 'confidence' }],
    [['compare'], { base: 'run-1', head: 'run-2' }],
  ])('round-trips %j', (path, query) => {
    const read = parseHash(href(path, query));
    expect(read.path).toEqual(path);
    expect(read.query).toEqual(query);
  });

  test('an address leaves out unset parameters', () => {
    expect(href(['runs'], { status: null, text: '', offset: undefined, live: false, page: 0 })).toBe('#/runs?page=0');
  });

  test('the path is empty at the start, and a segment that cannot be decoded is kept', () => {
    expect(parseHash('').path).toEqual([]);
    expect(parseHash('#/patterns/%E0%A4%A').path).toEqual(['patterns', '%E0%A4%A']);
  });

  test('changing a query parameter keeps the other parameters', () => {
    const route = parseHash('#/patterns?category=TIMEOUT&sort=confidence&offset=100');
    expect(withQuery(route, { offset: null, text: 'x' })).toBe('#/patterns?category=TIMEOUT&sort=confidence&text=x');
  });
});

test('numbers and words of a query are limited to valid values', () => {
  expect(parseInteger('12', 0)).toBe(12);
  expect([parseInteger('1e9999', 3), parseInteger('x', 3), parseInteger('', 3), parseInteger('1.5', 3)]).toEqual([
    3, 3, 3, 3,
  ]);
  expect(parseInteger('99', 0, 1, 50)).toBe(50);
  expect(findKnownWord('failed', ['passed', 'failed'])).toBe('failed');
  expect(findKnownWord('constructor', ['passed', 'failed'])).toBeUndefined();
});
