/**
 * argus_run where a runner is started by something else: a script, a workspace, turbo, tox, a program of the project, or
 * its own in another way. Every one of a command is read, and none that a test starts.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { quoted } from '../../../packages/mcp/src/system/words.ts';
import { type Data, project, runnerProject } from '../harness.ts';
import { pythonFolder } from '../setup.mjs';
import { has } from './installed.ts';
import { agent, opened, totals } from './runners-agent.ts';

test('every package and every step of a command is read, and no runner that a test starts', async () => {
  const root = runnerProject('mocha');
  const nested = 'require("node:child_process").spawnSync("mocha", ["inner.js"], { cwd: __dirname, shell: true })';
  const files = {
    'package.json': { private: true, workspaces: ['packages/*'], scripts: { test: 'npm test -ws && mocha last.js' } },
    'packages/one/package.json': { name: 'one', version: '1.0.0', scripts: { test: 'vitest run' } },
    'packages/one/sum.test.js': 'import { test } from "vitest";\ntest("adds", () => {});\n',
    'packages/two/package.json': {
      name: 'two',
      version: '1.0.0',
      scripts: { pretest: 'jest --version', test: 'mocha outer.js' },
    },
    'packages/two/outer.js': `it("starts another", () => { if (${nested}.status !== 1) throw new Error("no"); });\n`,
    'packages/two/inner.js': 'it("fails", () => { throw new Error("within"); });\n',
    'last.js': 'it("is last", () => { throw new Error("in the end"); });\n',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 1 } });
  expect(run.failures).toMatchObject([{ caseName: 'last.js > is last', headline: 'Error: in the end' }]);
  const { cases } = await agent.data('argus_history', { projectPath: root, runId: run.runId });
  expect(JSON.stringify(cases)).toContain('packages/one/sum.test.js > adds');
  expect(JSON.stringify(cases)).toContain('packages/two/outer.js > starts another');
});

test('places are told from the project on where Mocha and Jest tell them from the package on', async () => {
  const root = runnerProject('mocha');
  const sells = "const sell = require('../src/shop.js');\nit('sells', () => sell());\n";
  const packageFiles = (name: string) => ({
    [`packages/${name}/package.json`]: JSON.stringify({
      name,
      version: '1.0.0',
      scripts: { test: 'mocha test/shop.js; jest' },
    }),
    [`packages/${name}/src/shop.js`]: "\nmodule.exports = () => { throw new TypeError('shop is shut'); };\n",
    [`packages/${name}/test/shop.js`]: sells,
    [`packages/${name}/test/absent.test.js`]: "\nrequire('./absent.js');\n",
  });
  const files = {
    'package.json': JSON.stringify({ private: true, workspaces: ['packages/*'] }),
    ...packageFiles('one'),
    ...packageFiles('two'),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  await opened(root);
  for (const env of ['', 'FORCE_COLOR=1 ']) {
    const { failures } = await agent.data('argus_run', { projectPath: root, command: `${env}npm test -ws` });
    const places = (failures as Data[]).map(({ caseName, place, testPlace }) => [caseName, place, testPlace]);
    const inPackage = (name: string) => [
      [`packages/${name}/test/absent.test.js > (suite)`, undefined, `packages/${name}/test/absent.test.js:2`],
      [`packages/${name}/test/shop.js > sells`, `packages/${name}/src/shop.js:2`, `packages/${name}/test/shop.js:2`],
    ];
    expect(places.sort()).toEqual([...inPackage('one'), ...inPackage('two')]);
  }
});

test('where packages take no filter together, what is advised runs the test in its own', async () => {
  const root = runnerProject('mocha');
  const files = {
    'package.json': { private: true, workspaces: ['packages/*'], scripts: { test: 'npm test -ws' } },
    'packages/blue/package.json': { name: 'blue', version: '1.0.0', scripts: { test: 'vitest run' } },
    'packages/blue/sum.test.js': 'import { test } from "vitest";\ntest("adds", () => {});\n',
    'packages/red/package.json': { name: 'red', version: '1.0.0', scripts: { test: 'mocha sum.js' } },
    'packages/red/sum.js': 'it("gets of red", () => { throw new Error("no"); });\nit("adds", () => {});\n',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  await opened(root);
  await agent.data('argus_run', { projectPath: root });
  const { runId } = await agent.data('argus_run', { projectPath: root });
  const caseName = 'gets of red';
  const alone = `cd packages/red && npm run test -- --grep ${quoted(caseName)}`;
  const settle = expect.stringContaining(`argus run ${quoted(alone)}`);
  expect(await agent.data('argus_diagnose', { projectPath: root, runId, caseName })).toMatchObject({
    verdict: { settle },
  });
  expect(await agent.data('argus_tests', { projectPath: root, caseName })).toMatchObject({
    latestFailure: { verdict: { settle } },
  });
  const refused = await agent.error('argus_run', { projectPath: root, filter: caseName });
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(`as in command: ${alone}`) });
  const run = await agent.data('argus_run', { projectPath: root, command: alone });
  expect(run).toMatchObject({
    totals: { passed: 0, failed: 1 },
    failures: [{ caseName: 'packages/red/sum.js > gets of red' }],
  });
});

const FAILING_TESTS = `const test = require('node:test');
test('outer', async (t) => { await t.test('inner', () => { throw new TypeError('own'); }); });
test.todo('later');
test('refused', { skip: process.env.npm_package_name === 'one' || process.argv[1].includes('one') }, () => connect());
const connect = () => new Promise((_, reject) => require('node:net').connect(1, '127.0.0.1').on('error', reject));
`;

test.each([
  ['npm test --workspaces', undefined],
  ['npm test', 'npm test -w packages/one; npm test -w packages/two'],
  ['sh check.sh', undefined],
])('node:test is read in every package by %s', async (command, script) => {
  const tests = { scripts: { test: 'node --test' } };
  const root = project({
    'package.json': JSON.stringify({ private: true, workspaces: ['packages/*'], scripts: { test: script } }),
    'packages/one/package.json': JSON.stringify({ name: 'one', version: '1.0.0', ...tests }),
    'packages/one/test/a.test.js': FAILING_TESTS,
    'packages/two/package.json': JSON.stringify({ name: 'two', version: '1.0.0', ...tests }),
    'packages/two/test/a.test.js': FAILING_TESTS,
    'packages/two/test/b.test.js': "require('./absent');\n",
    'check.sh': '(cd packages/one && node test/a.test.js)\n(cd packages/two && node --test --test-reporter=dot)\n',
  });
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed: 6, skipped: 3 }, notes: [] });
  expect(run.failures).toMatchObject([
    { caseName: 'packages/one/test/a.test.js > outer > inner', headline: 'TypeError: own' },
    { caseName: 'packages/one/test/a.test.js > outer', headline: 'TypeError: own' },
    { caseName: 'packages/two/test/a.test.js > outer > inner', headline: 'TypeError: own' },
    { caseName: 'packages/two/test/a.test.js > outer', headline: 'TypeError: own' },
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
  ]);
  const { runs } = await agent.data('argus_history', { projectPath: root });
  expect(runs).toMatchObject([{ command }]);
  if (command.startsWith('sh ')) return;
  const one = await agent.data('argus_run', { projectPath: root, command: 'npm test -ws', filter: 'later' });
  expect(one).toMatchObject({ totals: { passed: 0, failed: 1 } });
  expect(JSON.stringify(one.failures)).not.toContain('inner');
});

test('turbo hides the environment from its tasks, and not the cases', async () => {
  const test = (name: string) => JSON.stringify({ name, version: '1.0.0', scripts: { test: 'node --test' } });
  const packages = project({
    'package.json': JSON.stringify({ private: true, packageManager: 'npm@10.0.0', workspaces: ['packages/*'] }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { workspaces: ['packages/*'] }, 'packages/one': {}, 'packages/two': {} },
    }),
    'turbo.json': '{"tasks":{"test":{"cache":false}}}',
    'packages/one/package.json': test('one'),
    'packages/one/test/a.test.js': FAILING_TESTS,
    'packages/two/package.json': test('two'),
    'packages/two/test/a.test.js': FAILING_TESTS,
  });
  await opened(packages);
  const turbo = await agent.data('argus_run', { projectPath: packages, command: 'turbo run test --continue' });
  expect(turbo, JSON.stringify(turbo)).toMatchObject({ totals: { passed: 0, failed: 5, skipped: 3 }, notes: [] });
});

const PYTEST = path.join(pythonFolder, 'bin', 'python');

test.each([
  ['tox.ini', `[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = ${PYTEST} -m pytest\n`],
  [
    'pyproject.toml',
    `[tool.tox.env_run_base]\nskip_install = true\nallowlist_externals = ["*"]\ncommands = [["${PYTEST}", "-m", "pytest"]]\n`,
  ],
  [
    'tox.toml',
    `[env_run_base]\nskip_install = true\nallowlist_externals = ["*"]\ncommands = [["${PYTEST}", "-m", "pytest"]]\n`,
  ],
])('tox hides the environment, and not the cases: %s', async (name, settings) => {
  const python = project({
    [name]: settings,
    'test_sum.py': 'def test_right():\n    pass\n\n\ndef test_wrong():\n    assert 1 + 1 == 3\n',
  });
  await opened(python);
  const tox = await agent.data('argus_run', { projectPath: python, command: 'tox -e py' });
  expect(tox, JSON.stringify(tox)).toMatchObject({
    totals: { passed: 1, failed: 1 },
    failures: [{ caseName: 'test_sum.py > test_wrong', testPlace: 'test_sum.py:6' }],
  });
});

test('a program that only lists its tests is read as node:test is', async () => {
  const root = project({
    'test/index.js': "import './sums.js';\nimport './names.js';\n",
    'test/sums.js': `import assert from 'node:assert/strict';\nimport test from 'node:test';\n\ntest('sums', async (t) => { await t.test('adds', () => assert.equal(2 + 2, 5)); });\n`,
    'test/names.js': "import { test } from 'node:test';\n\ntest('names', () => {});\n",
    'package.json': '{ "type": "module", "scripts": { "test": "node test/index.js" } }',
  });
  const run = await agent.data('argus_run', { projectPath: (await opened(root)).root });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 2 } });
  expect(run.failures).toMatchObject([
    { caseName: 'test/sums.js > sums > adds', testPlace: 'test/sums.js:4' },
    { caseName: 'test/sums.js > sums', testPlace: 'test/sums.js:4' },
  ]);
});

test('a program that starts Mocha itself is read as Mocha is', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const program =
    "const { Mocha } = require('mocha');\nnew Mocha().addFile('./sum.js').run((failed) => process.exit(failed));\n";
  writeFileSync(path.join(root, 'run.js'), program);
  const run = await agent.data('argus_run', { projectPath: root, command: 'node run.js' });
  expect(run).toMatchObject({ totals, failures: [{ caseName: 'sum.js > sum > is wrong' }] });
});

const OWN_OPTIONS = 'NODE_OPTIONS=--no-warnings';

test.skipIf(process.platform === 'win32').each([
  ['on the command line', `${OWN_OPTIONS} mocha sum.js`],
  ['beside others', `A="b c" ${OWN_OPTIONS} mocha sum.js`],
  ['for all that follows', `export ${OWN_OPTIONS}; mocha sum.js`],
  ['in another shell', `sh -c '${OWN_OPTIONS} mocha sum.js'`],
  ['in a script', 'npm run with-options'],
  ['by a program that starts it', 'node start.js'],
  ['by a program that waits for it', 'node wait.js'],
])('a runner is read where its own options of Node are set %s', async (_, command) => {
  const { root } = await opened(runnerProject('mocha'));
  const env = "{ env: { ...process.env, NODE_OPTIONS: '--no-warnings' }, stdio: 'inherit' }";
  const files = {
    'package.json': JSON.stringify({ scripts: { 'with-options': `${OWN_OPTIONS} mocha sum.js` } }),
    'start.js': `require('node:child_process').spawn('mocha', ['sum.js'], ${env}).on('exit', process.exit);\n`,
    'wait.js': `process.exit(require('node:child_process').spawnSync('mocha', ['sum.js'], ${env}).status);\n`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ totals, notes: [], failures: [{ caseName: 'sum.js > sum > is wrong' }] });
});

test.skipIf(process.platform === 'win32')('pytest is read where a command sets its path and options anew', async () => {
  const { root } = await opened(runnerProject('pytest'));
  for (const command of ['PYTHONPATH=. python -m pytest', 'PYTEST_ADDOPTS=-q PYTHONPATH=. python -m pytest']) {
    expect(await agent.data('argus_run', { projectPath: root, command })).toMatchObject({ totals, notes: [] });
  }
});

test('a runner that a test starts with options of its own is none of this run', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const inner = `require("node:child_process").spawnSync("mocha sum.js", { shell: true, env: { ...process.env, NODE_OPTIONS: "--no-warnings" } })`;
  writeFileSync(path.join(root, 'outer.js'), `it("starts another", () => { ${inner}; });\n`);
  const run = await agent.data('argus_run', { projectPath: root, command: 'mocha outer.js' });
  expect(run).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 } });
});

test('Mocha is read below a program that wraps all that it starts, as nyc before 15 does', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const wrapper = "const wrap = require('spawn-wrap');\nif (wrap.runMain) wrap.runMain();\n";
  writeFileSync(path.join(root, 'wrapper.js'), wrapper);
  const program = `require('spawn-wrap')([require.resolve('./wrapper.js')], {});
require('node:child_process').spawn('mocha', ['sum.js'], { stdio: 'inherit' }).on('exit', process.exit);
`;
  writeFileSync(path.join(root, 'cover.js'), program);
  const run = await agent.data('argus_run', { projectPath: root, command: 'node cover.js' });
  expect(run).toMatchObject({ totals, failures: [{ caseName: 'sum.js > sum > is wrong' }] });
});

test('every pytest of a command is read, and a report that the project asks for is written', async () => {
  const { root } = await opened(runnerProject('pytest'));
  const files = {
    'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n',
    'test_last.py': 'def test_last():\n    assert 1 + 1 == 3\n',
    'pytest.ini': '[pytest]\naddopts = --junitxml=own.xml\n',
    Makefile: 'check:\n\tpython -m pytest -q test_more.py\n\tpython -m pytest -q test_last.py\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command: 'make check' });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1 }, failures: [{ caseName: 'test_last.py > test_last' }] });
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('test_last');
  const typed = 'python -m pytest test_more.py && python -m pytest -p no:junitxml test_last.py';
  expect(await agent.data('argus_run', { projectPath: root, command: typed })).toMatchObject({ status: 'failed' });
});

test.skipIf(!has('rspec') || !has('rake'))(
  'runners of Ruby are read behind other programs, and not where a test starts one',
  async () => {
    const { root } = await opened(runnerProject('minitest'));
    const files = {
      'spec/own_spec.rb': `RSpec.describe('own') { it('runs') { expect(\`rspec other_spec.rb\`).to include('1 failure') } }\n`,
      'other_spec.rb': `RSpec.describe('other') { it('fails') { expect(1).to eq(2) } }\n`,
      'check.sh': 'rake test; rspec spec\n',
    };
    mkdirSync(path.join(root, 'spec'));
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
    const run = await agent.data('argus_run', { projectPath: root, command: 'sh check.sh' });
    expect(run).toMatchObject({ totals: { passed: 2, failed: 1, skipped: 1 } });
  },
);

test.skipIf(!has('phpunit'))('every PHPUnit of a command is read', async () => {
  const { root } = await opened(runnerProject('phpunit'));
  writeFileSync(path.join(root, 'check.sh'), 'phpunit --filter adds\nphpunit --filter is_wrong\n');
  const run = await agent.data('argus_run', { projectPath: root, command: 'sh check.sh' });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1 }, notes: [] });
  expect(run.failures).toMatchObject([{ caseName: 'tests/SumTest.php > SumTest > test_is_wrong' }]);
});

test('pytest is read behind other programs, beside the other steps of a command', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const files = {
    'test_more.py': 'def test_more():\n    assert 1 + 1 == 2\n\ndef test_less():\n    assert 1 + 1 == 3\n',
    Makefile: 'check:\n\t-python -m pytest -q\n\tmocha sum.js\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  const run = await agent.data('argus_run', { projectPath: root, command: 'make check' });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 2, skipped: 1 } });
});

const JEST = "const jest = require('jest');\n";

test.each([
  ['vitest', 'node --expose-gc ./node_modules/vitest/dist/cli.js --run', undefined],
  ['jest', 'node run.cjs --ci', `${JEST}jest.run(process.argv.slice(2));\n`],
  [
    'jest',
    'node run.cjs',
    `${JEST}jest.runCLI({ $0: '', _: [] }, [__dirname]).then(({ results }) => process.exit(results.numFailedTests));\n`,
  ],
])('%s is read when it is started by %s', async (folder, command, program) => {
  const root = runnerProject(folder);
  if (program !== undefined) writeFileSync(path.join(root, 'run.cjs'), program);
  await agent.data('argus_init', { projectPath: root });
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(run.failures).toMatchObject([
    { caseName: 'sum.test.js > sum > is wrong', testPlace: expect.stringMatching(/^sum\.test\.js:\d+$/u) },
  ]);
});

test('what a task runner replays from its cache is said', async () => {
  const root = project({
    'package.json': JSON.stringify({ private: true, packageManager: 'npm@10.0.0', workspaces: ['packages/*'] }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { workspaces: ['packages/*'] }, 'packages/one': {} },
    }),
    'turbo.json': '{"tasks":{"test":{}}}',
    '.gitignore': '.turbo\n',
    'packages/one/package.json': JSON.stringify({ name: 'one', version: '1.0.0', scripts: { test: 'node --test' } }),
    'packages/one/test/a.test.js': "require('node:test')('adds', () => {});\n",
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  await agent.data('argus_init', { projectPath: root });
  const run = () => agent.data('argus_run', { projectPath: root, command: 'turbo run test' });
  expect(await run()).toMatchObject({ status: 'passed', totals: { passed: 1 }, notes: [] });
  const again = await run();
  expect(again.notes, JSON.stringify(again)).toEqual([
    'Turbo replayed the tests of one package from its cache: their cases are not in this run. Add --force to run them.',
  ]);
});
