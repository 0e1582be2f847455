/** A filter is a test's name, whatever letters it has, also where the runner reads a pattern. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runnerProject } from '../harness.ts';
import { has } from './installed.ts';
import { agent, opened } from './runners-agent.ts';

const NAME = 'price is $5 [net] + tax? (yes|no)';

const inFunctions = (imports: string, define = 'test') =>
  `${imports}${define}('${NAME}', () => {});\n${define}('lists', () => { throw new Error('not this one'); });\n`;

interface Sample {
  folder: string;
  file: string;
  text: string;
  name?: string;
  command?: string;
  missing?: () => boolean;
}

const SAMPLES: Sample[] = [
  {
    folder: 'node-test',
    file: 'sum.js',
    text: inFunctions("import { test } from 'node:test';\n"),
    command: 'node --test sum.js',
  },
  { folder: 'vitest', file: 'sum.test.js', text: inFunctions("import { test } from 'vitest';\n") },
  { folder: 'jest', file: 'sum.test.js', text: inFunctions('') },
  { folder: 'mocha', file: 'sum.js', text: inFunctions('', 'it') },
  { folder: 'jasmine', file: 'spec/sum.spec.js', text: inFunctions('', 'it') },
  {
    folder: 'qunit',
    file: 'test/sum.js',
    text: inFunctions('', 'QUnit.test').replace('() => {}', '(assert) => assert.ok(true)'),
  },
  {
    folder: 'ava',
    file: 'sum.test.js',
    text: inFunctions("import test from 'ava';\n").replace('() => {}', '(t) => t.pass()'),
  },
  {
    folder: 'tap',
    file: 'sum.test.js',
    text: inFunctions("import { test } from 'tap';\n").replace('() => {}', 'async (t) => t.pass()'),
  },
  {
    folder: 'pytest',
    file: 'test_sum.py',
    text: `import pytest\n\n@pytest.mark.parametrize("x", [pytest.param(1, id="$5 net, or less (ok)"), pytest.param(2, id="$6 net")])\ndef test_price(x):\n    assert x == 1\n`,
    name: 'test_price[$5 net, or less (ok)]',
  },
  {
    folder: 'go',
    file: 'sum_test.go',
    text: `package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tt.Run("${NAME}", func(t *testing.T) {})\n\tt.Run("lists", func(t *testing.T) { t.Error("not this one") })\n}\n`,
    name: `TestSum/${NAME.replaceAll(' ', '_')}`,
    missing: () => !has('go', ['version']),
  },
  {
    folder: 'bats',
    file: 'test/sum.bats',
    text: `@test '${NAME}' {\n  true\n}\n\n@test 'lists' {\n  false\n}\n`,
    missing: () => !has('bats'),
  },
  {
    folder: 'busted',
    file: 'spec/sum_spec.lua',
    text: `describe('sum', function()\n  it('${NAME}', function() end)\n  it('lists', function() error('not this one') end)\nend)\n`,
    missing: () => !has('busted'),
  },
  {
    folder: 'rspec',
    file: 'spec/sum_spec.rb',
    text: `RSpec.describe 'sum' do\n  it('${NAME}') {}\n  it('lists') { raise 'not this one' }\nend\n`,
    missing: () => !has('rspec'),
  },
  {
    folder: 'minitest',
    file: 'test/test_sum.rb',
    text: `require 'minitest/autorun'\n\nclass SumTest < Minitest::Test\n  define_method('test_${NAME}') { pass }\n  def test_lists = raise('not this one')\nend\n`,
    name: `test_${NAME}`,
    missing: () => !has('rake'),
  },
];

describe.each(SAMPLES)('$folder', ({ folder, file, text, name = NAME, command, missing }) => {
  test.skipIf(missing?.())('runs the test of that name', async () => {
    const root = runnerProject(folder);
    writeFileSync(path.join(root, file), text);
    await opened(root);
    const given = command === undefined ? {} : { command };
    const run = await agent.data('argus_run', { projectPath: root, filter: name, ...given });
    // What does not fit is left out or skipped. In Go the test around it is one, too.
    const passed = folder === 'go' ? 2 : 1;
    expect(run).toMatchObject({ status: 'passed', totals: { passed, failed: 0 }, notes: [] });
  });
});
