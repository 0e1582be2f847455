import { expect, test } from 'vitest';
import { detectMissingDependency } from '../../src/run/advice/missing-dependencies.ts';
import { findCommandProblem } from '../../src/run/advice/runner-check.ts';
import { createFolder } from '../project.ts';

const manifest = (content: object) => ({ 'package.json': JSON.stringify(content) });
const vitestProject = manifest({ scripts: { test: 'vitest', lint: 'x' }, devDependencies: { vitest: '4', ms: '2' } });

test.each([
  ['sh: 1: vitest: not found', vitestProject, "vitest is not installed: run 'npm install'."],
  ['bash: line 1: vitest: command not found', { ...vitestProject, 'yarn.lock': '' }, "run 'yarn install'"],
  ["'vitest' is not recognized as an internal or external command,", vitestProject, "run 'npm install'"],
  ['sh: 1: frobnicate: not found', vitestProject, 'frobnicate is not installed: install it, or add it to the PATH.'],
  ['npm error Missing script: "tset"', vitestProject, "package.json has no script 'tset'. Its scripts are test, lint."],
  [' ERR_PNPM_NO_SCRIPT  Missing script: tset', vitestProject, "no script 'tset'"],
  ['error Command "tset" not found.', vitestProject, "no script 'tset'"],
  ['Usage Error: Couldn\'t find a script named "tset".', vitestProject, "no script 'tset'"],
  [
    "Error: Cannot find module 'ms'",
    vitestProject,
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
])('suggests what to install or fix for %s', (printed, files, expected) => {
  expect(detectMissingDependency(`some output\n${printed}\nmore`, createFolder(files))).toContain(expected);
});

test.each([
  ['error Command failed with exit code 1.', vitestProject],
  ["Error: Cannot find module './ms'", vitestProject],
  ["Error: Cannot find module 'other'", vitestProject],
  ["Error: Cannot find module 'ms'", { ...vitestProject, 'node_modules/ms/index.js': '' }],
  ["ModuleNotFoundError: No module named 'shop'", { 'requirements.txt': '', 'src/shop/__init__.py': '' }],
  ['AssertionError: vitest: not found', vitestProject],
  ['npm error Missing script: "test"', vitestProject],
])('suggests no installation for %s', (printed, files) => {
  expect(detectMissingDependency(printed, createFolder(files))).toBeUndefined();
});

const findProblem = (command: string, files: Record<string, string>, programs = ['npm', 'pnpm']) =>
  findCommandProblem(command, createFolder(files), { platform: 'linux', has: (program) => programs.includes(program) });

test('finds problems of a command before it runs', () => {
  expect(findProblem('npm test', vitestProject)).toBe("vitest is not installed: run 'npm install'.");
  const installed = (version: string) => ({
    ...vitestProject,
    'node_modules/vitest/package.json': JSON.stringify({ version }),
  });
  expect(findProblem('npm test', installed('4.1.0'))).toBeUndefined();
  expect(findProblem('npm test', installed('0.34.6'))).toBe(
    'vitest is 0.34.6, but Argus needs 1.0 or newer to read its report.',
  );
  expect(findProblem('pnpm run tset', vitestProject)).toBe(
    "package.json has no script 'tset'. Its scripts are test, lint.",
  );
  expect(findProblem('yarn test', vitestProject)).toBe("yarn is not installed: run 'npm install --global yarn'.");
  expect(findProblem('./mvnw test', { 'pom.xml': '' })).toBe('./mvnw does not exist.');
  expect(findProblem('vendor/bin/phpunit', { 'composer.json': '{}' })).toContain("run 'composer install'");
  expect(findProblem('CI=1 go test ./...', {})).toMatch(/^go is not installed/u);
  expect(findProblem('cd sub && export A=1', {})).toBeUndefined();
});
