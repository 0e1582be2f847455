/** Tests `npm start` on the reader's own projects, after everything is built, and without a needed program. */

import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEnvironment, createProject, PROGRAM_PATH } from '../harness.ts';

const SESSION_SCRIPT = fileURLToPath(new URL('../../demo/session.mjs', import.meta.url));
const START_SCRIPT = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));

function runScript(script: string, args: string[], env: NodeJS.ProcessEnv = createEnvironment()) {
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
}

test('the demo session runs and diagnoses a project from any folder of npm', () => {
  const broken = "import test from 'node:test';\ntest('adds', () => { throw new TypeError('no cucumbers left'); });\n";
  const root = createProject({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'shop.test.mjs': broken });
  const env = createEnvironment({ INIT_CWD: path.dirname(root) });
  const { status, stdout, stderr } = runScript(SESSION_SCRIPT, ['--project', path.basename(root)], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const part of [root, 'argus_run', 'argus_diagnose', 'no cucumbers left']) expect(stdout).toContain(part);
  expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
});

test.each([
  ['without a failing test', { 'argus.yaml': 'test: { command: echo fine }\n' }, 0, /Nothing failed\./u],
  ['without a test command', {}, 1, /NO_TEST_COMMAND: .*test\.command in argus\.yaml/u],
])('the session on a project %s', (_name, files, status, printed) => {
  const result = runScript(SESSION_SCRIPT, ['--project', createProject(files)]);
  expect(result.status).toBe(status);
  expect(result.stdout + result.stderr).toMatch(printed);
});

test('npm start repeats no finished step, and ends with the commands to add Argus to four agents', () => {
  const root = createProject({ 'argus.yaml': 'test: { command: echo fine }\n' });
  const { status, stdout } = runScript(START_SCRIPT, ['--project', root], process.env);
  expect(status, stdout).toBe(0);
  expect(stdout).not.toMatch(/^(?:- |ok )/mu);
  const ways = [
    'claude mcp add argus -- node ',
    'codex mcp add argus -- node ',
    'code --add-mcp ',
    '.cursor/mcp.json: ',
  ];
  for (const way of ways) expect(stdout.split('\n').find((line) => line.includes(way))).toContain(PROGRAM_PATH);
});

/** True if a system package installed rustup, because then rustup is found even with an empty home folder. */
const hasSystemRustup = existsSync('/usr/bin/rustup');

test.skipIf(process.platform === 'win32' || hasSystemRustup)('a missing program is named in one line', () => {
  const bin = createProject();
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const { status, stderr } = runScript(START_SCRIPT, [], { PATH: bin, HOME: bin });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^missing: rustup \(builds the engine\); install with: .*rustup.*\n$/u);
});
