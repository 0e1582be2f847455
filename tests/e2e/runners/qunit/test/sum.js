QUnit.module('sum', () => {
  QUnit.test('adds', (assert) => assert.equal(1 + 1, 2));
  QUnit.test('is wrong', (assert) => assert.equal(1 + 1, 3));
  QUnit.skip('is skipped', (assert) => assert.equal(1 + 1, 3));
});
