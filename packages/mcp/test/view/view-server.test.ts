// Tests which requests count as requests of the viewer's own page. `tests/hostile/viewer.test.ts` uses a real socket.
import { expect, onTestFinished, test, vi } from 'vitest';
import { RequestGuard } from '../../src/view/view-server.ts';

const PORT = 8123;
const OWN_HOST = `127.0.0.1:${PORT}`;

interface TestRequest {
  url?: string;
  headers?: Record<string, string>;
  headersDistinct?: NodeJS.Dict<string[]>;
}

function findPathOfRequest(
  { url = '/a?b', headers = {}, headersDistinct = {} }: TestRequest,
  port = PORT,
): string | undefined {
  return new RequestGuard().parseSameOriginPath(
    { url, headers: { host: OWN_HOST, ...headers }, headersDistinct },
    port,
  );
}

test.each<[name: string, asked: TestRequest, port?: number]>([
  ['a program that names only the host', {}],
  ['the other name of this machine', { headers: { host: `localhost:${PORT}`, origin: `http://localhost:${PORT}` } }],
  ['the page itself', { headers: { origin: `http://${OWN_HOST}`, 'sec-fetch-site': 'same-origin' } }],
  ['an address that a person typed', { headers: { 'sec-fetch-site': 'none' } }],
  ['a target that names this host', { url: `http://${OWN_HOST}/a` }],
  ['the usual port, which browsers leave out', { headers: { host: '127.0.0.1', origin: 'http://127.0.0.1' } }, 80],
])('accepts %s', (_name, testRequest, port) => {
  expect(findPathOfRequest(testRequest, port)).toBe('/a');
});

test.each<[name: string, asked: TestRequest]>([
  ['another host', { headers: { host: 'evil.example' } }],
  ['another host with this port', { headers: { host: `evil.example:${PORT}` } }],
  ['no port', { headers: { host: '127.0.0.1' } }],
  ['another port', { headers: { host: `127.0.0.1:${PORT + 1}` } }],
  ['an origin elsewhere', { headers: { origin: 'http://evil.example' } }],
  ['an origin of another scheme', { headers: { origin: `https://${OWN_HOST}` } }],
  ['an origin with another port', { headers: { origin: `http://127.0.0.1:${PORT + 1}` } }],
  ['an origin without a port', { headers: { origin: 'http://127.0.0.1' } }],
  ['an origin that the browser hides', { headers: { origin: 'null' } }],
  ['a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['a page of another port', { headers: { 'sec-fetch-site': 'same-site' } }],
  ['a target on another host', { url: 'http://evil.example/a' }],
  ['a target on another host with this port', { url: `http://evil.example:${PORT}/` }],
  ['a target on another port', { url: 'http://127.0.0.1:1/a' }],
  ['a target with two slashes', { url: '//evil.example/a' }],
  ['a target with a backslash', { url: '/\\evil.example/a' }],
  ['a target with a user', { url: `http://a:b@${OWN_HOST}/a` }],
  ['a target of another scheme', { url: `https://${OWN_HOST}/a` }],
  ['a file', { url: 'file:///a' }],
  ['no address', { url: 'http://[' }],
])('rejects %s', (_name, testRequest) => {
  expect(findPathOfRequest(testRequest)).toBeUndefined();
});

test.each(['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length', 'content-type'])(
  'rejects two headers %s, even if they are equal',
  (name) => {
    expect(findPathOfRequest({ headersDistinct: { [name]: ['x'] } })).toBe('/a');
    expect(findPathOfRequest({ headersDistinct: { [name]: ['x', 'x'] } })).toBeUndefined();
  },
);

test('accepts only the token of this start', () => {
  const guard = new RequestGuard();
  expect(guard.hasValidToken(`Bearer ${guard.token}`)).toBe(true);
  const { token } = new RequestGuard();
  for (const authorization of [
    undefined,
    '',
    'Bearer ',
    `Bearer ${token}`,
    `Basic ${guard.token}`,
    `Bearer ${guard.token}x`,
  ]) {
    expect([authorization, guard.hasValidToken(authorization)]).toEqual([authorization, false]);
  }
});

test('accepts a ticket once, within a minute', () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  const guard = new RequestGuard();
  const ticket = guard.createTicket();
  expect(guard.redeem('AAAA')).toBe(false);
  vi.setSystemTime(60_000);
  expect([guard.redeem(ticket), guard.redeem(ticket)]).toEqual([true, false]);
  const late = guard.createTicket();
  vi.setSystemTime(120_001);
  expect(guard.redeem(late)).toBe(false);
});
