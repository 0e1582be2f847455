/** Advice for failures that machines cause. */

import { createServer } from 'node:net';
import type { FailureKind } from 'argus-engine';
import { expect, test } from 'vitest';
import { type Machine, machineAdvice } from '../../src/run/advice/machine.ts';
import { listenerOf } from '../../src/system/listener.ts';
import { project } from '../project.ts';

const nobody: Machine = {
  root: '/nowhere',
  platform: 'linux',
  holderOf: () => undefined,
  freeBytes: () => 3 * 1024 ** 2,
};

const advice = (failureKind: FailureKind, headline: string, machine: Partial<Machine> = {}) =>
  machineAdvice([{ failureKind, headline }], { ...nobody, ...machine });

test.each<[FailureKind, string, string]>([
  ['address-in-use', 'Error: listen EADDRINUSE: address already in use :::3000', 'lsof -nP -iTCP:3000 -sTCP:LISTEN'],
  ['address-in-use', 'OSError: [Errno 98] Address already in use: port 8080', 'Port 8080'],
  ['connection-refused', 'Error: connect ECONNREFUSED 127.0.0.1:5432', 'at 127.0.0.1:5432'],
  ['connection-refused', 'dial tcp [::1]:6379: connect: connection refused', 'at [::1]:6379'],
  ['connection-refused', 'server.js:120 failed to connect to queue:5672: refused', 'at queue:5672'],
  ['dns', 'Error: getaddrinfo ENOTFOUND db.internal', 'db.internal did not resolve'],
  ['dns', 'dial tcp: lookup db.internal: no such host', 'db.internal did not resolve'],
  ['tls', 'Error: certificate has expired', "machine's clock"],
  ['disk-full', 'OSError: [Errno 28] No space left on device', '3 MiB are left'],
  ['disk-full', 'ENOSPC: System limit for number of file watchers reached', 'max_user_watches'],
  ['resource-limit', 'Error: EMFILE: too many open files, open', 'ulimit -n'],
  ['permission', "Error: EACCES: permission denied, open '/etc/shop.conf'", 'ls -ld /etc/shop.conf'],
  ['version-mismatch', 'was compiled against a different Node.js version using NODE_MODULE_VERSION 108', 'npm rebuild'],
])('%s: %s', (kind, headline, said) => {
  expect(advice(kind, headline)).toEqual([expect.stringContaining(said)]);
});

test('names the process that holds a port', () => {
  const said = advice('address-in-use', 'listen EADDRINUSE 127.0.0.1:3000', { holderOf: (port) => `node on ${port}` });
  expect(said).toEqual(['Port 3000 is held by node on 3000: end it, or use another port.']);
});

test.runIf(process.platform === 'linux')('finds the listening process on Linux', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  expect(listenerOf(port)).toContain(`(process ${process.pid})`);
  await new Promise((resolve) => server.close(resolve));
  expect(listenerOf(port)).toBeUndefined();
});

test('names the required version', () => {
  const node = project({ 'package.json': '{"engines":{"node":">=22"}}' });
  const python = project({ 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' });
  expect(advice('version-mismatch', 'Unsupported Node.js version', { root: node })[0]).toContain('Node.js >=22');
  expect(advice('version-mismatch', 'requires a different Python', { root: python })[0]).toContain('Python >=3.12');
});

test('deduplicates advice, and omits it without details', () => {
  const refused = { failureKind: 'connection-refused', headline: 'connect ECONNREFUSED 127.0.0.1:5432' } as const;
  expect(machineAdvice([refused, refused], nobody)).toHaveLength(1);
  expect(advice('assertion', 'expected 1 to equal 2')).toEqual([]);
  expect(advice('connection-refused', 'connection refused')).toEqual([]);
});
