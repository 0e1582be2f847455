/**
 * Runs the script of the composite action with bash and the variables that a runner sets. The GitHub actions that it
 * uses do not run.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import { createEnvironment, createProject, PROGRAM_PATH } from '../harness.ts';
import { actionScript, compositeAction } from './action.ts';
import { type GitHub, runStep, startGitHub, tokenEnvironment } from './github.ts';
import { createReport, errorsOf, REGRESSED_CASE } from './history.ts';

/** Runs the script as a runner does. `github` contains the values of expressions such as `github.event.action`. */
async function runAction(
  gitHub: GitHub,
  root: string,
  event: string,
  inputs: Record<string, string>,
  github: Record<string, string> = {},
  more: Record<string, string> = {},
) {
  const { GITHUB_TOKEN: token, GITHUB_API_URL } = tokenEnvironment(gitHub);
  const defaults = Object.entries(compositeAction.inputs).map(([name, one]) => [name, one.default ?? '']);
  const command = `${process.execPath} ${PROGRAM_PATH}`;
  const given: Record<string, string> = { ...Object.fromEntries(defaults), name: 'test-0', token, command, ...inputs };
  const inputOf = (name: string) =>
    name.startsWith('inputs.') ? given[name.slice('inputs.'.length)] : github[name.slice('github.'.length)];
  const evaluated = (value: string) =>
    value.replaceAll(/\$\{\{ (.*?) \}\}/gu, (_, words: string) => words.split(' || ').map(inputOf).find(Boolean) ?? '');
  const env = Object.fromEntries(
    Object.entries(actionScript?.env ?? {}).map(([name, value]) => [name, evaluated(value)]),
  );
  const temporary = createProject({ 'script.sh': actionScript?.run ?? '' });
  const words = ['--noprofile', '--norc', '-eo', 'pipefail', path.join(temporary, 'script.sh')];
  const ended = await runStep(root, event, async (variables) => {
    const child = spawn('bash', words, {
      cwd: root,
      env: createEnvironment({ ...variables, ...env, GITHUB_API_URL, RUNNER_TEMP: temporary, ...more }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [status]] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'close'),
    ]);
    return { status, stdout, stderr };
  });
  return { ...ended, artifact: path.join(temporary, 'argus/runs.jsonl') };
}

test('on a pull request, the action fetches the base for its quarantine, and creates gate result, comment and artifact', async () => {
  const gitHub = await startGitHub();
  const quarantine = `cases:\n  - { case: ${JSON.stringify(REGRESSED_CASE)}, reason: waits, owner: ada, until: 2999-12-31 }\n`;
  const origin = createRepository({
    'package.json': '{}\n',
    'argus-quarantine.yaml': quarantine,
    '.gitignore': 'report.json\n',
  });
  runGit(origin, 'checkout', '-q', '-b', 'changes');
  runGit(origin, 'commit', '-q', '--allow-empty', '-m', 'change');
  const root = path.join(createProject(), 'clone');
  const shallow = ['--depth=1', '--single-branch', '--branch=changes'];
  execFileSync('git', ['clone', '-q', ...shallow, `file://${origin}`, root], {
    env: createEnvironment(),
    stdio: 'pipe',
  });
  writeFileSync(path.join(root, 'report.json'), createReport(errorsOf(REGRESSED_CASE)));
  const inputs = { reports: 'report.json', outcome: 'failure', environment: 'browser=firefox\nlocale=de' };
  const { status, stderr, stdout, artifact, summary } = await runAction(gitHub, root, 'pull_request', inputs, {
    base_ref: 'main',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('1 failure quarantined:');
  expect(summary).toContain('**Gate passed**: 0 to fix, 0 not caused by this change, 1 quarantined');
  expect(gitHub.comments.map(({ body }) => body.split('\n')[0])).toEqual(['<!-- argus-ci:test-0 -->']);
  expect(JSON.parse(readFileSync(artifact, 'utf8')).environment).toMatchObject({ browser: 'firefox', locale: 'de' });
});

test('on a push, the gate fails the step, and inputs are not run as code', async () => {
  const gitHub = await startGitHub();
  const root = createRepository({ 'package.json': '{}\n', '.gitignore': '*.json\n' });
  const name = '$(touch made) `touch made`; touch made .json';
  writeFileSync(path.join(root, name), createReport(errorsOf(REGRESSED_CASE)));
  const github = { 'event.repository.default_branch': 'main' };
  const inputs = { reports: name, environment: 'a=$(touch made)', 'team-url': 'https://argus.invalid' };
  const { status, summary, artifact } = await runAction(gitHub, root, 'push', inputs, github);
  expect(status).toBe(1);
  expect(summary).toContain('**Gate failed**: 1 to fix');
  expect(existsSync(path.join(root, 'made'))).toBe(false);
  expect(existsSync(artifact)).toBe(true);
  const quiet = { reports: name, gate: 'false', comment: 'false', artifact: 'false' };
  const told = await runAction(gitHub, root, 'pull_request', quiet, github);
  expect(told.status).toBe(0);
  expect(existsSync(told.artifact)).toBe(false);
  expect(gitHub.requests).toEqual([]);
});

test('the action installs outside of the checkout, so that files of the checkout have no effect', async () => {
  const gitHub = await startGitHub();
  const trap = 'require("node:fs").writeFileSync("started", "")\n';
  const root = createRepository({
    'package.json': '{}\n',
    '.npmrc': 'registry=https://npm.invalid\n',
    'node_modules/argus-mcp/dist/cli.mjs': trap,
    'node_modules/.bin/argus-mcp': `#!/usr/bin/env node\n${trap}`,
  });
  writeFileSync(path.join(root, 'report.json'), createReport({}));
  // Replaces the package registry: records the folder of each call and installs the program that was built here.
  const npm = `#!/bin/sh
pwd > "$NOTED"
echo "$@" >> "$NOTED"
mkdir -p node_modules/argus-mcp/dist
echo 'import ${JSON.stringify(pathToFileURL(PROGRAM_PATH).href)};' > node_modules/argus-mcp/dist/cli.mjs
`;
  const bin = createProject({ npm });
  chmodSync(path.join(bin, 'npm'), 0o755);
  const noted = path.join(bin, 'noted');
  const more = { PATH: [bin, process.env.PATH].join(path.delimiter), NOTED: noted };
  const inputs = { reports: 'report.json', command: '', comment: 'false' };
  const { status, stderr } = await runAction(gitHub, root, 'push', inputs, {}, more);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [place = '', words = ''] = readFileSync(noted, 'utf8').split('\n');
  expect(path.relative(root, place)).toMatch(/^\.\./u);
  expect(words).toContain(`--userconfig ${place}/.npmrc`);
  expect(existsSync(path.join(root, 'started'))).toBe(false);
});
