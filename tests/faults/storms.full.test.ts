/** Storms with large numbers. */
import { test } from './setup.ts';
import { expectAllCounted, expectKillsLoseNothing, expectSignedAgain } from './storms.ts';

const timeout = 900_000;

test('8 processes with 250 diagnoses each lose none', { timeout }, () => expectAllCounted(8, 250, 'with'));

test('8 processes with 60 diagnoses each lose none without the lock addon', { timeout }, () =>
  expectAllCounted(8, 60, 'without'),
);

test('200 kills at random moments lose no acknowledged write and leave no damage', { timeout }, () =>
  expectKillsLoseNothing(50, 4),
);

test('100,000 patterns of an older version are signed again', { timeout }, () => expectSignedAgain(100_000));
