/** Scenarios about the behavior of single runners. vitest-and-jest.ts has the scenarios of Vitest and Jest. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { USUAL_TOTALS } from '../runners.ts';
import type { Folder, Scenario } from '../scenario.ts';

const retriedTest = (body: string) =>
  `describe('shop', function () { this.retries(2); it('opens', () => { ${body} }); });\n`;

const jasmineSpec = (name: string) => `describe('${name}', () => {
  describe('inner', () => {
    it('waits', (done) => setTimeout(done, 100));
    it('throws', () => { throw new TypeError('${name} is shut'); });
  });
  describe('broken', () => { beforeAll(() => { throw new Error('no doors'); }); it('sells', () => {}); });
});
`;

const NODE_SCENARIOS: Scenario[] = [
  {
    name: 'a test of Mocha that passed at once is not flaky for one of its name that was retried',
    recording: 'mocha-retries',
    folder: 'mocha',
    files: {
      'a.js': `let tries = 0;\n${retriedTest("if (tries++ < 1) throw new Error('shut')")}`,
      'b.js': retriedTest(''),
    },
    async play(stage) {
      const run = await stage.run({ command: 'mocha a.js b.js' });
      expect(run).toMatchObject({ status: 'passed', totals: { passed: 2, failed: 0, skipped: 0, flaky: 1 } });
    },
  },
  {
    name: 'a test of node:test is placed in its file, whatever helper asserts for it',
    recording: 'node-test-helper',
    folder: 'node-test',
    files: {
      'shop.js': "export function open() {\n  throw new TypeError('no doors');\n}\n",
      'test/check.js': `import assert from 'node:assert';
import { open } from '../shop.js';
export const equal = (one, other) => assert.strictEqual(one, other);
export const opens = () => open();
`,
      'test/shop.test.js': `import { test } from 'node:test';
import { equal, opens } from './check.js';

test('equal', () => equal(2, 3));
test('opens', () => opens());
`,
    },
    async play(stage) {
      expect((await stage.run({ command: 'node --test test/shop.test.js' })).failures).toMatchObject([
        { caseName: 'test/shop.test.js > equal', testPlace: 'test/shop.test.js:4' },
        { caseName: 'test/shop.test.js > opens', testPlace: 'test/shop.test.js:5', place: 'shop.js:2' },
      ]);
    },
  },
  {
    name: 'AVA tells an assertion as one, and what a test threw or rejected with as what it is',
    recording: 'ava-errors',
    folder: 'ava',
    files: {
      'sum.test.js': `import test from 'ava';

test('deep', (t) => t.deepEqual({ a: 1, list: [1, 2] }, { a: 1, list: [1, 3] }));
test('truthy', (t) => t.truthy(0));
test('said', (t) => t.true(1 > 2, 'one is more'));
test('throws', (t) => t.throws(() => 1));
test('threw', () => { throw new TypeError('no price'); });
test('rejects', () => Promise.reject(new TypeError('it\\'s closed')));
`,
    },
    async play(stage) {
      const { failures } = await stage.run();
      const told = failures.map(({ caseName, category, headline }) => [caseName.split(' > ')[1], [category, headline]]);
      expect(Object.fromEntries(told)).toEqual({
        deep: ['ASSERTION_MISMATCH', 'AssertionError: Difference (- actual, + expected): - 2, + 3,'],
        truthy: ['ASSERTION_MISMATCH', 'AssertionError: Value is not truthy: 0'],
        said: ['ASSERTION_MISMATCH', 'AssertionError: one is more'],
        throws: ['ASSERTION_MISMATCH', 'AssertionError: Function returned: 1'],
        threw: ['UNKNOWN', 'TypeError: no price'],
        rejects: ['UNKNOWN', "TypeError: it's closed"],
      });
    },
  },
  {
    name: 'cases of Jasmine are the same in parallel, where its workers tell of them at once',
    recording: 'jasmine-parallel',
    folder: 'jasmine',
    files: Object.fromEntries(['shop', 'store', 'stall'].map((name) => [`spec/${name}.spec.js`, jasmineSpec(name)])),
    async play(stage) {
      const failures = async (command: string) => {
        const run = await stage.run({ command });
        expect(run, command).toMatchObject({ totals: { passed: 4, failed: 10, skipped: 1 }, notes: [] });
        return (await stage.cases(run.runId)).map(({ caseName, headline }) => `${caseName}: ${headline}`).sort();
      };
      const inParallel = await failures('jasmine --parallel=2');
      expect(inParallel).toContain('spec/stall.spec.js > stall > inner > throws: TypeError: stall is shut');
      expect(inParallel).toEqual(await failures('jasmine'));
    },
  },
  {
    name: 'jasmine --random=false prints what it prints alone',
    recording: 'alone-jasmine',
    folder: 'jasmine',
    async play(stage) {
      const command = 'jasmine --random=false';
      await stage.run({ command });
      stage.expectShownAsAlone(command);
    },
  },
  {
    name: 'QUnit tells the values of each assertion, what was thrown, and a file that it cannot load',
    recording: 'qunit-errors',
    folder: 'qunit',
    files: {
      'test/shop.js': `const shut = () => { throw new TypeError('shop is shut'); };
QUnit.module('shop', () => {
  QUnit.test('opens', (assert) => {
    assert.equal(1 + 1, 3, 'the doors');
    assert.deepEqual({ open: true }, { open: false });
  });
  QUnit.test('shuts', shut);
  QUnit.todo('sells', (assert) => assert.ok(false));
});
`,
      'test/broken.js': "require('./absent');\n",
    },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ totals: { passed: 1, failed: 4, skipped: 2 }, notes: [] });
      expect(run.failures).toMatchObject([
        { caseName: 'test/broken.js > (suite)', headline: "Error: Cannot find module './absent'" },
        {
          caseName: 'test/shop.js > shop > opens',
          category: 'ASSERTION_MISMATCH',
          headline: 'the doors',
          message: 'expected: 3\nactual: 2\nexpected: { open: false }\nactual: { open: true }',
          testPlace: 'test/shop.js:4',
        },
        { caseName: 'test/shop.js > shop > shuts', headline: 'TypeError: shop is shut', testPlace: 'test/shop.js:1' },
        { caseName: 'test/sum.js > sum > is wrong' },
      ]);
    },
  },
  {
    name: 'Web Test Runner tells why it cannot load a file, and what fails around tests',
    recording: 'web-test-runner-errors',
    folder: 'web-test-runner',
    files: {
      'test/hooks.test.js':
        "describe('shop', () => { before(() => { throw new TypeError('no doors'); }); it('sells', () => {}); });\n",
      'test/broken.test.js': "import '../absent.js';\n",
    },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ status: 'failed', totals: { passed: 1, skipped: 1 } });
      expect(run.failures).toMatchObject([
        { caseName: 'test/broken.test.js > (suite)', headline: expect.stringContaining('absent.js') },
        {
          caseName: 'test/hooks.test.js > (suite)',
          headline: 'TypeError: no doors',
          testPlace: 'test/hooks.test.js:1',
        },
        { caseName: 'test/hooks.test.js > shop > sells' },
        { caseName: 'test/sum.test.js > sum > is wrong', headline: 'AssertionError: expected 2 to equal 3' },
      ]);
    },
  },
  {
    name: 'the error of a file that tap cannot load is its headline, printed or beside the report of a reporter',
    recording: 'tap-loading',
    folder: 'tap',
    files: {
      'store.js': 'export const open = 1;\n',
      'store.test.js':
        "import { test } from 'tap';\nimport { shut } from './store.js';\ntest('is shut', (t) => t.end(shut));\n",
    },
    async play(stage) {
      for (const command of ['tap --disable-coverage', 'tap --disable-coverage --reporter=base']) {
        const { failures } = await stage.run({ command });
        expect(failures, command).toContainEqual(
          expect.objectContaining({
            caseName: 'store.test.js',
            headline: expect.stringMatching(
              /^SyntaxError: The requested module '.\/store.js' does not provide an export/u,
            ),
          }),
        );
      }
    },
  },
  {
    name: 'a file of which tap tells only that it failed has no settings of tap as its headline',
    recording: 'tap-exit',
    folder: 'tap',
    files: { 'store.test.js': 'process.exit(3);\n' },
    async play(stage) {
      const failures = JSON.stringify((await stage.run()).failures);
      expect(failures).toContain('"headline":"exited with code 3"');
      expect(failures).not.toContain('stdio');
    },
  },
];

interface UnloadableFile {
  folder: Folder;
  file: string;
  text: string;
  /** Path of the missing file. */
  absent: string;
  headline: string;
  /** Name of the case that represents the file. */
  caseName: string;
  /** Totals if they differ from the usual totals. For example, RSpec runs no test if it cannot load a file. */
  others?: object;
}

const UNLOADABLE_FILES: UnloadableFile[] = [
  {
    folder: 'ava',
    file: 'other.test.js',
    text: "import test from 'ava';\nimport './absent.js';\n\ntest('is loaded', (t) => t.pass());\n",
    absent: 'absent.js',
    headline: 'absent.js',
    caseName: 'other.test.js > (suite)',
  },
  {
    folder: 'unittest',
    file: 'tests/test_other.py',
    text: 'import unittest\nimport absent\n\n\nclass TestOther(unittest.TestCase):\n    def test_is_loaded(self):\n        pass\n',
    absent: 'absent.py',
    headline: "No module named 'absent'",
    caseName: 'tests/test_other.py > (suite)',
  },
  {
    folder: 'rspec',
    file: 'spec/other_spec.rb',
    text: "require_relative '../absent'\n\nRSpec.describe('other') { it('is loaded') { expect(1).to eq(1) } }\n",
    absent: 'absent.rb',
    headline: 'cannot load such file -- ',
    caseName: 'spec/other_spec.rb > (suite)',
    others: { passed: 0, failed: 1, skipped: 0 },
  },
  {
    folder: 'busted',
    file: 'spec/other_spec.lua',
    text: "require 'absent'\n",
    absent: 'absent.lua',
    headline: "module 'absent' not found",
    caseName: '',
  },
];

const LOADING_SCENARIOS: Scenario[] = UNLOADABLE_FILES.map((row) => ({
  name: `a file that ${row.folder} cannot load is a failure, and its tests prove what was done about it`,
  recording: `loading-${row.folder}`,
  folder: row.folder,
  files: { [row.file]: row.text },
  async play(stage) {
    const { runId, totals, failures } = await stage.run();
    expect(totals).toMatchObject(row.others ?? { passed: 1, failed: 2, skipped: 1 });
    expect(JSON.stringify(failures)).toContain(row.headline);
    // busted reports no case for a file.
    if (row.caseName === '') return;
    const fixDescription = 'Add the module that it imports';
    await stage.reportFix({ runId, caseName: row.caseName, fixDescription, success: true });
    stage.write({ [row.absent]: '' });
    expect(await stage.run()).toMatchObject({ proved: [{ caseName: row.caseName, fixDescription }] });
  },
}));

const PYTHON_SCENARIOS: Scenario[] = [
  {
    name: 'a program of Django that cannot start tells what it tells by itself',
    recording: 'django-start',
    folder: 'django',
    files: { 'manage.py': 'import django\n\n\ndef begin():\n    import shopp\n\n\nbegin()\n' },
    async play(stage) {
      expect(await stage.run()).toMatchObject({
        notes: [],
        failures: [
          {
            failureKind: 'missing-dependency',
            headline: "ModuleNotFoundError: No module named 'shopp'",
            place: 'manage.py:5',
          },
        ],
      });
    },
  },
  {
    name: 'a doctest that unittest loads is named after what it documents, and told by what its example did',
    recording: 'unittest-doctest',
    programs: ['python'],
    files: {
      'price.py': `def total(items):
    """
    >>> total([1, 2])
    4
    """
    return sum(items)


class Cart:
    """
    >>> Cart().open()
    """

    def open(self):
        raise KeyError("door")


def fine():
    """
    >>> fine()
    """
`,
      'test_price.py': `import doctest


def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite("price"))
    return tests
`,
    },
    async play(stage) {
      const run = await stage.run({ command: 'python -m unittest test_price' });
      expect(run.totals).toMatchObject({ passed: 1, failed: 2 });
      expect(run.failures).toMatchObject([
        { caseName: 'price.py > price.Cart', headline: "KeyError: 'door'", testPlace: 'price.py:15' },
        { caseName: 'price.py > price.total', message: expect.stringMatching(/4\nGot:\n3/u), testPlace: 'price.py:3' },
      ]);
    },
  },
];

const BUSTED_SCENARIOS: Scenario[] = [
  {
    name: 'busted tells where the error is, of the project and of the test, and of what runs before each',
    recording: 'busted-places',
    folder: 'busted',
    files: {
      'shop.lua': 'local Shop = {}\nfunction Shop.total(cart) return cart.price.net end\nreturn Shop\n',
      'spec/shop_spec.lua': `describe('shop', function()
  before_each(function() assert(os.getenv('SHOP_OPEN'), 'SHOP_OPEN is not set') end)
  it('has a total', function() assert.are.equal(3, (require('shop').total({}))) end)
end)
`,
    },
    async play(stage) {
      expect((await stage.run({ command: 'busted spec/shop_spec.lua' })).failures).toMatchObject([
        { caseName: 'spec/shop_spec.lua > shop > before_each', headline: 'SHOP_OPEN is not set' },
      ]);
      expect((await stage.run({ command: 'SHOP_OPEN=1 busted spec/shop_spec.lua' })).failures).toMatchObject([
        {
          caseName: 'spec/shop_spec.lua > shop > has a total',
          headline: expect.stringMatching(/^attempt to index .*price.* \(a nil value\)/u),
          place: 'shop.lua:2',
          testPlace: 'spec/shop_spec.lua:3',
        },
      ]);
    },
  },
  {
    name: 'busted is read and filtered where its settings name another Lua',
    recording: 'busted-lua',
    folder: 'busted',
    files: { '.busted': "return { default = { lua = '/usr/bin/env lua' } }\n" },
    async play(stage) {
      const run = await stage.run({ filter: 'spec/sum_spec.lua > sum > adds' });
      expect(run).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 }, notes: [] });
    },
  },
];

const BROKEN_TEST_PATH = 'second/src/test/java/shop/BrokenTest.java';
const CART_TEST_PATH = 'second/src/test/java/org/apache/shop/CartTest.java';
const CART_TEST = `package org.apache.shop;

public class CartTest {
  @org.junit.Test
  public void isOpen() throws Exception {
    new java.net.Socket("127.0.0.1", 1).close();
  }
}
`;

const JAVA_SCENARIOS: Scenario[] = (['maven', 'gradle'] as const).flatMap((folder) => [
  {
    name: `${folder} tells which module it could not compile, beside the tests that failed`,
    recording: `${folder}-not-built`,
    folder,
    files: { [BROKEN_TEST_PATH]: 'package shop;\n\nclass BrokenTest {\n  int total = Absent.total();\n}\n' },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ totals: { failed: 1 }, failures: [{ caseName: 'shop.SumTest > is_wrong' }] });
      expect(run.notes).toEqual([
        expect.stringMatching(
          /^Not built, so its tests did not run: \S*second\S*\. First error: .*BrokenTest\.java.*4.*cannot find symbol$/u,
        ),
      ]);
    },
  },
  {
    name: `${folder} tells where a test is whose package is named as that of a library`,
    recording: `${folder}-library-package`,
    folder,
    files: { [CART_TEST_PATH]: CART_TEST },
    async play(stage) {
      const place = { caseName: 'org.apache.shop.CartTest > isOpen', testPlace: `${CART_TEST_PATH}:6` };
      expect((await stage.run()).failures).toContainEqual(expect.objectContaining(place));
    },
  },
]);

const UP_TO_DATE_SCENARIO: Scenario = {
  name: 'a task that Gradle need not run again counts as it did',
  recording: 'gradle-up-to-date',
  folder: 'gradle',
  async play(stage) {
    const file = 'first/src/test/java/shop/SumTest.java';
    const text = readFileSync(path.join(stage.root, file), 'utf8');
    stage.write({ [file]: text.replace('(5, 2 + 2)', '(4, 2 + 2)') });
    const first = await stage.run();
    expect(first).toMatchObject({ status: 'passed', totals: { ...USUAL_TOTALS, passed: 3, failed: 0 } });
    const again = await stage.run();
    expect(again).toMatchObject({ status: 'passed', totals: first.totals, notes: [] });
  },
};

export const CASE_SCENARIOS: Scenario[] = [
  ...NODE_SCENARIOS,
  ...LOADING_SCENARIOS,
  ...PYTHON_SCENARIOS,
  ...BUSTED_SCENARIOS,
  ...JAVA_SCENARIOS,
  UP_TO_DATE_SCENARIO,
];
