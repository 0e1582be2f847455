import { expect, test } from 'vitest';
import { Guard } from '../../src/view/guard.ts';

test('a browser leaves out the usual port, and no other', () => {
  const guard = new Guard();
  const path = (headers: Record<string, string>, port: number) =>
    guard.pathAtHome({ url: '/a?b', headers, headersDistinct: {} }, port);
  for (const name of ['localhost', '127.0.0.1']) {
    expect(path({ host: name, origin: `http://${name}` }, 80)).toBe('/a');
    expect(path({ host: name }, 8080)).toBeUndefined();
    expect(path({ host: `${name}:8080`, origin: `http://${name}:8080` }, 8080)).toBe('/a');
    expect(path({ host: `${name}:8080`, origin: `http://${name}` }, 8080)).toBeUndefined();
  }
});
