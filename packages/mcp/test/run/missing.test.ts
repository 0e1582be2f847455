import { expect, test } from 'vitest';
import { missingOf } from '../../src/run/advice/missing.ts';
import { commandProblem } from '../../src/run/advice/runner-check.ts';
import { folder } from '../project.ts';

const manifest = (content: object) => ({ 'package.json': JSON.stringify(content) });
const withVitest = manifest({ scripts: { test: 'vitest', lint: 'x' }, devDependencies: { vitest: '4', ms: '2' } });

test.each([
  ['sh: 1: vitest: not found', withVitest, "vitest is not installed: run 'npm install'."],
  ['bash: line 1: vitest: command not found', { ...withVitest, 'yarn.lock': '' }, "run 'yarn install'"],
  ["'vitest' is not recognized as an internal or external command,", withVitest, "run 'npm install'"],
  [
    'sh: 1: frobnicate: not found',
    withVitest,
    'frobnicate is not installed: install it, or see that it is on the PATH.',
  ],
  ['npm error Missing script: "tset"', withVitest, "There is no script 'tset' in package.json. It has: test, lint."],
  [' ERR_PNPM_NO_SCRIPT  Missing script: tset', withVitest, "no script 'tset'"],
  ['error Command "tset" not found.', withVitest, "no script 'tset'"],
  ['Usage Error: Couldn\'t find a script named "tset".', withVitest, "no script 'tset'"],
  [
    "Error: Cannot find module 'ms'",
    withVitest,
    "The package ms is in package.json, but not installed: run 'npm install'.",
  ],
  [
    'npm error npx canceled due to missing packages and no YES option: ["uvu@0.5.6"]',
    {},
    "run 'npm install --save-dev uvu'",
  ],
  ['/usr/bin/python3: No module named pytest', {}, "run 'python3 -m pip install pytest'"],
  ['python: No module named pytest', { 'uv.lock': '' }, "run 'uv sync'"],
  [
    "ModuleNotFoundError: No module named 'yaml'",
    { 'requirements.txt': '' },
    "'python3 -m pip install -r requirements.txt'",
  ],
  ['bundler: command not found: rspec', { Gemfile: '' }, "run 'bundle install'"],
  ["Could not find gem 'simplecov' in locally installed gems.", { Gemfile: '' }, "run 'bundle install'"],
  ['make: pytest: No such file or directory', { 'uv.lock': '' }, "pytest is not installed: run 'uv sync'."],
  ['sh: 1: tox: not found', {}, "tox is not installed: run 'pipx install tox'."],
  ['error: no such command: `nextest`', {}, "run 'cargo install cargo-nextest --locked'"],
  ['Could not open input file: vendor/bin/phpunit', { 'composer.json': '{}' }, "run 'composer install'"],
])('%s', (printed, files, said) => {
  expect(missingOf(`some output\n${printed}\nmore`, folder(files))).toContain(said);
});

test.each([
  ['error Command failed with exit code 1.', withVitest],
  ["Error: Cannot find module './ms'", withVitest],
  ["Error: Cannot find module 'other'", withVitest],
  ["Error: Cannot find module 'ms'", { ...withVitest, 'node_modules/ms/index.js': '' }],
  ["ModuleNotFoundError: No module named 'shop'", { 'requirements.txt': '', 'src/shop/__init__.py': '' }],
  ['AssertionError: vitest: not found', withVitest],
  ['npm error Missing script: "test"', withVitest],
])('suggests no installation for %s', (printed, files) => {
  expect(missingOf(printed, folder(files))).toBeUndefined();
});

const problem = (command: string, files: Record<string, string>, programs = ['npm', 'pnpm']) =>
  commandProblem(command, folder(files), { platform: 'linux', has: (program) => programs.includes(program) });

test('checks a command before it runs', () => {
  expect(problem('npm test', withVitest)).toBe("vitest is not installed: run 'npm install'.");
  const installed = (version: string) => ({
    ...withVitest,
    'node_modules/vitest/package.json': JSON.stringify({ version }),
  });
  expect(problem('npm test', installed('4.1.0'))).toBeUndefined();
  expect(problem('npm test', installed('0.34.6'))).toBe('vitest is 0.34.6; its report can be read from 1.0 on.');
  expect(problem('pnpm run tset', withVitest)).toBe("There is no script 'tset' in package.json. It has: test, lint.");
  expect(problem('yarn test', withVitest)).toBe("yarn is not installed: run 'npm install --global yarn'.");
  expect(problem('./mvnw test', { 'pom.xml': '' })).toBe('./mvnw does not exist.');
  expect(problem('vendor/bin/phpunit', { 'composer.json': '{}' })).toContain("run 'composer install'");
  expect(problem('CI=1 go test ./...', {})).toMatch(/^go is not installed/u);
  expect(problem('cd sub && export A=1', {})).toBeUndefined();
});
