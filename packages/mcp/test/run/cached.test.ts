import { expect, test } from 'vitest';
import { cachedNote } from '../../src/run/advice/cached.ts';

test.each([
  [
    '@shop/cart:build: cache hit, replaying logs 0bc1\n@shop/cart:test: cache hit, replaying logs 4f2a\n@shop/cart:test: ok\nshop:test:unit: cache hit, suppressing logs 1\n',
    'Turbo replayed the tests of 2 packages from its cache',
  ],
  ['\u001b[36m@shop/cart:test: \u001b[0mcache hit, replaying logs \u001b[2m4f2a\u001b[0m', 'tests of one package'],
  ['@shop/cart:build: cache hit, replaying logs 0bc1\n@shop/cart:test: cache miss, executing 4f2a\n', undefined],
  [
    'Nx read the output from the cache instead of running the command for 3 out of 10 tasks.',
    'Nx replayed 3 of 10 tasks from its cache: their cases are not in this run. Add --skip-nx-cache to run them.',
  ],
  [
    'ok  \texample.com/shop/cart\t(cached)\nok  \texample.com/shop/api\t0.003s\nok  \texample.com/shop/db\t(cached)\tcoverage: 81.0% of statements\n',
    'Go replayed 2 of 3 passed packages from its cache: their tests did not run now. Add -count=1 to run them.',
  ],
  ['ok  \texample.com/shop/cart\t0.003s\n', undefined],
  ['', undefined],
])('notes replayed results in %j', (printed, note) => {
  if (note === undefined) expect(cachedNote(printed)).toBeUndefined();
  else expect(cachedNote(printed)).toContain(note);
});
