const test = require('tape');

test('adds', (t) => {
  t.equal(1 + 1, 2);
  t.end();
});

test('is wrong', (t) => {
  t.equal(1 + 1, 3);
  t.end();
});

test('is skipped', { skip: true }, (t) => {
  t.end();
});
