/**
 * `npm start` on a project of the reader's own, on a machine that is set up and on one that is not. The sample session
 * checks itself.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../harness.ts';

const SESSION = fileURLToPath(new URL('../../demo/session.mjs', import.meta.url));
const START = fileURLToPath(new URL('../../../.scripts/start.mjs', import.meta.url));

function session(...args: string[]) {
  return spawnSync(process.execPath, [SESSION, ...args], { encoding: 'utf8', env: environment() });
}

test('runs and diagnoses the project, from wherever npm was called', () => {
  const broken = "import test from 'node:test';\ntest('adds', () => { throw new TypeError('no cucumbers left'); });\n";
  const root = project({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'shop.test.mjs': broken });
  const env = environment({ INIT_CWD: path.dirname(root) });
  const args = [SESSION, '--project', path.basename(root)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const part of [root, 'argus_run', 'argus_diagnose', 'no cucumbers left']) expect(stdout).toContain(part);
  expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
});

test('a project where nothing fails', () => {
  const root = project({ 'argus.yaml': 'test: { command: echo fine }\n' });
  const { status, stdout } = session('--project', root);
  expect(status).toBe(0);
  expect(stdout).toContain('Nothing failed.');
});

test('a project without a test command says what to do', () => {
  const { status, stderr } = session('--project', project());
  expect(status).toBe(1);
  expect(stderr).toMatch(/NO_TEST_COMMAND: .*test\.command in argus\.yaml/u);
});

test('npm start where everything is built does no step again, and ends with how to add Argus to four agents', () => {
  const root = project({ 'argus.yaml': 'test: { command: echo fine }\n' });
  const { status, stdout } = spawnSync(process.execPath, [START, '--project', root], { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
  expect(stdout).not.toMatch(/^(?:- |ok )/mu);
  const ways = [
    'claude mcp add argus -- node ',
    'codex mcp add argus -- node ',
    'code --add-mcp ',
    '.cursor/mcp.json: ',
  ];
  for (const way of ways) {
    const line = stdout.split('\n').find((each) => each.includes(way));
    expect(line).toContain(BUNDLE);
  }
});

/** Where a system package has brought it, a home without it is no machine without it. */
const rustupOfTheSystem = existsSync('/usr/bin/rustup');

test.skipIf(process.platform === 'win32' || rustupOfTheSystem)('what it cannot install it names in one line', () => {
  const bin = mkdtempSync(path.join(tmpdir(), 'argus-bare-'));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const env = { PATH: bin, HOME: bin };
  const { status, stderr } = spawnSync(process.execPath, [START], { encoding: 'utf8', env });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^missing: rustup \(builds the engine\); install with: .*rustup.*\n$/u);
});
