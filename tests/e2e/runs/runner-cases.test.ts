/** argus_run with the real runners: what is particular to one of them. What holds for each: runners.test.ts. */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Data, runnerProject } from '../harness.ts';
import { hasGradleOffline, hasMavenOffline } from '../setup.mjs';
import { has, hasChrome } from './installed.ts';
import { agent, opened, totals } from './runners-agent.ts';

test('a test of Mocha that passed at once is not flaky for one of its name that was retried', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const file = (body: string) =>
    `describe('shop', function () { this.retries(2); it('opens', () => { ${body} }); });\n`;
  writeFileSync(path.join(root, 'a.js'), `let tries = 0;\n${file("if (tries++ < 1) throw new Error('shut')")}`);
  writeFileSync(path.join(root, 'b.js'), file(''));
  const run = await agent.data('argus_run', { projectPath: root, command: 'mocha a.js b.js' });
  expect(run).toMatchObject({ status: 'passed', totals: { passed: 2, failed: 0, skipped: 0, flaky: 1 } });
});

test('what a test of AVA rejects with is its headline', async () => {
  const { root } = await opened(runnerProject('ava'));
  const text = "import test from 'ava';\n\ntest('reads', () => Promise.reject(new TypeError('it\\'s closed')));\n";
  writeFileSync(path.join(root, 'store.test.js'), text);
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(failures).toContainEqual(
    expect.objectContaining({ caseName: 'store.test.js > reads', headline: "TypeError: it's closed" }),
  );
});

test('a runner that does not take what is added runs once more as it was typed', async () => {
  const { root } = await opened(runnerProject('pytest'));
  const command = 'env -u PYTHONPATH python -m pytest';
  const again = await agent.data('argus_run', { projectPath: root, command });
  expect(again).toMatchObject({
    status: 'failed',
    totals,
    failures: [{ caseName: 'test_sum.py > TestSum > test_is_wrong', category: 'ASSERTION_MISMATCH' }],
  });
  expect(again.notes).toEqual([expect.stringMatching(/did not take what Argus adds .*argus_pytest.* ran once more/u)]);
  const { runs } = await agent.data('argus_history', { projectPath: root });
  expect(runs).toHaveLength(1);
});

test('a program of Django that cannot start says what it says by itself', async () => {
  const root = runnerProject('django');
  writeFileSync(path.join(root, 'manage.py'), 'import django\n\n\ndef begin():\n    import shopp\n\n\nbegin()\n');
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({
    notes: [],
    failures: [{ failureKind: 'missing-dependency', headline: "ModuleNotFoundError: No module named 'shopp'" }],
  });
  expect(run.failures).toMatchObject([{ place: 'manage.py:5' }]);
});

test.skipIf(!has('ruby'))('a Ruby that cannot load what Argus adds runs once more without it', async () => {
  const { root } = await opened(runnerProject('minitest'));
  const command = 'env -u RUBYLIB ruby -Itest test/test_sum.rb';
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', failures: [{ category: 'ASSERTION_MISMATCH' }] });
  expect(run.notes).toEqual([expect.stringMatching(/did not take what Argus adds .*argus_reporter.* ran once more/u)]);
});

test('a project is opened with a warning where its runner is not installed', async () => {
  const root = runnerProject('vitest');
  rmSync(path.join(root, 'node_modules'));
  expect((await opened(root)).init.warnings).toBeUndefined();
  writeFileSync(
    path.join(root, 'package.json'),
    '{ "scripts": { "test": "vitest" }, "devDependencies": { "vitest": "4" } }',
  );
  expect((await opened(root)).init.warnings).toEqual(["vitest is not installed: run 'npm install'."]);
});

test('a test of node:test is placed in its file, whatever helper asserts for it', async () => {
  const { root } = await opened(runnerProject('node-test'));
  mkdirSync(path.join(root, 'test'));
  const files = {
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
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command: 'node --test test/shop.test.js' });
  expect(run.failures, JSON.stringify(run.failures)).toMatchObject([
    { caseName: 'test/shop.test.js > equal', testPlace: 'test/shop.test.js:4' },
    { caseName: 'test/shop.test.js > opens', testPlace: 'test/shop.test.js:5', place: 'shop.js:2' },
  ]);
});

test('node --test without a script is detected', async () => {
  const root = runnerProject('node-test');
  mkdirSync(path.join(root, 'test'));
  renameSync(path.join(root, 'sum.js'), path.join(root, 'test/sum.js'));
  writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
  const { init } = await opened(root);
  expect(init).toMatchObject({ testCommand: 'node --test', runner: 'node:test' });
  expect(await agent.data('argus_run', { projectPath: root })).toMatchObject({ status: 'failed', totals });
});

describe.each([
  {
    folder: 'unittest',
    file: 'tests/test_other.py',
    text: 'import unittest\nimport absent\n',
    said: "No module named 'absent'",
  },
  {
    folder: 'rspec',
    file: 'spec/other_spec.rb',
    text: "require 'absent'\n",
    said: 'cannot load such file -- absent',
    totals: { passed: 0, failed: 1, skipped: 0 },
    missing: !has('rspec'),
  },
  {
    folder: 'busted',
    file: 'spec/other_spec.lua',
    text: "require 'absent'\n",
    said: "module 'absent' not found",
    missing: !has('busted'),
  },
  { folder: 'ava', file: 'other.test.js', text: "import test from 'ava';\nimport './absent.js';\n", said: 'absent.js' },
])('an error outside of the tests of $folder is a failure', ({ folder, file, text, said, missing, ...more }) => {
  test.skipIf(missing)('with its message', async () => {
    const { root } = await opened(runnerProject(folder));
    writeFileSync(path.join(root, file), text);
    const run = await agent.data('argus_run', { projectPath: root });
    expect(run).toMatchObject({ totals: more.totals ?? { passed: 1, failed: 2, skipped: 1 } });
    expect(JSON.stringify(run.failures)).toContain(said);
  });
});

test.for([
  {
    folder: 'ava',
    file: 'other.test.js',
    text: "import test from 'ava';\nimport './absent.js';\n\ntest('is loaded', (t) => t.pass());\n",
    absent: 'absent.js',
  },
  {
    folder: 'unittest',
    file: 'tests/test_other.py',
    text: 'import unittest\nimport absent\n\n\nclass TestOther(unittest.TestCase):\n    def test_is_loaded(self):\n        pass\n',
    absent: 'absent.py',
  },
  {
    folder: 'rspec',
    file: 'spec/other_spec.rb',
    text: "require_relative '../absent'\n\nRSpec.describe('other') { it('is loaded') { expect(1).to eq(1) } }\n",
    absent: 'absent.rb',
    missing: !has('rspec'),
  },
])('what was done about a file that $folder could not load is proved by its tests', async (row, { skip }) => {
  skip(row.missing === true);
  const { root } = await opened(runnerProject(row.folder));
  writeFileSync(path.join(root, row.file), row.text);
  const { runId } = await agent.data('argus_run', { projectPath: root });
  const fixDescription = 'Add the module that it imports';
  const caseName = `${row.file} > (suite)`;
  await agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription, success: true });
  writeFileSync(path.join(root, row.absent), '');
  expect(await agent.data('argus_run', { projectPath: root })).toMatchObject({
    proved: [{ caseName, fixDescription }],
  });
});

test('cases of Jasmine are the same in parallel, where its workers tell of them at once', async () => {
  const { root } = await opened(runnerProject('jasmine'));
  const spec = (name: string) => `describe('${name}', () => {
  describe('inner', () => {
    it('waits', (done) => setTimeout(done, 100));
    it('throws', () => { throw new TypeError('${name} is shut'); });
  });
  describe('broken', () => { beforeAll(() => { throw new Error('no doors'); }); it('sells', () => {}); });
});
`;
  for (const name of ['shop', 'store', 'stall']) writeFileSync(path.join(root, `spec/${name}.spec.js`), spec(name));
  const failures = async (command: string) => {
    const run = await agent.data('argus_run', { projectPath: root, command });
    expect(run, command).toMatchObject({ totals: { passed: 4, failed: 10, skipped: 1 }, notes: [] });
    const { cases } = await agent.data('argus_history', { projectPath: root, runId: run.runId });
    return (cases as Data[]).map(({ caseName, headline }) => `${caseName}: ${headline}`).sort();
  };
  const inParallel = await failures('jasmine --parallel=2');
  expect(inParallel).toContain('spec/stall.spec.js > stall > inner > throws: TypeError: stall is shut');
  expect(inParallel).toEqual(await failures('jasmine'));
});

test('QUnit tells the values of each assertion, what was thrown, and a file that it cannot load', async () => {
  const { root } = await opened(runnerProject('qunit'));
  const text = `const shut = () => { throw new TypeError('shop is shut'); };
QUnit.module('shop', () => {
  QUnit.test('opens', (assert) => {
    assert.equal(1 + 1, 3, 'the doors');
    assert.deepEqual({ open: true }, { open: false });
  });
  QUnit.test('shuts', shut);
  QUnit.todo('sells', (assert) => assert.ok(false));
});
`;
  writeFileSync(path.join(root, 'test/shop.js'), text);
  writeFileSync(path.join(root, 'test/broken.js'), "require('./absent');\n");
  const run = await agent.data('argus_run', { projectPath: root });
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
});

test.skipIf(!hasChrome)('Web Test Runner tells why it cannot load a file, and what fails around tests', async () => {
  const { root } = await opened(runnerProject('web-test-runner'));
  const hooks =
    "describe('shop', () => { before(() => { throw new TypeError('no doors'); }); it('sells', () => {}); });\n";
  writeFileSync(path.join(root, 'test/hooks.test.js'), hooks);
  writeFileSync(path.join(root, 'test/broken.test.js'), "import '../absent.js';\n");
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 1, skipped: 1 } });
  expect(run.failures).toMatchObject([
    { caseName: 'test/broken.test.js > (suite)', headline: expect.stringContaining('absent.js') },
    { caseName: 'test/hooks.test.js > (suite)', headline: 'TypeError: no doors', testPlace: 'test/hooks.test.js:1' },
    { caseName: 'test/hooks.test.js > shop > sells' },
    { caseName: 'test/sum.test.js > sum > is wrong', headline: 'AssertionError: expected 2 to equal 3' },
  ]);
});

describe.each([
  { how: 'printed', command: 'tap --disable-coverage' },
  { how: 'beside the report of a reporter', command: 'tap --disable-coverage --reporter=base' },
])('the error of a file that tap cannot load, $how,', ({ command }) => {
  test('is its headline', async () => {
    const { root } = await opened(runnerProject('tap'));
    writeFileSync(path.join(root, 'store.js'), 'export const open = 1;\n');
    const text =
      "import { test } from 'tap';\nimport { shut } from './store.js';\ntest('is shut', (t) => t.end(shut));\n";
    writeFileSync(path.join(root, 'store.test.js'), text);
    const { failures } = await agent.data('argus_run', { projectPath: root, command });
    expect(failures).toContainEqual(
      expect.objectContaining({
        caseName: 'store.test.js',
        headline: expect.stringMatching(/^SyntaxError: The requested module '.\/store.js' does not provide an export/u),
      }),
    );
  });
});

test('a file of which tap says only that it failed has no settings of tap as its headline', async () => {
  const { root } = await opened(runnerProject('tap'));
  writeFileSync(path.join(root, 'store.test.js'), 'process.exit(3);\n');
  const { failures } = await agent.data('argus_run', { projectPath: root });
  expect(JSON.stringify(failures)).toContain('"headline":"exited with code 3"');
  expect(JSON.stringify(failures)).not.toContain('stdio');
});

test.skipIf(!hasGradleOffline())('what Gradle need not run again counts as it did', async () => {
  const { root } = await opened(runnerProject('gradle'));
  const file = path.join(root, 'first/src/test/java/shop/SumTest.java');
  writeFileSync(file, readFileSync(file, 'utf8').replace('(5, 2 + 2)', '(4, 2 + 2)'));
  const first = await agent.data('argus_run', { projectPath: root });
  expect(first).toMatchObject({ status: 'passed', totals: { passed: 3, failed: 0, skipped: 1 } });
  const again = await agent.data('argus_run', { projectPath: root });
  expect(again).toMatchObject({ status: 'passed', totals: first.totals, notes: [] });
});

describe.skipIf(!has('busted'))('busted', () => {
  test('says where the error is, of the project and of the test, and of what runs before each', async () => {
    const { root } = await opened(runnerProject('busted'));
    writeFileSync(
      path.join(root, 'shop.lua'),
      'local Shop = {}\nfunction Shop.total(cart) return cart.price.net end\nreturn Shop\n',
    );
    const text = `describe('shop', function()
      before_each(function() assert(os.getenv('SHOP_OPEN'), 'SHOP_OPEN is not set') end)
      it('has a total', function() assert.are.equal(3, (require('shop').total({}))) end)
    end)\n`;
    writeFileSync(path.join(root, 'spec/shop_spec.lua'), text);
    const failed = async (command: string) => (await agent.data('argus_run', { projectPath: root, command })).failures;
    expect(await failed('busted spec/shop_spec.lua')).toMatchObject([
      { caseName: 'spec/shop_spec.lua > shop > before_each', headline: 'SHOP_OPEN is not set' },
    ]);
    expect(await failed('SHOP_OPEN=1 busted spec/shop_spec.lua')).toMatchObject([
      {
        caseName: 'spec/shop_spec.lua > shop > has a total',
        headline: expect.stringMatching(/^attempt to index .*price.* \(a nil value\)/u),
        place: 'shop.lua:2',
        testPlace: 'spec/shop_spec.lua:3',
      },
    ]);
  });

  test('is read and filtered where its settings name another Lua', async () => {
    const { root } = await opened(runnerProject('busted'));
    writeFileSync(path.join(root, '.busted'), "return { default = { lua = '/usr/bin/env lua' } }\n");
    const filter = 'spec/sum_spec.lua > sum > adds';
    const run = await agent.data('argus_run', { projectPath: root, filter });
    expect(run).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 }, notes: [] });
  });
});

describe.each([
  { folder: 'maven', missing: !hasMavenOffline() },
  { folder: 'gradle', missing: !hasGradleOffline() },
])('$folder', ({ folder, missing }) => {
  test.skipIf(missing)('says which module it could not compile, beside the tests that failed', async () => {
    const { root } = await opened(runnerProject(folder));
    const broken = 'second/src/test/java/shop/BrokenTest.java';
    writeFileSync(path.join(root, broken), 'package shop;\n\nclass BrokenTest {\n  int total = Absent.total();\n}\n');
    const run = await agent.data('argus_run', { projectPath: root });
    expect(run).toMatchObject({ totals: { failed: 1 }, failures: [{ caseName: 'shop.SumTest > is_wrong' }] });
    expect(run.notes).toEqual([
      expect.stringMatching(
        /^Not built, so its tests did not run: \S*second\S*\. First error: .*BrokenTest\.java.*4.*cannot find symbol$/u,
      ),
    ]);
  });

  test.skipIf(missing)('says where a test is whose package is named as that of a library', async () => {
    const { root } = await opened(runnerProject(folder));
    const file = 'second/src/test/java/org/apache/shop/CartTest.java';
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    const text =
      'package org.apache.shop;\n\npublic class CartTest {\n  @org.junit.Test\n  public void isOpen() throws Exception {\n    new java.net.Socket("127.0.0.1", 1).close();\n  }\n}\n';
    writeFileSync(path.join(root, file), text);
    const { failures } = await agent.data('argus_run', { projectPath: root });
    expect(failures).toContainEqual(
      expect.objectContaining({ caseName: 'org.apache.shop.CartTest > isOpen', testPlace: `${file}:6` }),
    );
  });
});

test('what AVA asserts is told as an assertion, and what a test threw as what it is', async () => {
  const { root } = await opened(runnerProject('ava'));
  writeFileSync(
    path.join(root, 'sum.test.js'),
    `import test from 'ava';

test('deep', (t) => t.deepEqual({ a: 1, list: [1, 2] }, { a: 1, list: [1, 3] }));
test('truthy', (t) => t.truthy(0));
test('said', (t) => t.true(1 > 2, 'one is more'));
test('throws', (t) => t.throws(() => 1));
test('threw', () => { throw new TypeError('no price'); });
`,
  );
  const { failures } = await agent.data('argus_run', { projectPath: root });
  const told = (failures as Data[]).map(({ caseName, category, headline }) => [caseName, category, headline]);
  expect(Object.fromEntries(told.map(([name, ...rest]) => [String(name).split(' > ')[1], rest]))).toEqual({
    deep: ['ASSERTION_MISMATCH', 'AssertionError: Difference (- actual, + expected): - 2, + 3,'],
    truthy: ['ASSERTION_MISMATCH', 'AssertionError: Value is not truthy: 0'],
    said: ['ASSERTION_MISMATCH', 'AssertionError: one is more'],
    throws: ['ASSERTION_MISMATCH', 'AssertionError: Function returned: 1'],
    threw: ['UNKNOWN', 'TypeError: no price'],
  });
});
