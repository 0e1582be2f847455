/** Storms with small numbers. Kills, and writers of other kinds: tests/hostile/memory. */
import { test } from './setup.ts';
import { expectAllCounted, expectSignedAgain } from './storms.ts';

test('3 processes with 20 diagnoses each lose none', () => expectAllCounted(3, 20, 'with'));

test('600 patterns of an older version are signed again', () => expectSignedAgain(600));
