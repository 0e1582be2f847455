// Knows how much is on the shelf; a service of its own, asked over HTTP.
import { createServer, get } from 'node:http';

const SHELF = { apples: 12, pears: 7 };

export async function startStockService(port) {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ amount: SHELF[request.url.slice(1)] ?? 0 }));
  });
  if (process.env.STOCK_AUTOSTART === '1') {
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  }
  return server;
}

export function amountOf(port, article) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: `/${article}` }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve(JSON.parse(body).amount);
    }).on('error', reject);
  });
}
