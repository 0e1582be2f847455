import test from 'ava';

test('adds', (t) => t.is(1 + 1, 2));
test('is wrong', (t) => t.is(1 + 1, 3));
test.skip('is skipped', (t) => t.pass());
