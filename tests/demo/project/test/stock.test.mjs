import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { amountOf, startStockService } from '../src/stock.mjs';

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('stock service knows the apples', async (t) => {
  const port = await freePort();
  const service = await startStockService(port);
  t.after(() => service.close());
  assert.equal(await amountOf(port, 'apples'), 12);
});
