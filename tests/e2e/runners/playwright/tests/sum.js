const { expect, test } = require('@playwright/test');

test.describe('sum', () => {
  test('adds', () => expect(1 + 1).toBe(2));
  test('is wrong', () => expect(1 + 1).toBe(3));
  // biome-ignore lint/correctness/noEmptyPattern: Playwright insists on it
  test('is flaky', ({}, info) => expect(info.retry).toBe(1));
  test.skip('is skipped', () => {});
});
