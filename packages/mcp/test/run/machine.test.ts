/** Tests the advice for failures that the machine causes. */

import { createServer } from 'node:net';
import type { FailureKind } from 'argus-engine';
import { expect, test } from 'vitest';
import { createMachineAdvice, findListeningProgram, type MachineProbe } from '../../src/run/advice/machine-advice.ts';
import { createProject } from '../project.ts';

const idleMachine: MachineProbe = {
  root: '/nowhere',
  platform: 'linux',
  findPortHolder: () => undefined,
  readFreeBytes: () => 3 * 1024 ** 2,
};

const getAdvice = (failureKind: FailureKind, headline: string, machine: Partial<MachineProbe> = {}) =>
  createMachineAdvice([{ failureKind, headline }], { ...idleMachine, ...machine });

test.each<[FailureKind, string, string]>([
  ['address-in-use', 'Error: listen EADDRINUSE: address already in use :::3000', 'lsof -nP -iTCP:3000 -sTCP:LISTEN'],
  ['address-in-use', 'OSError: [Errno 98] Address already in use: port 8080', 'Port 8080'],
  ['connection-refused', 'Error: connect ECONNREFUSED 127.0.0.1:5432', 'at 127.0.0.1:5432'],
  ['connection-refused', 'dial tcp [::1]:6379: connect: connection refused', 'at [::1]:6379'],
  ['connection-refused', 'server.js:120 failed to connect to queue:5672: refused', 'at queue:5672'],
  ['dns', 'Error: getaddrinfo ENOTFOUND db.internal', 'db.internal did not resolve'],
  ['dns', 'dial tcp: lookup db.internal: no such host', 'db.internal did not resolve'],
  ['tls', 'Error: certificate has expired', "machine's clock"],
  ['disk-full', 'OSError: [Errno 28] No space left on device', 'has 3 MiB left'],
  ['disk-full', 'ENOSPC: System limit for number of file watchers reached', 'max_user_watches'],
  ['resource-limit', 'Error: EMFILE: too many open files, open', 'ulimit -n'],
  ['killed', 'Killed', 'journalctl -k'],
  ['permission', "Error: EACCES: permission denied, open '/etc/shop.conf'", 'ls -ld /etc/shop.conf'],
  ['version-mismatch', 'was compiled against a different Node.js version using NODE_MODULE_VERSION 108', 'npm rebuild'],
])('gives advice for %s: %s', (kind, headline, expectedAdvice) => {
  expect(getAdvice(kind, headline)).toEqual([expect.stringContaining(expectedAdvice)]);
});

test('names the process that holds a port', () => {
  const advices = getAdvice('address-in-use', 'listen EADDRINUSE 127.0.0.1:3000', {
    findPortHolder: (port) => `node on ${port}`,
  });
  expect(advices).toEqual(['Port 3000 is used by node on 3000: stop it, or use another port.']);
});

test.runIf(process.platform === 'linux')('finds the process that listens on a port on Linux', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  expect(findListeningProgram(port)).toContain(`(process ${process.pid})`);
  await new Promise((resolve) => server.close(resolve));
  expect(findListeningProgram(port)).toBeUndefined();
});

test('names the version that the project requires', () => {
  const node = createProject({ 'package.json': '{"engines":{"node":">=22"}}' });
  const python = createProject({ 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' });
  expect(getAdvice('version-mismatch', 'Unsupported Node.js version', { root: node })[0]).toContain('Node.js >=22');
  expect(getAdvice('version-mismatch', 'requires a different Python', { root: python })[0]).toContain('Python >=3.12');
});

test('returns equal advice once, and no advice for failures without details', () => {
  const refused = { failureKind: 'connection-refused', headline: 'connect ECONNREFUSED 127.0.0.1:5432' } as const;
  expect(createMachineAdvice([refused, refused], idleMachine)).toHaveLength(1);
  expect(getAdvice('assertion', 'expected 1 to equal 2')).toEqual([]);
  expect(getAdvice('connection-refused', 'connection refused')).toEqual([]);
});
