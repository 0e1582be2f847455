import { describe, expect, test } from 'bun:test';

describe('sum', () => {
  test('adds', () => expect(1 + 1).toBe(2));
  test('is wrong', () => expect(1 + 1).toBe(3));
  test.skip('is skipped', () => {});
});
