import { expect, test } from 'vitest';
import { Guard } from '../src/view/guard.ts';

test('a browser leaves out the usual port, and no other', () => {
  const guard = new Guard();
  for (const name of ['127.0.0.1', 'localhost']) {
    expect(guard.isAtHome({ host: name, origin: `http://${name}` }, 80)).toBe(true);
    expect(guard.isAtHome({ host: name }, 8080)).toBe(false);
    expect(guard.isAtHome({ host: `${name}:8080`, origin: `http://${name}:8080` }, 8080)).toBe(true);
    expect(guard.isAtHome({ host: `${name}:8080`, origin: `http://${name}` }, 8080)).toBe(false);
  }
});
