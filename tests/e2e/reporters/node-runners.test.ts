/**
 * Reporters that a project has in the configuration of its own runner: each run is recorded once, whoever started it, and
 * ends as it would without. What they read of a runner is the same as under argus_run: runners.test.ts.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { casesOf, installedProject, runsOf, start, underArgus } from './installed-project.ts';

interface Runner {
  runner: string;
  command: string;
  files: Record<string, string>;
  wrong: string;
}

const RUNNERS: Runner[] = [
  {
    runner: 'vitest',
    command: 'vitest run',
    files: { 'vitest.config.js': "export default { test: { reporters: ['default', 'argus-mcp/vitest'] } };\n" },
    wrong: 'sum.test.js > sum > is wrong',
  },
  {
    runner: 'jest',
    command: 'jest',
    files: { 'jest.config.json': '{ "reporters": ["default", "argus-mcp/jest"] }\n' },
    wrong: 'sum.test.js > sum > is wrong',
  },
  {
    runner: 'mocha',
    command: 'mocha sum.js',
    files: { '.mocharc.json': '{ "require": ["argus-mcp/mocha"] }\n' },
    wrong: 'sum.js > sum > is wrong',
  },
  {
    runner: 'node-test',
    command: 'node --require argus-mcp/node-test --test sum.js',
    files: {},
    wrong: 'sum.js > sum > is wrong',
  },
];

describe.each(RUNNERS)('$command', ({ runner, command, files, wrong }) => {
  test('is recorded once, by itself and under argus run, and keeps its exit code', async () => {
    const root = installedProject(runner, files);
    const first = await start(root, command);
    expect(first, first.stderr).toMatchObject({ status: 1 });
    expect(first.stderr).not.toContain('argus');
    expect(first.stdout + first.stderr).toContain('is wrong');
    const second = await start(root, command);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain('argus knows of these failures:');
    expect(second.stderr).toMatch(new RegExp(`${wrong}: .*\n *broken \\(`, 'u'));

    const under = await underArgus(root, command);
    expect(under, under.stderr).toMatchObject({ status: 1 });
    expect(under.stdout + under.stderr).not.toContain('knows of these failures');

    const runs = await runsOf(root);
    expect(runs).toMatchObject(Array(3).fill({ passed: 1, failed: 1, status: 'failed' }));
    expect(await casesOf(root, runs[0]?.id)).toEqual(await casesOf(root, runs[2]?.id));
    expect(runs[2]?.command.split(' ')[0]).toBe(command.split(' ')[0]);
  });
});

test.each([
  ['mocha', 'mocha --parallel --exit --reporter argus-mcp/mocha sum.js', 'sum.js'],
  ['node-test', 'node --test --test-reporter argus-mcp/node-test sum.js', 'sum.js'],
  [
    'playwright',
    'playwright test --retries=0 -g "adds|wrong" --reporter=line,argus-mcp/playwright',
    'tests/sum.js > api',
  ],
])('%s as in %s', async (runner, command, names) => {
  const root = installedProject(runner);
  const { status, stdout } = await start(root, command);
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringContaining('is wrong') });
  await underArgus(root, command);
  const runs = await runsOf(root);
  expect(runs).toMatchObject(Array(2).fill({ passed: 1, failed: 1 }));
  for (const { id } of runs) expect(await casesOf(root, id)).toContain(`${names} > sum > is wrong`);
});

const mocha = (files: Record<string, string> = {}) =>
  installedProject('mocha', { '.mocharc.json': '{ "require": ["argus-mcp/mocha"] }\n', ...files });

test('nothing is said of a run that passed, and what fixed a failure is said when it is back', async () => {
  const root = mocha();
  await start(root, 'mocha sum.js');
  const [run] = await runsOf(root);
  await argus(['report-fix', run?.id ?? '', 'sum.js > sum > is wrong', 'Count to two only.'], { cwd: root });
  const file = path.join(root, 'sum.js');
  const wrong = readFileSync(file, 'utf8');
  writeFileSync(file, wrong.replace('1 + 1, 3', '1 + 1, 2'));
  expect(await start(root, 'mocha sum.js')).toMatchObject({ status: 0, stderr: '' });
  expect(await runsOf(root)).toHaveLength(2);
  writeFileSync(file, `${wrong}\n`);
  const { stderr } = await start(root, 'mocha sum.js');
  expect(stderr).toContain('Count to two only.');
});

test('a memory that is broken, and one that is switched off, change nothing', async () => {
  const broken = mocha({ '.argus': 'a file' });
  const { status, stdout, stderr } = await start(broken, 'mocha sum.js');
  expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
  expect(stderr).toMatch(/^argus: this run (?:was not recorded|is not stored)/u);
  expect(stdout).toContain('1 failing');

  const off = mocha({ 'argus.yaml': 'history:\n  enabled: false\n' });
  expect(await start(off, 'mocha sum.js')).toMatchObject({ status: 1, stderr: '' });
});

test('a runner that a test starts is no run', async () => {
  const nested = "require('node:child_process').execSync('mocha sum.js -g adds', { stdio: 'ignore' })";
  const root = mocha({ 'outer.js': `it('starts another', () => { ${nested}; });\n` });
  expect((await start(root, 'mocha outer.js')).status).toBe(0);
  expect(await runsOf(root)).toMatchObject([{ passed: 1, failed: 0 }]);
  expect(await casesOf(root, (await runsOf(root))[0]?.id)).toEqual(['outer.js > starts another']);
});

/** Of the process that waits for the end of a run. */
const waiting = (pid: string) => `'record .*argus-report-' + ${pid} + '-'`;

const KILLS_IT = `const { spawnSync } = require('node:child_process');
it('adds', () => { spawnSync('pkill', ['-KILL', '-f', ${waiting('process.pid')}]); });
`;

test('a run is recorded although what waits for its end is killed', async () => {
  const root = mocha({ 'kills.js': KILLS_IT });
  expect(await start(root, 'mocha kills.js')).toMatchObject({ status: 0, stderr: '' });
  expect(await runsOf(root)).toMatchObject([{ passed: 1, failed: 0 }]);
});

const IS_KILLED = `const { spawnSync } = require('node:child_process');
it('ends', () => {
  console.log(spawnSync('pgrep', ['-f', ${waiting('process.pid')}], { encoding: 'utf8' }).stdout);
  process.kill(process.pid, 'SIGKILL');
});
`;

test('nothing waits for the end of a runner that was killed, nor is it a run', async () => {
  const root = mocha({ 'killed.js': IS_KILLED });
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

const BOTH_ARE_KILLED = `const { spawnSync } = require('node:child_process');
it('ends', () => {
  spawnSync('pkill', ['-KILL', '-f', ${waiting('process.pid')}]);
  process.kill(process.pid, 'SIGKILL');
});
`;

test('what a run that was killed has left goes with the next one', async () => {
  const root = mocha({ 'killed.js': BOTH_ARE_KILLED });
  const temporary = path.join(root, 'temporary');
  mkdirSync(temporary);
  await start(root, 'mocha killed.js', { TMPDIR: temporary });
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^argus-report-/u)]);
  await argus(['run', 'true'], { cwd: root, env: { TMPDIR: temporary } });
  expect(readdirSync(temporary)).toEqual([]);
});

const INTERRUPTS = `import test from 'node:test';
test('waits', () => { process.kill(process.ppid, 'SIGINT'); return new Promise((done) => setTimeout(done, 60_000)); });
`;

test('a node:test that is interrupted is no run', async () => {
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

test('in watch mode each run over is a run of only its files, and projects are one run', async () => {
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
