/**
 * Scenarios in which something else starts the runner: a script, a workspace, turbo, tox, a program of the project, or
 * the runner's own interface. Every runner of a command is read, and no runner that a test starts.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { quoteArgument } from '../../../packages/mcp/src/system/command-line.ts';
import { pythonFolder } from '../../e2e/setup.mjs';
import { USUAL_TOTALS } from '../runners.ts';
import type { Scenario } from '../scenario.ts';

const toJson = (content: object) => JSON.stringify(content);
const createManifest = (name: string, scripts: Record<string, string>) => toJson({ name, version: '1.0.0', scripts });
const createWorkspace = (test?: string) => toJson({ private: true, workspaces: ['packages/*'], scripts: { test } });
const FAILING_CASE = { caseName: 'sum.js > sum > is wrong' };

const failurePlaces = (name: string) => [
  [`packages/${name}/test/absent.test.js > (suite)`, undefined, `packages/${name}/test/absent.test.js:2`],
  [`packages/${name}/test/shop.js > sells`, `packages/${name}/src/shop.js:2`, `packages/${name}/test/shop.js:2`],
];

const createShopPackage = (name: string) => ({
  [`packages/${name}/package.json`]: createManifest(name, { test: 'mocha test/shop.js; jest' }),
  [`packages/${name}/src/shop.js`]: "\nmodule.exports = () => { throw new TypeError('shop is shut'); };\n",
  [`packages/${name}/test/shop.js`]: "const sell = require('../src/shop.js');\nit('sells', () => sell());\n",
  [`packages/${name}/test/absent.test.js`]: "\nrequire('./absent.js');\n",
});

const START_INNER_MOCHA =
  'require("node:child_process").spawnSync("mocha", ["inner.js"], { cwd: __dirname, shell: true })';

const PACKAGE_SCENARIOS: Scenario[] = [
  {
    name: 'every package and every step of a command is read, and no runner that a test starts',
    programs: ['mocha', 'vitest', 'jest'],
    folder: 'mocha',
    files: {
      'package.json': createWorkspace('npm test -ws && mocha last.js'),
      'packages/one/package.json': createManifest('one', { test: 'vitest run' }),
      'packages/one/sum.test.js': 'import { test } from "vitest";\ntest("adds", () => {});\n',
      'packages/two/package.json': createManifest('two', { pretest: 'jest --version', test: 'mocha outer.js' }),
      'packages/two/outer.js': `it("starts another", () => { if (${START_INNER_MOCHA}.status !== 1) throw new Error("no"); }).timeout(0);\n`,
      'packages/two/inner.js': 'it("fails", () => { throw new Error("within"); });\n',
      'last.js': 'it("is last", () => { throw new Error("in the end"); });\n',
    },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 1 } });
      expect(run.failures).toMatchObject([{ caseName: 'last.js > is last', headline: 'Error: in the end' }]);
      const names = (await stage.cases(run.runId)).map(({ caseName }) => caseName);
      expect(names).toContain('packages/one/sum.test.js > adds');
      expect(names).toContain('packages/two/outer.js > starts another');
    },
  },
  {
    name: 'places are told from the project on where Mocha and Jest tell them from the package on',
    programs: ['mocha', 'jest'],
    folder: 'mocha',
    files: { 'package.json': createWorkspace(), ...createShopPackage('one'), ...createShopPackage('two') },
    async play(stage) {
      for (const env of ['', 'FORCE_COLOR=1 ']) {
        const { failures } = await stage.run({ command: `${env}npm test -ws` });
        const told = failures.map(({ caseName, place, testPlace }) => [caseName, place, testPlace]);
        expect(told.sort(), env).toEqual([...failurePlaces('one'), ...failurePlaces('two')]);
      }
    },
  },
  {
    name: 'where packages take no filter together, what is advised runs the test in its package',
    programs: ['mocha', 'vitest'],
    folder: 'mocha',
    files: {
      'package.json': createWorkspace('npm test -ws'),
      'packages/blue/package.json': createManifest('blue', { test: 'vitest run' }),
      'packages/blue/sum.test.js': 'import { test } from "vitest";\ntest("adds", () => {});\n',
      'packages/red/package.json': createManifest('red', { test: 'mocha sum.js' }),
      'packages/red/sum.js': 'it("gets of red", () => { throw new Error("no"); });\nit("adds", () => {});\n',
    },
    async play(stage) {
      const { runId } = await stage.run();
      const caseName = 'gets of red';
      const alone = `cd packages/red && npm run test -- --grep ${quoteArgument(caseName)}`;
      const settle = expect.stringContaining(`argus run ${quoteArgument(alone)}`);
      expect(await stage.diagnose({ runId, caseName })).toMatchObject({ verdict: { settle } });
      expect(await stage.tests({ caseName })).toMatchObject({ latestFailure: { verdict: { settle } } });
      await expect(stage.run({ filter: caseName })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(`for example ${alone}`),
      });
      expect(await stage.run({ command: alone })).toMatchObject({
        totals: { passed: 0, failed: 1 },
        failures: [{ caseName: 'packages/red/sum.js > gets of red' }],
      });
    },
  },
];

const FAILING_TESTS = `const test = require('node:test');
test('outer', async (t) => { await t.test('inner', () => { throw new TypeError('own'); }); });
test.todo('later');
test('refused', { skip: process.env.npm_package_name === 'one' || process.argv[1].includes('one') }, () => connect());
const connect = () => new Promise((_, reject) => require('node:net').connect(1, '127.0.0.1').on('error', reject));
`;

const NODE_PACKAGE_FILES = {
  'packages/one/package.json': createManifest('one', { test: 'node --test' }),
  'packages/one/test/a.test.js': FAILING_TESTS,
  'packages/two/package.json': createManifest('two', { test: 'node --test' }),
  'packages/two/test/a.test.js': FAILING_TESTS,
};

const REFUSED_NOTES = [expect.stringMatching(/^Nothing accepts connections at 127\.0\.0\.1:1:/u)];

/** The listed failures, which are at most three of each cause. */
const NODE_FAILURES = [
  { caseName: 'packages/one/test/a.test.js > outer > inner', headline: 'TypeError: own' },
  { caseName: 'packages/one/test/a.test.js > outer', headline: 'TypeError: own' },
  { caseName: 'packages/two/test/a.test.js > outer > inner', headline: 'TypeError: own' },
  {
    caseName: 'packages/two/test/a.test.js > refused',
    headline: 'Error: connect ECONNREFUSED 127.0.0.1:1',
    testPlace: 'packages/two/test/a.test.js:4',
  },
  {
    caseName: 'packages/two/test/b.test.js > (suite)',
    headline: "Error: Cannot find module './absent'",
    testPlace: 'packages/two/test/b.test.js:1',
  },
];

const PACKAGE_COMMANDS: { command: string; script?: string }[] = [
  { command: 'npm test --workspaces' },
  { command: 'npm test', script: 'npm test -w packages/one; npm test -w packages/two' },
  { command: 'sh check.sh' },
];

const NODE_PACKAGE_SCENARIOS: Scenario[] = PACKAGE_COMMANDS.map(({ command, script }) => ({
  name: `node:test is read in every package by ${command}`,
  programs: ['node'],
  files: {
    ...NODE_PACKAGE_FILES,
    'package.json': createWorkspace(script),
    'packages/two/test/b.test.js': "require('./absent');\n",
    'check.sh': '(cd packages/one && node test/a.test.js)\n(cd packages/two && node --test --test-reporter=dot)\n',
  },
  async play(stage) {
    const run = await stage.run({ command });
    expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed: 6, skipped: 3 }, notes: REFUSED_NOTES });
    expect(run.failures).toMatchObject(NODE_FAILURES);
    expect(await stage.runs()).toMatchObject([{ command }]);
    if (command.startsWith('sh ')) return;
    const one = await stage.run({ command: 'npm test -ws', filter: 'later' });
    expect(one).toMatchObject({ totals: { passed: 0, failed: 1 } });
    expect(JSON.stringify(one.failures)).not.toContain('inner');
  },
}));

const createTurboProject = (settings: object, packages: Record<string, string>) => ({
  'package.json': toJson({ private: true, packageManager: 'npm@10.0.0', workspaces: ['packages/*'] }),
  'package-lock.json': toJson({
    lockfileVersion: 3,
    packages: { '': { workspaces: ['packages/*'] }, 'packages/one': {}, 'packages/two': {} },
  }),
  'turbo.json': toJson({ tasks: { test: settings } }),
  ...packages,
});

const TURBO_SCENARIOS: Scenario[] = [
  {
    name: 'turbo hides the environment from its tasks, and not the cases',
    programs: ['turbo'],
    files: createTurboProject({ cache: false }, NODE_PACKAGE_FILES),
    async play(stage) {
      const run = await stage.run({ command: 'turbo run test --continue' });
      expect(run).toMatchObject({ totals: { passed: 0, failed: 5, skipped: 3 }, notes: REFUSED_NOTES });
    },
  },
  {
    name: 'a run tells which tests turbo replayed from its cache',
    programs: ['turbo'],
    files: {
      ...createTurboProject(
        {},
        {
          'packages/one/package.json': createManifest('one', { test: 'node --test' }),
          'packages/one/test/a.test.js': "require('node:test')('adds', () => {});\n",
        },
      ),
      '.gitignore': '.turbo\n',
    },
    async play(stage) {
      execFileSync('git', ['init', '-q'], { cwd: stage.root });
      const command = 'turbo run test';
      expect(await stage.run({ command })).toMatchObject({ status: 'passed', totals: { passed: 1 }, notes: [] });
      expect((await stage.run({ command })).notes).toEqual([
        'Turbo replayed the tests of 1 package from its cache, so their cases are not in this run. Add --force to run them.',
      ]);
    },
  },
];

const PYTHON_PATH = path.join(pythonFolder, 'bin', 'python');
const TOX_ENVIRONMENT = `skip_install = true\nallowlist_externals = ["*"]\ncommands = [["${PYTHON_PATH}", "-m", "pytest"]]\n`;

const TOX_SCENARIOS: Scenario[] = [
  ['tox.ini', `[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = ${PYTHON_PATH} -m pytest\n`],
  ['pyproject.toml', `[tool.tox.env_run_base]\n${TOX_ENVIRONMENT}`],
  ['tox.toml', `[env_run_base]\n${TOX_ENVIRONMENT}`],
].map(([file = '', settings = '']) => ({
  name: `tox hides the environment, and not the cases: ${file}`,
  programs: ['tox', 'pytest'],
  files: {
    [file]: settings,
    'test_sum.py': 'def test_right():\n    pass\n\n\ndef test_wrong():\n    assert 1 + 1 == 3\n',
  },
  async play(stage) {
    expect(await stage.run({ command: 'tox -e py' })).toMatchObject({
      totals: { passed: 1, failed: 1 },
      failures: [{ caseName: 'test_sum.py > test_wrong', testPlace: 'test_sum.py:6' }],
    });
  },
}));

const SET_NODE_OPTIONS = 'NODE_OPTIONS=--no-warnings';
const SPAWN_OPTIONS = "{ env: { ...process.env, NODE_OPTIONS: '--no-warnings' }, stdio: 'inherit' }";

/** Commands that start Mocha with options of Node, or in an unusual way. */
const MOCHA_STARTS = [
  ['options of Node on the command line', `${SET_NODE_OPTIONS} mocha sum.js`],
  ['options of Node beside other variables', `A="b c" ${SET_NODE_OPTIONS} mocha sum.js`],
  ['options of Node for all that follows', `export ${SET_NODE_OPTIONS}; mocha sum.js`],
  ['options of Node in another shell', `sh -c '${SET_NODE_OPTIONS} mocha sum.js'`],
  ['options of Node in a script', 'npm run with-options'],
  ['a program that starts it with options of Node', 'node start.js'],
  ['a program that waits for it with options of Node', 'node wait.js'],
  ['a program that calls it as a function', 'node run.js'],
  ['a program that wraps all that it starts, as nyc before 15 does', 'node cover.js'],
];

const MOCHA_SCENARIOS: Scenario[] = [
  {
    name: 'Mocha is read however it is started',
    folder: 'mocha',
    files: {
      'package.json': toJson({ scripts: { 'with-options': `${SET_NODE_OPTIONS} mocha sum.js` } }),
      'start.js': `require('node:child_process').spawn('mocha', ['sum.js'], ${SPAWN_OPTIONS}).on('exit', process.exit);\n`,
      'wait.js': `process.exit(require('node:child_process').spawnSync('mocha', ['sum.js'], ${SPAWN_OPTIONS}).status);\n`,
      'run.js':
        "const { Mocha } = require('mocha');\nnew Mocha().addFile('./sum.js').run((failed) => process.exit(failed));\n",
      'wrapper.js': "const wrap = require('spawn-wrap');\nif (wrap.runMain) wrap.runMain();\n",
      'cover.js': `require('spawn-wrap')([require.resolve('./wrapper.js')], {});
require('node:child_process').spawn('mocha', ['sum.js'], { stdio: 'inherit' }).on('exit', process.exit);
`,
    },
    async play(stage) {
      for (const [how, command] of MOCHA_STARTS) {
        const run = await stage.run({ command });
        expect(run, how).toMatchObject({ totals: USUAL_TOTALS, notes: [], failures: [FAILING_CASE] });
      }
    },
  },
  {
    name: 'a runner that a test starts with options of its own is none of this run',
    folder: 'mocha',
    files: {
      'outer.js': `it("starts another", () => { require("node:child_process").spawnSync("mocha sum.js", { shell: true, env: { ...process.env, NODE_OPTIONS: "--no-warnings" } }); }).timeout(0);\n`,
    },
    async play(stage) {
      expect(await stage.run({ command: 'mocha outer.js' })).toMatchObject({
        status: 'passed',
        totals: { passed: 1, failed: 0 },
      });
    },
  },
];

const REQUIRE_JEST = "const jest = require('jest');\n";

const PROGRAM_SCENARIOS: Scenario[] = [
  { folder: 'vitest' as const, command: 'node --expose-gc ./node_modules/vitest/dist/cli.js --run' },
  {
    folder: 'jest' as const,
    command: 'node run.cjs --ci',
    program: `${REQUIRE_JEST}jest.run(process.argv.slice(2));\n`,
  },
  {
    folder: 'jest' as const,
    command: 'node run.cjs',
    program: `${REQUIRE_JEST}jest.runCLI({ $0: '', _: [] }, [__dirname]).then(({ results }) => process.exit(results.numFailedTests));\n`,
  },
].map(({ folder, command, program = '' }) => ({
  name: `${folder} is read where it is started by ${command}`,
  folder,
  files: { 'run.cjs': program },
  async play(stage) {
    const run = await stage.run({ command });
    expect(run).toMatchObject({ status: 'failed', totals: USUAL_TOTALS, notes: [] });
    expect(run.failures).toMatchObject([
      { caseName: 'sum.test.js > sum > is wrong', testPlace: expect.stringMatching(/^sum\.test\.js:\d+$/u) },
    ]);
  },
}));

const OTHER_SCENARIOS: Scenario[] = [
  {
    name: 'a program that only lists its tests is read as node:test is',
    programs: ['node'],
    files: {
      'test/index.js': "import './sums.js';\nimport './names.js';\n",
      'test/sums.js': `import assert from 'node:assert/strict';\nimport test from 'node:test';\n\ntest('sums', async (t) => { await t.test('adds', () => assert.equal(2 + 2, 5)); });\n`,
      'test/names.js': "import { test } from 'node:test';\n\ntest('names', () => {});\n",
      'package.json': '{ "type": "module", "scripts": { "test": "node test/index.js" } }',
    },
    async play(stage) {
      const run = await stage.run();
      expect(run).toMatchObject({ totals: { passed: 1, failed: 2 } });
      expect(run.failures).toMatchObject([
        { caseName: 'test/sums.js > sums > adds', testPlace: 'test/sums.js:4' },
        { caseName: 'test/sums.js > sums', testPlace: 'test/sums.js:4' },
      ]);
    },
  },
  {
    name: 'pytest is read where a command sets its path and options anew',
    folder: 'pytest',
    async play(stage) {
      for (const command of ['PYTHONPATH=. python -m pytest', 'PYTEST_ADDOPTS=-q PYTHONPATH=. python -m pytest']) {
        expect(await stage.run({ command }), command).toMatchObject({ totals: USUAL_TOTALS, notes: [] });
      }
    },
  },
  {
    name: 'every pytest of a command is read, and a report that the project asks for is written',
    programs: ['pytest', 'make'],
    folder: 'pytest',
    files: {
      'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n',
      'test_last.py': 'def test_last():\n    assert 1 + 1 == 3\n',
      'pytest.ini': '[pytest]\naddopts = --junitxml=own.xml\n',
      Makefile: 'check:\n\tpython -m pytest -q test_more.py\n\tpython -m pytest -q test_last.py\n',
    },
    async play(stage) {
      expect(await stage.run({ command: 'make check' })).toMatchObject({
        totals: { passed: 1, failed: 1 },
        failures: [{ caseName: 'test_last.py > test_last' }],
      });
      expect(readFileSync(path.join(stage.root, 'own.xml'), 'utf8')).toContain('test_last');
      const command = 'python -m pytest test_more.py && python -m pytest -p no:junitxml test_last.py';
      expect(await stage.run({ command })).toMatchObject({ status: 'failed' });
    },
  },
  {
    name: 'runners of Ruby are read behind other programs, and not where a test starts one',
    programs: ['minitest', 'rake', 'rspec'],
    folder: 'minitest',
    files: {
      'spec/own_spec.rb': `RSpec.describe('own') { it('runs') { expect(\`rspec other_spec.rb\`).to include('1 failure') } }\n`,
      'other_spec.rb': `RSpec.describe('other') { it('fails') { expect(1).to eq(2) } }\n`,
      'check.sh': 'rake test; rspec spec\n',
    },
    async play(stage) {
      const run = await stage.run({ command: 'sh check.sh' });
      expect(run).toMatchObject({ totals: { passed: 2, failed: 1, skipped: 1 } });
    },
  },
  {
    name: 'every PHPUnit of a command is read',
    folder: 'phpunit',
    files: { 'check.sh': 'phpunit --filter adds\nphpunit --filter is_wrong\n' },
    async play(stage) {
      expect(await stage.run({ command: 'sh check.sh' })).toMatchObject({
        totals: { passed: 1, failed: 1 },
        notes: [],
        failures: [{ caseName: 'tests/SumTest.php > SumTest > test_is_wrong' }],
      });
    },
  },
  {
    name: 'pytest is read behind other programs, beside the other steps of a command',
    programs: ['pytest', 'mocha', 'make'],
    folder: 'mocha',
    files: {
      'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n\ndef test_less():\n    assert 1 + 1 == 3\n',
      Makefile: 'check:\n\t-python -m pytest -q\n\tmocha sum.js\n',
    },
    async play(stage) {
      const run = await stage.run({ command: 'make check' });
      expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 2, skipped: 1 } });
    },
  },
];

export const NESTED_SCENARIOS: Scenario[] = [
  ...PACKAGE_SCENARIOS,
  ...NODE_PACKAGE_SCENARIOS,
  ...TURBO_SCENARIOS,
  ...TOX_SCENARIOS,
  ...MOCHA_SCENARIOS,
  ...PROGRAM_SCENARIOS,
  ...OTHER_SCENARIOS,
];
