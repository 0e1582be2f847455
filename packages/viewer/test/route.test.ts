// The page's address: what a link says is what is read back, whatever an id holds.
import { describe, expect, test } from 'vitest';
import { href, numberOf, parseHash, withQuery, wordOf } from '../src/lib/route.ts';

describe('an address', () => {
  test.each([
    [['patterns'], {}],
    [['patterns', 'pat-0198/%2F ü#?&'], { text: 'a b&c=d #1', sort: 'confidence' }],
    [['compare'], { base: 'run-1', head: 'run-2' }],
  ])('says %j and is read back', (path, query) => {
    const read = parseHash(href(path, query));
    expect(read.path).toEqual(path);
    expect(read.query).toEqual(query);
  });

  test('leaves out what is not set', () => {
    expect(href(['runs'], { status: null, text: '', offset: undefined, live: false, page: 0 })).toBe('#/runs?page=0');
  });

  test('of the start is empty, and a broken one is read as it stands', () => {
    expect(parseHash('').path).toEqual([]);
    expect(parseHash('#/patterns/%E0%A4%A').path).toEqual(['patterns', '%E0%A4%A']);
  });

  test('keeps the rest of its query when a part changes', () => {
    const route = parseHash('#/patterns?category=TIMEOUT&sort=confidence&offset=100');
    expect(withQuery(route, { offset: null, text: 'x' })).toBe('#/patterns?category=TIMEOUT&sort=confidence&text=x');
  });
});

test('numbers and words of a query are only what they may be', () => {
  expect(numberOf('12', 0)).toBe(12);
  expect([numberOf('1e9999', 3), numberOf('x', 3), numberOf('', 3), numberOf('1.5', 3)]).toEqual([3, 3, 3, 3]);
  expect(numberOf('99', 0, 1, 50)).toBe(50);
  expect(wordOf('failed', ['passed', 'failed'])).toBe('failed');
  expect(wordOf('constructor', ['passed', 'failed'])).toBeUndefined();
});
