import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fetchOrder, startShop } from '../src/orders.mjs';

describe('orders', () => {
  let shop;
  before(async () => {
    shop = await startShop();
  });
  after(() => shop.close());

  test('an order with a coupon has its discount', async () => {
    assert.equal((await fetchOrder(shop.address().port, 1041)).discount, 10);
  });

  test('an order without a coupon is served', async () => {
    assert.equal((await fetchOrder(shop.address().port, 1042)).discount, 0);
  });
});
