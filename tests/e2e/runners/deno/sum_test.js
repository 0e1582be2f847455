import assert from 'node:assert/strict';

Deno.test('adds', () => assert.equal(1 + 1, 2));
Deno.test('is wrong', () => assert.equal(1 + 1, 3));
Deno.test({ name: 'is skipped', ignore: true, fn() {} });
