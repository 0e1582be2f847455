import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/price.mjs';

test('an empty basket is free', () => {
  assert.equal(total([]), 0);
});

test('basket total is exact to the cent', () => {
  assert.equal(total([{ price: 0.1, amount: 1 }, { price: 0.2, amount: 1 }]), 0.3);
});
