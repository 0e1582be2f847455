function equal(actual, expected) {
  if (actual === expected) return;
  throw Object.assign(new Error(`expected ${actual} to equal ${expected}`), {
    name: 'AssertionError',
    actual,
    expected,
  });
}

describe('sum', () => {
  it('adds', () => equal(1 + 1, 2));
  it('is wrong', () => equal(1 + 1, 3));
  it.skip('is skipped', () => equal(1 + 1, 3));
});
