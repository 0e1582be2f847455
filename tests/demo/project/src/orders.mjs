// The shop's HTTP interface, and the client its own pages use.
import { createServer } from 'node:http';

const ORDERS = {
  1041: { id: 1041, items: ['apples'], coupon: { code: 'SPRING', percent: 10 } },
  1042: { id: 1042, items: ['pears'] },
};

export async function startShop() {
  const server = createServer((request, response) => {
    try {
      const order = ORDERS[request.url.split('/').at(-1)];
      response.end(JSON.stringify({ ...order, discount: order.coupon.percent }));
    } catch {
      response.statusCode = 500;
      response.end('Internal Server Error');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export async function fetchOrder(port, id) {
  const response = await fetch(`http://127.0.0.1:${port}/orders/${id}`);
  if (!response.ok) throw new Error(`GET /orders/${id} failed: HTTP ${response.status} ${response.statusText}`);
  return response.json();
}
