import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const sum = suite('sum');
sum('adds', () => assert.is(1 + 1, 2));
sum('is wrong', () => assert.is(1 + 1, 3));
sum.skip('is skipped', () => {});
sum.run();
