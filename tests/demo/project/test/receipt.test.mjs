import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiptFor } from '../src/receipt.mjs';

test('receipt of a guest has no name', () => {
  assert.equal(receiptFor({ items: ['apples'] }), 'guest: apples');
});
