/**
 * Tests the pytest plugin, installed from its wheel: each run is recorded once, no matter which program starts it, and
 * ends as without the plugin.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { findVersionLine, RUNNER_PATH, skipWithoutPrograms } from '../../runners/installed.ts';
import { argus } from '../argus.ts';
import { createProject, PROGRAM_PATH } from '../harness.ts';
import { pythonFolder } from '../setup.mjs';
import { readCaseNames, readRuns, runDirectly } from './installed-project.ts';

const PLUGIN_FOLDER = fileURLToPath(new URL('../../../packages/pytest-argus', import.meta.url));
const pythonPath = path.join(pythonFolder, 'bin', 'python');
const packagesFolder = createProject();
const pluginEnvironment = { PYTHONPATH: packagesFolder, ARGUS_MCP: PROGRAM_PATH, PATH: RUNNER_PATH };
const runPytest = (root: string, options = '', more: Record<string, string> = {}) =>
  runDirectly(root, `${pythonPath} -m pytest ${options}`, { ...pluginEnvironment, ...more });

beforeAll(() => {
  if (findVersionLine('pytest') === undefined) return;
  const wheels = createProject();
  const pip = (...args: string[]) => execFileSync(pythonPath, ['-m', 'pip', '--quiet', ...args], { stdio: 'pipe' });
  pip('wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', wheels, PLUGIN_FOLDER);
  pip('install', '--no-deps', '--target', packagesFolder, '--no-index', '--find-links', wheels, 'pytest-argus');
});

beforeEach(({ skip }) => skipWithoutPrograms(['pytest'], skip));

const SUM_TEST = `import subprocess, sys, pytest

def test_adds():
    assert 1 + 1 == 2

def test_is_wrong():
    assert 1 + 1 == 3
`;

test('a run is recorded once, by itself and under argus run', async () => {
  const root = createProject({ 'test_sum.py': SUM_TEST });
  const first = await runPytest(root);
  expect(first, first.stdout).toMatchObject({ status: 1, stderr: '' });
  expect(first.stdout).not.toMatch(/argus knows|generated xml/u);
  const second = await runPytest(root, '--junitxml=own.xml');
  expect(second.stdout).toMatch(
    /1 failed, 1 passed.*\nargus knows these failures:\n {2}test_sum\.py > test_is_wrong: /u,
  );
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('test_is_wrong');

  const under = await argus(['run', `${pythonPath} -m pytest`], { cwd: root, env: pluginEnvironment });
  expect(under.stdout).not.toContain('knows these failures');
  const runs = await readRuns(root);
  expect(runs).toMatchObject(Array(3).fill({ passed: 1, failed: 1 }));
  expect(await readCaseNames(root, runs[0]?.id)).toEqual(await readCaseNames(root, runs[2]?.id));
  expect(runs[1]?.command).toBe('pytest --junitxml=own.xml');
});

const KILLS_ITSELF = `import os, signal, subprocess

def test_ends():
    subprocess.run(["pkill", "-KILL", "-f", "record .*argus-report-%d-" % os.getpid()])
    os.kill(os.getpid(), signal.SIGKILL)
`;

test('the next run removes the leftovers of a killed run', async () => {
  const root = createProject({ 'test_killed.py': KILLS_ITSELF });
  const temporary = path.join(root, 'temporary');
  mkdirSync(temporary);
  await runPytest(root, '', { TMPDIR: temporary });
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^argus-report-/u)]);
  await argus(['run', 'true'], { cwd: root, env: { TMPDIR: temporary } });
  expect(readdirSync(temporary)).toEqual([]);
});

test('a pytest that a test starts, and a run without tests, are not recorded', async () => {
  const nested = `import subprocess, sys, pytest

def test_starts_others():
    assert subprocess.call([sys.executable, "-m", "pytest", "inner.py"]) == 1
    assert pytest.main(["inner.py"]) == 1
`;
  const root = createProject({ 'test_outer.py': nested, 'inner.py': SUM_TEST, 'empty.py': '' });
  expect((await runPytest(root)).status).toBe(0);
  expect((await runPytest(root, 'empty.py')).status).toBe(5);
  expect((await runPytest(root, '--collect-only')).status).toBe(0);
  expect(await readRuns(root)).toMatchObject([{ passed: 1, failed: 0 }]);
});

test('a broken memory, a missing program or a disabled plugin does not change the run', async () => {
  const root = createProject({ 'test_sum.py': SUM_TEST, '.argus': 'a file' });
  const broken = await runPytest(root);
  expect(broken.status).toBe(1);
  expect(broken.stderr).toMatch(/^argus: this run (?:was not recorded|is not stored): [^\n]+\n$/u);
  const missing = await runPytest(root, '', { ARGUS_MCP: 'no-such-program' });
  expect(missing).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^argus: this run was not recorded: [^\n]+\n$/u),
  });
  expect(await runPytest(root, '-p no:argus')).toMatchObject({ status: 1, stderr: '' });
});
