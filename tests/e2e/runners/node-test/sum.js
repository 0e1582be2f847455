import assert from 'node:assert';
import { describe, it } from 'node:test';

describe('sum', () => {
  it('adds', () => assert.strictEqual(1 + 1, 2));
  it('is wrong', () => assert.strictEqual(1 + 1, 3));
  it.skip('is skipped', () => {});
});
