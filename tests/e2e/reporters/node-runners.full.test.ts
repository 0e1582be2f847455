/**
 * Reporters in the configuration of a project's runner, for each runner, and leftovers of killed runs.
 * node-runners.test.ts tests all behavior with a single runner.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type ProgramName, skipWithoutPrograms } from '../../runners/installed.ts';
import {
  createInstalledProject,
  createMochaProject,
  expectRecordedOnce,
  readCaseNames,
  readRuns,
  runDirectly,
  runUnderArgus,
} from './installed-project.ts';

const REPORTER_PROJECTS = [
  {
    program: 'vitest',
    folder: 'vitest',
    command: 'vitest run',
    files: { 'vitest.config.js': "export default { test: { reporters: ['argus-mcp/vitest'] } };\n" },
    wrong: 'sum.test.js > sum > is wrong',
  },
  {
    program: 'jest',
    folder: 'jest',
    command: 'jest',
    files: { 'jest.config.json': '{ "reporters": ["default", "argus-mcp/jest"] }\n' },
    wrong: 'sum.test.js > sum > is wrong',
  },
  {
    program: 'node',
    folder: 'node-test',
    command: 'node --require argus-mcp/node-test --test sum.js',
    files: {},
    wrong: 'sum.js > sum > is wrong',
  },
] as const;

for (const row of REPORTER_PROJECTS) {
  test(`${row.command} is recorded once, by itself and under argus run, and keeps its exit code`, async ({ skip }) => {
    skipWithoutPrograms([row.program], skip);
    await expectRecordedOnce(row);
  });
}

test.for<[folder: string, program: ProgramName, command: string, names: string]>([
  ['mocha', 'mocha', 'mocha --parallel --exit --reporter argus-mcp/mocha sum.js', 'sum.js'],
  ['node-test', 'node', 'node --test --test-reporter argus-mcp/node-test sum.js', 'sum.js'],
  [
    'playwright',
    'playwright',
    'playwright test --retries=0 -g "adds|wrong" --reporter=line,argus-mcp/playwright',
    'tests/sum.js > api',
  ],
])('%s as in %s', async ([folder, program, command, names], { skip }) => {
  skipWithoutPrograms([program], skip);
  const root = createInstalledProject(folder);
  const { status, stdout } = await runDirectly(root, command);
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('is wrong') });
  await runUnderArgus(root, command);
  const runs = await readRuns(root);
  expect(runs).toMatchObject(Array(2).fill({ passed: 1, failed: 1 }));
  for (const { id } of runs) expect(await readCaseNames(root, id)).toContain(`${names} > sum > is wrong`);
});

/** Returns a pattern for the command line of the process that waits for the end of a run. */
const waitingProcessPattern = (pid: string) => `'record .*argus-report-' + ${pid} + '-'`;

const KILLS_WAITING_PROCESS = `const { spawnSync } = require('node:child_process');
it('adds', () => { spawnSync('pkill', ['-KILL', '-f', ${waitingProcessPattern('process.pid')}]); });
`;

test('a run is recorded although the process that waits for its end is killed', async ({ skip }) => {
  skipWithoutPrograms(['mocha'], skip);
  const root = createMochaProject({ 'kills.js': KILLS_WAITING_PROCESS });
  expect(await runDirectly(root, 'mocha kills.js')).toMatchObject({ status: 0, stderr: '' });
  expect(await readRuns(root)).toMatchObject([{ passed: 1, failed: 0 }]);
});

const KILLS_ITSELF = `const { spawnSync } = require('node:child_process');
it('ends', () => {
  console.log(spawnSync('pgrep', ['-f', ${waitingProcessPattern('process.pid')}], { encoding: 'utf8' }).stdout);
  process.kill(process.pid, 'SIGKILL');
});
`;

test('a killed runner leaves no waiting process and no recorded run', async ({ skip }) => {
  skipWithoutPrograms(['mocha'], skip);
  const root = createMochaProject({ 'killed.js': KILLS_ITSELF });
  const temporary = path.join(root, 'temporary');
  mkdirSync(temporary);
  const { stdout } = await runDirectly(root, 'mocha killed.js', { TMPDIR: temporary });
  const [pid = ''] = /\d+/u.exec(stdout) ?? [];
  expect(pid, stdout).not.toBe('');
  const state = () => spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout;
  await expect.poll(state, { timeout: 10_000 }).toMatch(/^$|^Z/u);
  expect({ left: readdirSync(temporary), isMemory: existsSync(path.join(root, '.argus')) }).toEqual({
    left: [],
    isMemory: false,
  });
});

const INTERRUPTS_ITSELF = `import test from 'node:test';
test('waits', () => { process.kill(process.ppid, 'SIGINT'); return new Promise((done) => setTimeout(done, 60_000)); });
`;

test('an interrupted node:test is not recorded', async ({ skip }) => {
  skipWithoutPrograms(['node'], skip);
  const root = createInstalledProject('node-test', { 'interrupts.js': INTERRUPTS_ITSELF });
  const { status, stderr } = await runDirectly(root, 'node --require argus-mcp/node-test --test interrupts.js');
  expect(status).not.toBe(0);
  expect({ stderr, isMemory: existsSync(path.join(root, '.argus')) }).toEqual({ stderr: '', isMemory: false });
});

test.for([[{ AI_AGENT: 'claude' }], [{ AI_AGENT: '' }]])(
  'Vitest prints what it prints without the reporter, for %j',
  async ([env], { skip }) => {
    skipWithoutPrograms(['vitest'], skip);
    const config = { 'vitest.config.js': "export default { test: { reporters: ['argus-mcp/vitest'] } };\n" };
    const printed = async (root: string) => {
      const { stdout } = await runDirectly(root, 'vitest run', env);
      return stdout.replaceAll(root, '').replaceAll(/\d+(?:\.\d+)?m?s\b|\d\d:\d\d:\d\d/gu, '');
    };
    const plain = await printed(createInstalledProject('vitest'));
    expect(plain).toContain('is wrong');
    expect(await printed(createInstalledProject('vitest', config))).toBe(plain);
  },
);

const WATCH_SCRIPT = `import { startVitest } from 'vitest/node';
const options = { watch: true, config: false, reporters: ['dot', 'argus-mcp/vitest'] };
const vitest = await startVitest('test', [], options, { configFile: false });
await vitest.rerunFiles([new URL('other.test.js', import.meta.url).pathname]);
await vitest.close();
process.exit(0);
`;

test('watch mode records each rerun with only its files, and all projects as a single run', async ({ skip }) => {
  skipWithoutPrograms(['vitest'], skip);
  const other = "import { it } from 'vitest';\nit('is other', () => {});\n";
  const root = createInstalledProject('vitest', { 'other.test.js': other, 'watch.mjs': WATCH_SCRIPT });
  const { status, stderr } = await runDirectly(root, 'node watch.mjs');
  expect(status, stderr).toBe(0);
  const [again, first] = await readRuns(root);
  expect(await readCaseNames(root, first?.id)).toHaveLength(4);
  expect(await readCaseNames(root, again?.id)).toEqual(['other.test.js > is other']);

  const named = (name: string) => `{ test: { name: '${name}', include: ['other.test.js'] } }`;
  const projects = `export default { test: { projects: [${named('one')}, ${named('two')}] } };\n`;
  writeFileSync(path.join(root, 'vitest.config.js'), projects);
  const both = await runDirectly(root, 'vitest run --reporter=dot --reporter=argus-mcp/vitest');
  expect(await readRuns(root), both.stdout + both.stderr).toHaveLength(3);
  expect((await readRuns(root))[0]).toMatchObject({ passed: 2, failed: 0 });
});
