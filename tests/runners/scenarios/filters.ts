/** A filter is a test's name, whatever letters it has, also where the runner reads a pattern. */

import { expect } from 'vitest';
import type { Scenario } from '../scenario.ts';

const NAME = 'price is $5 [net] + tax? (yes|no)';

const inFunctions = (imports: string, define = 'test') =>
  `${imports}${define}('${NAME}', () => {});\n${define}('lists', () => { throw new Error('not this one'); });\n`;

interface Sample {
  folder: string;
  programs: Scenario['programs'];
  file: string;
  text: string;
  filter?: string;
  command?: string;
}

const SAMPLES: Sample[] = [
  {
    folder: 'node-test',
    programs: ['node'],
    file: 'sum.js',
    text: inFunctions("import { test } from 'node:test';\n"),
    command: 'node --test sum.js',
  },
  {
    folder: 'vitest',
    programs: ['vitest'],
    file: 'sum.test.js',
    text: inFunctions("import { test } from 'vitest';\n"),
    filter: `sum.test.js > ${NAME}`,
  },
  { folder: 'jest', programs: ['jest'], file: 'sum.test.js', text: inFunctions('') },
  { folder: 'mocha', programs: ['mocha'], file: 'sum.js', text: inFunctions('', 'it') },
  { folder: 'jasmine', programs: ['jasmine'], file: 'spec/sum.spec.js', text: inFunctions('', 'it') },
  {
    folder: 'qunit',
    programs: ['qunit'],
    file: 'test/sum.js',
    text: inFunctions('', 'QUnit.test').replace('() => {}', '(assert) => assert.ok(true)'),
  },
  {
    folder: 'ava',
    programs: ['ava'],
    file: 'sum.test.js',
    text: inFunctions("import test from 'ava';\n").replace('() => {}', '(t) => t.pass()'),
  },
  {
    folder: 'tap',
    programs: ['tap'],
    file: 'sum.test.js',
    text: inFunctions("import { test } from 'tap';\n").replace('() => {}', 'async (t) => t.pass()'),
  },
  {
    folder: 'pytest',
    programs: ['pytest'],
    file: 'test_sum.py',
    text: `import pytest\n\n@pytest.mark.parametrize("x", [pytest.param(1, id="$5 net, or less (ok)"), pytest.param(2, id="$6 net")])\ndef test_price(x):\n    assert x == 1\n`,
    filter: 'test_price[$5 net, or less (ok)]',
  },
  {
    folder: 'go',
    programs: ['go'],
    file: 'sum_test.go',
    text: `package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tt.Run("${NAME}", func(t *testing.T) {})\n\tt.Run("lists", func(t *testing.T) { t.Error("not this one") })\n}\n`,
    filter: `TestSum/${NAME.replaceAll(' ', '_')}`,
  },
  {
    folder: 'bats',
    programs: ['bats'],
    file: 'test/sum.bats',
    text: `@test '${NAME}' {\n  true\n}\n\n@test 'lists' {\n  false\n}\n`,
  },
  {
    folder: 'busted',
    programs: ['busted'],
    file: 'spec/sum_spec.lua',
    text: `describe('sum', function()\n  it('${NAME}', function() end)\n  it('lists', function() error('not this one') end)\nend)\n`,
  },
  {
    folder: 'rspec',
    programs: ['rspec'],
    file: 'spec/sum_spec.rb',
    text: `RSpec.describe 'sum' do\n  it('${NAME}') {}\n  it('lists') { raise 'not this one' }\nend\n`,
  },
  {
    folder: 'minitest',
    programs: ['minitest', 'rake'],
    file: 'test/test_sum.rb',
    text: `require 'minitest/autorun'\n\nclass SumTest < Minitest::Test\n  define_method('test_${NAME}') { pass }\n  def test_lists = raise('not this one')\nend\n`,
    filter: `test_${NAME}`,
  },
];

export const FILTERS: Scenario[] = SAMPLES.map(({ folder, programs, file, text, filter = NAME, command }) => ({
  name: `${folder} runs the test that a filter names`,
  recording: `filter-${folder}`,
  programs,
  folder,
  files: { [file]: text },
  async play(stage) {
    const run = await stage.run({ filter, ...(command === undefined ? {} : { command }) });
    // Tests that do not fit are left out or skipped. In Go the test around it counts too.
    const passed = folder === 'go' ? 2 : 1;
    expect(run).toMatchObject({ status: 'passed', totals: { passed, failed: 0 }, notes: [] });
  },
}));
