/** `npm start` on the reader's own projects, after everything is built, and when a program is missing. */

import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../harness.ts';

const SESSION = fileURLToPath(new URL('../../demo/session.mjs', import.meta.url));
const START = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));

function run(script: string, args: string[], env: NodeJS.ProcessEnv = environment()) {
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
}

test('the session runs and diagnoses a project from any folder of npm', () => {
  const broken = "import test from 'node:test';\ntest('adds', () => { throw new TypeError('no cucumbers left'); });\n";
  const root = project({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'shop.test.mjs': broken });
  const env = environment({ INIT_CWD: path.dirname(root) });
  const { status, stdout, stderr } = run(SESSION, ['--project', path.basename(root)], env);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const part of [root, 'argus_run', 'argus_diagnose', 'no cucumbers left']) expect(stdout).toContain(part);
  expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
});

test.each([
  ['where nothing fails', { 'argus.yaml': 'test: { command: echo fine }\n' }, 0, /Nothing failed\./u],
  ['without a test command', {}, 1, /NO_TEST_COMMAND: .*test\.command in argus\.yaml/u],
])('the session on a project %s', (_name, files, status, printed) => {
  const result = run(SESSION, ['--project', project(files)]);
  expect(result.status).toBe(status);
  expect(result.stdout + result.stderr).toMatch(printed);
});

test('npm start repeats no finished step, and ends with the commands to add Argus to four agents', () => {
  const root = project({ 'argus.yaml': 'test: { command: echo fine }\n' });
  const { status, stdout } = run(START, ['--project', root], process.env);
  expect(status, stdout).toBe(0);
  expect(stdout).not.toMatch(/^(?:- |ok )/mu);
  const ways = [
    'claude mcp add argus -- node ',
    'codex mcp add argus -- node ',
    'code --add-mcp ',
    '.cursor/mcp.json: ',
  ];
  for (const way of ways) expect(stdout.split('\n').find((line) => line.includes(way))).toContain(BUNDLE);
});

/** True when a system package installed rustup, because rustup is then never missing, even with an empty home. */
const rustupOfTheSystem = existsSync('/usr/bin/rustup');

test.skipIf(process.platform === 'win32' || rustupOfTheSystem)('a missing program is named in one line', () => {
  const bin = project();
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const { status, stderr } = run(START, [], { PATH: bin, HOME: bin });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^missing: rustup \(builds the engine\); install with: .*rustup.*\n$/u);
});
