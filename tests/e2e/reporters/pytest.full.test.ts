/**
 * The pytest plugin, installed from its wheel: each run is recorded once, no matter which program starts it, and ends
 * as without the plugin.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { need, PATH, versionOf } from '../../runners/installed.ts';
import { argus } from '../argus.ts';
import { BUNDLE, project } from '../harness.ts';
import { pythonFolder } from '../setup.mjs';
import { casesOf, runsOf, start } from './installed-project.ts';

const PLUGIN = fileURLToPath(new URL('../../../packages/pytest-argus', import.meta.url));
const python = path.join(pythonFolder, 'bin', 'python');
const packages = project();
const env = { PYTHONPATH: packages, ARGUS_MCP: BUNDLE, PATH };
const pytest = (root: string, options = '', more: Record<string, string> = {}) =>
  start(root, `${python} -m pytest ${options}`, { ...env, ...more });

beforeAll(() => {
  if (versionOf('pytest') === undefined) return;
  const wheels = project();
  const pip = (...args: string[]) => execFileSync(python, ['-m', 'pip', '--quiet', ...args], { stdio: 'pipe' });
  pip('wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', wheels, PLUGIN);
  pip('install', '--no-deps', '--target', packages, '--no-index', '--find-links', wheels, 'pytest-argus');
});

beforeEach(({ skip }) => need(['pytest'], skip));

const SUM = `import subprocess, sys, pytest

def test_adds():
    assert 1 + 1 == 2

def test_is_wrong():
    assert 1 + 1 == 3
`;

test('a run is recorded once, by itself and under argus run', async () => {
  const root = project({ 'test_sum.py': SUM });
  const first = await pytest(root);
  expect(first, first.stdout).toMatchObject({ status: 1, stderr: '' });
  expect(first.stdout).not.toMatch(/argus knows|generated xml/u);
  const second = await pytest(root, '--junitxml=own.xml');
  expect(second.stdout).toMatch(
    /1 failed, 1 passed.*\nargus knows of these failures:\n {2}test_sum\.py > test_is_wrong: /u,
  );
  expect(readFileSync(path.join(root, 'own.xml'), 'utf8')).toContain('test_is_wrong');

  const under = await argus(['run', `${python} -m pytest`], { cwd: root, env });
  expect(under.stdout).not.toContain('knows of these failures');
  const runs = await runsOf(root);
  expect(runs).toMatchObject(Array(3).fill({ passed: 1, failed: 1 }));
  expect(await casesOf(root, runs[0]?.id)).toEqual(await casesOf(root, runs[2]?.id));
  expect(runs[1]?.command).toBe('pytest --junitxml=own.xml');
});

const IS_KILLED = `import os, signal, subprocess

def test_ends():
    subprocess.run(["pkill", "-KILL", "-f", "record .*argus-report-%d-" % os.getpid()])
    os.kill(os.getpid(), signal.SIGKILL)
`;

test('the next run removes the leftovers of a killed run', async () => {
  const root = project({ 'test_killed.py': IS_KILLED });
  const temporary = path.join(root, 'temporary');
  mkdirSync(temporary);
  await pytest(root, '', { TMPDIR: temporary });
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^argus-report-/u)]);
  await argus(['run', 'true'], { cwd: root, env: { TMPDIR: temporary } });
  expect(readdirSync(temporary)).toEqual([]);
});

test('does not record a pytest that a test starts, or a run without tests', async () => {
  const nested = `import subprocess, sys, pytest

def test_starts_others():
    assert subprocess.call([sys.executable, "-m", "pytest", "inner.py"]) == 1
    assert pytest.main(["inner.py"]) == 1
`;
  const root = project({ 'test_outer.py': nested, 'inner.py': SUM, 'empty.py': '' });
  expect((await pytest(root)).status).toBe(0);
  expect((await pytest(root, 'empty.py')).status).toBe(5);
  expect((await pytest(root, '--collect-only')).status).toBe(0);
  expect(await runsOf(root)).toMatchObject([{ passed: 1, failed: 0 }]);
});

test('a broken memory, a missing program or a disabled plugin does not change the run', async () => {
  const root = project({ 'test_sum.py': SUM, '.argus': 'a file' });
  const broken = await pytest(root);
  expect(broken.status).toBe(1);
  expect(broken.stderr).toMatch(/^argus: this run (?:was not recorded|is not stored): [^\n]+\n$/u);
  const missing = await pytest(root, '', { ARGUS_MCP: 'no-such-program' });
  expect(missing).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^argus: this run was not recorded: [^\n]+\n$/u),
  });
  expect(await pytest(root, '-p no:argus')).toMatchObject({ status: 1, stderr: '' });
});
