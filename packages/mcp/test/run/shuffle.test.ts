/** Tests the lines with which runners print their seed. */

import { expect, test } from 'vitest';
import { ShuffleDetector } from '../../src/run/reports/shuffle.ts';

function detectShuffle(pieces: readonly string[], runner: string | null = null) {
  const watch = new ShuffleDetector(runner);
  for (const piece of pieces) watch.add(piece);
  return watch.end();
}

test.each<[string, string, string, string]>([
  ['pytest-randomly', 'Using --randomly-seed=2093437318\n', '2093437318', '--randomly-seed=2093437318'],
  ['pytest-random-order', 'Using --random-order-seed=24775\n', '24775', '--random-order-seed=24775'],
  ['Vitest', '      Running tests with seed "1700"\n', '1700', '--sequence.shuffle --sequence.seed=1700'],
  ['RSpec', '\nRandomized with seed 37\n', '37', '--seed 37'],
  ['Jasmine', 'Randomized with seed 37 (jasmine --random=true --seed=37)', '37', '--random=true --seed=37'],
  ['minitest', 'Run options: --seed 4711\n', '4711', '--seed 4711'],
  ['minitest with other options', 'Run options: -v --seed 4711 -n /adds/\r\n', '4711', '--seed 4711'],
  ['ExUnit', 'Running ExUnit with seed: 7, max_cases: 8\n', '7', '--seed 7'],
  ['PHPUnit', 'Random Seed:   1639580000\n', '1639580000', '--order-by=random --random-order-seed=1639580000'],
  ['Go', '-test.shuffle 17\nPASS\n', '17', '-shuffle=17'],
  ['libtest', 'running 3 tests (shuffle seed: 17)\n', '17', '-- -Z unstable-options --shuffle-seed 17'],
  [
    'Surefire',
    'To reproduce ordering use flag -Dsurefire.runOrder.random.seed=28\n',
    '28',
    '-Dsurefire.runOrder=random -Dsurefire.runOrder.random.seed=28',
  ],
])('reads the seed of %s', (_, text, seed, option) => expect(detectShuffle([text])).toEqual({ seed, option }));

test('accepts the line of Jest only for Jest, because other programs print such lines', () => {
  const lines = ['Seed:        -1229\n'];
  expect(detectShuffle(lines, 'jest')).toEqual({ seed: '-1229', option: '--randomize --seed=-1229' });
  expect(detectShuffle(lines)).toBeNull();
  expect(detectShuffle(lines, 'vitest')).toBeNull();
});

test('reads a line in chunks, a line in colors, and a repeated line', () => {
  expect(detectShuffle(['Using --rand', 'omly-seed=', '5\nUsing --randomly-seed=5\n'])?.seed).toBe('5');
  expect(detectShuffle(['\u001b[2mRandomized with seed 37\u001b[22m\n'])?.seed).toBe('37');
});

test('returns no seed if several seeds are printed', () => {
  expect(detectShuffle(['-test.shuffle 17\n-test.shuffle 18\n'])).toEqual({});
});

test('ignores lines that only look like lines with a seed', () => {
  expect(detectShuffle(['seeded 3 users\n', 'expected Seed: 4\n', `${'x'.repeat(5000)} seed\n`], 'jest')).toBeNull();
});
