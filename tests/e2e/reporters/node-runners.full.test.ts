/**
 * Reporters in the configuration of a project's runner, for each runner, and leftovers of killed runs. All behavior
 * with a single runner: node-runners.test.ts.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { need, type ProgramName } from '../../runners/installed.ts';
import {
  casesOf,
  expectRecordedOnce,
  installedProject,
  mochaProject,
  runsOf,
  start,
  underArgus,
} from './installed-project.ts';

const RUNNERS = [
  {
    program: 'vitest',
    folder: 'vitest',
    command: 'vitest run',
    files: { 'vitest.config.js': "export default { test: { reporters: ['default', 'argus-mcp/vitest'] } };\n" },
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

for (const row of RUNNERS) {
  test(`${row.command} is recorded once, by itself and under argus run, and keeps its exit code`, async ({ skip }) => {
    need([row.program], skip);
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
  need([program], skip);
  const root = installedProject(folder);
  const { status, stdout } = await start(root, command);
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('is wrong') });
  await underArgus(root, command);
  const runs = await runsOf(root);
  expect(runs).toMatchObject(Array(2).fill({ passed: 1, failed: 1 }));
  for (const { id } of runs) expect(await casesOf(root, id)).toContain(`${names} > sum > is wrong`);
});

/** A pattern for the command line of the process that waits for the end of a run. */
const waiting = (pid: string) => `'record .*argus-report-' + ${pid} + '-'`;

const KILLS_IT = `const { spawnSync } = require('node:child_process');
it('adds', () => { spawnSync('pkill', ['-KILL', '-f', ${waiting('process.pid')}]); });
`;

test('records a run although the process that waits for its end is killed', async ({ skip }) => {
  need(['mocha'], skip);
  const root = mochaProject({ 'kills.js': KILLS_IT });
  expect(await start(root, 'mocha kills.js')).toMatchObject({ status: 0, stderr: '' });
  expect(await runsOf(root)).toMatchObject([{ passed: 1, failed: 0 }]);
});

const IS_KILLED = `const { spawnSync } = require('node:child_process');
it('ends', () => {
  console.log(spawnSync('pgrep', ['-f', ${waiting('process.pid')}], { encoding: 'utf8' }).stdout);
  process.kill(process.pid, 'SIGKILL');
});
`;

test('a killed runner leaves no waiting process and no recorded run', async ({ skip }) => {
  need(['mocha'], skip);
  const root = mochaProject({ 'killed.js': IS_KILLED });
  const temporary = path.join(root, 'temporary');
  mkdirSync(temporary);
  const { stdout } = await start(root, 'mocha killed.js', { TMPDIR: temporary });
  const [pid = ''] = /\d+/u.exec(stdout) ?? [];
  expect(pid, stdout).not.toBe('');
  const state = () => spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout;
  await expect.poll(state, { timeout: 10_000 }).toMatch(/^$|^Z/u);
  expect({ left: readdirSync(temporary), isMemory: existsSync(path.join(root, '.argus')) }).toEqual({
    left: [],
    isMemory: false,
  });
});

const INTERRUPTS = `import test from 'node:test';
test('waits', () => { process.kill(process.ppid, 'SIGINT'); return new Promise((done) => setTimeout(done, 60_000)); });
`;

test('does not record an interrupted node:test', async ({ skip }) => {
  need(['node'], skip);
  const root = installedProject('node-test', { 'interrupts.js': INTERRUPTS });
  const { status, stderr } = await start(root, 'node --require argus-mcp/node-test --test interrupts.js');
  expect(status).not.toBe(0);
  expect({ stderr, isMemory: existsSync(path.join(root, '.argus')) }).toEqual({ stderr: '', isMemory: false });
});

const WATCHING = `import { startVitest } from 'vitest/node';
const options = { watch: true, config: false, reporters: ['dot', 'argus-mcp/vitest'] };
const vitest = await startVitest('test', [], options, { configFile: false });
await vitest.rerunFiles([new URL('other.test.js', import.meta.url).pathname]);
await vitest.close();
process.exit(0);
`;

test('watch mode records each rerun with only its files, and all projects as a single run', async ({ skip }) => {
  need(['vitest'], skip);
  const other = "import { it } from 'vitest';\nit('is other', () => {});\n";
  const root = installedProject('vitest', { 'other.test.js': other, 'watch.mjs': WATCHING });
  const { status, stderr } = await start(root, 'node watch.mjs');
  expect(status, stderr).toBe(0);
  const [again, first] = await runsOf(root);
  expect(await casesOf(root, first?.id)).toHaveLength(4);
  expect(await casesOf(root, again?.id)).toEqual(['other.test.js > is other']);

  const named = (name: string) => `{ test: { name: '${name}', include: ['other.test.js'] } }`;
  const projects = `export default { test: { projects: [${named('one')}, ${named('two')}] } };\n`;
  writeFileSync(path.join(root, 'vitest.config.js'), projects);
  const both = await start(root, 'vitest run --reporter=dot --reporter=argus-mcp/vitest');
  expect(await runsOf(root), both.stdout + both.stderr).toHaveLength(3);
  expect((await runsOf(root))[0]).toMatchObject({ passed: 2, failed: 0 });
});
