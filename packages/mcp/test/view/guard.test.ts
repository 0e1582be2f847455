// Decides which requests come from the viewer's own page. `tests/hostile/viewer.test.ts` uses a real socket.
import { expect, onTestFinished, test, vi } from 'vitest';
import { Guard } from '../../src/view/guard.ts';

const PORT = 8123;
const HOME = `127.0.0.1:${PORT}`;

interface Asked {
  url?: string;
  headers?: Record<string, string>;
  headersDistinct?: NodeJS.Dict<string[]>;
}

function pathAtHome({ url = '/a?b', headers = {}, headersDistinct = {} }: Asked, port = PORT): string | undefined {
  return new Guard().pathAtHome({ url, headers: { host: HOME, ...headers }, headersDistinct }, port);
}

test.each<[name: string, asked: Asked, port?: number]>([
  ['a program that names only the host', {}],
  ['the other name of this machine', { headers: { host: `localhost:${PORT}`, origin: `http://localhost:${PORT}` } }],
  ['the page itself', { headers: { origin: `http://${HOME}`, 'sec-fetch-site': 'same-origin' } }],
  ['an address that a person typed', { headers: { 'sec-fetch-site': 'none' } }],
  ['a target that names this host', { url: `http://${HOME}/a` }],
  ['the usual port, which browsers leave out', { headers: { host: '127.0.0.1', origin: 'http://127.0.0.1' } }, 80],
])('accepts %s', (_name, asked, port) => {
  expect(pathAtHome(asked, port)).toBe('/a');
});

test.each<[name: string, asked: Asked]>([
  ['another host', { headers: { host: 'evil.example' } }],
  ['another host with this port', { headers: { host: `evil.example:${PORT}` } }],
  ['no port', { headers: { host: '127.0.0.1' } }],
  ['another port', { headers: { host: `127.0.0.1:${PORT + 1}` } }],
  ['an origin elsewhere', { headers: { origin: 'http://evil.example' } }],
  ['an origin of another scheme', { headers: { origin: `https://${HOME}` } }],
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
  ['a target with a user', { url: `http://a:b@${HOME}/a` }],
  ['a target of another scheme', { url: `https://${HOME}/a` }],
  ['a file', { url: 'file:///a' }],
  ['no address', { url: 'http://[' }],
])('rejects %s', (_name, asked) => {
  expect(pathAtHome(asked)).toBeUndefined();
});

test.each(['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length', 'content-type'])(
  'rejects two headers %s, even if they are equal',
  (name) => {
    expect(pathAtHome({ headersDistinct: { [name]: ['x'] } })).toBe('/a');
    expect(pathAtHome({ headersDistinct: { [name]: ['x', 'x'] } })).toBeUndefined();
  },
);

test('accepts only the token of this start', () => {
  const guard = new Guard();
  expect(guard.isBearer(`Bearer ${guard.token}`)).toBe(true);
  const { token } = new Guard();
  for (const other of [undefined, '', 'Bearer ', `Bearer ${token}`, `Basic ${guard.token}`, `Bearer ${guard.token}x`]) {
    expect([other, guard.isBearer(other)]).toEqual([other, false]);
  }
});

test('redeems a ticket once, within a minute', () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  const guard = new Guard();
  const ticket = guard.newTicket();
  expect(guard.redeem('AAAA')).toBe(false);
  vi.setSystemTime(60_000);
  expect([guard.redeem(ticket), guard.redeem(ticket)]).toEqual([true, false]);
  const late = guard.newTicket();
  vi.setSystemTime(120_001);
  expect(guard.redeem(late)).toBe(false);
});
