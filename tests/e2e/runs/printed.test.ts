/**
 * argus_run with commands of which no report is written: what they print is read where it is made to be. Every dialect:
 * crates/report.
 */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Agent, connect, type Data, project, runnerProject } from '../harness.ts';
import { pythonFolder, setUpRunners } from '../setup.mjs';

setUpRunners();

let agent: Agent;
const PATH = [path.join(pythonFolder, 'bin'), process.env.PATH].join(path.delimiter);
beforeAll(async () => {
  agent = await connect('2026-07-28', { PATH });
});
afterAll(() => agent.close());

const has = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

async function run(root: string, command: string): Promise<Data> {
  await agent.data('argus_init', { projectPath: root });
  return agent.data('argus_run', { projectPath: root, command });
}

const NODE_TESTS = {
  'test/a.test.js': `const test = require('node:test');
const assert = require('node:assert');
test('sum', async (t) => {
  await t.test('adds', () => {});
  await t.test('is wrong', () => assert.strictEqual(1 + 1, 3));
});
`,
  'test/b.test.js': "require('./absent');\n",
};

describe.skipIf(process.platform === 'win32')('TAP', () => {
  const tap = 'env -u NODE_OPTIONS node --test --test-reporter=tap';
  const failures = [
    {
      caseName: expect.stringMatching(/sum > is wrong$/u),
      headline: 'AssertionError: Expected values to be strictly equal: 2 !== 3',
      testPlace: 'test/a.test.js:5',
    },
    {
      caseName: 'test/b.test.js > (suite)',
      headline: "Error: Cannot find module './absent'",
      testPlace: 'test/b.test.js:1',
    },
  ];

  test('behind a script is its cases', async () => {
    const root = project({ ...NODE_TESTS, 'check.sh': `echo checking\n${tap}\nstatus=$?\necho done\nexit $status\n` });
    const totals = { passed: 1, failed: 2 };
    expect(await run(root, 'sh check.sh')).toMatchObject({ status: 'failed', totals, failures, notes: [] });
  });

  test('of two packages at once, each line with the name of its own', async () => {
    const packages = ['one', 'two'].map((name) => `(${tap} test/a.test.js; true) | sed 's/^/${name} test: /' &\n`);
    const root = project({ ...NODE_TESTS, 'check.sh': `${packages.join('')}wait\nexit 1\n` });
    expect(await run(root, 'sh check.sh')).toMatchObject({ totals: { passed: 2, failed: 2 } });
  });

  test('without a test is no headline', async () => {
    const root = project({ 'check.sh': "printf 'TAP version 13\\n1..0\\n'; echo 'the shop is closed'; exit 1\n" });
    const { failures } = await run(root, 'sh check.sh');
    expect(failures).toMatchObject([{ headline: 'the shop is closed' }]);
  });

  test.skipIf(!has('bats'))('of Bats, with its plan first', async () => {
    expect(await run(runnerProject('bats'), 'sh -c "bats test"')).toMatchObject({
      totals: { passed: 1, failed: 1, skipped: 1 },
      failures: [{ caseName: 'is wrong', testPlace: 'test/sum.bats:7' }],
    });
  });
});

test.skipIf(!has('make'))('unittest that takes nothing from the environment is the tests that it names', async () => {
  const root = runnerProject('unittest');
  writeFileSync(path.join(root, 'Makefile'), 'test:\n\tpython -E -m unittest discover -s tests\n');
  const { failures, totals } = await run(root, 'make test');
  expect(totals).toMatchObject({ failed: 1 });
  expect(failures).toMatchObject([
    {
      caseName: 'test_sum.TestSum > test_is_wrong',
      headline: 'AssertionError: 2 != 3',
      category: 'ASSERTION_MISMATCH',
    },
  ]);
  const verbose = await run(root, 'sh -c "python -E -m unittest discover -v -s tests"');
  expect(verbose).toMatchObject({ totals: { passed: 1, failed: 1, skipped: 1 } });
});

test.skipIf(!has('cargo'))('cargo test behind a script is its cases', async () => {
  expect(await run(runnerProject('cargo'), 'sh -c "cargo test"')).toMatchObject({
    totals: { passed: 1, failed: 1, skipped: 1 },
    failures: [{ caseName: 'sum > sum::is_wrong', place: 'src/lib.rs:12' }],
  });
});
