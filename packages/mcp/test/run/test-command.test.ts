import path from 'node:path';
import { expect, test } from 'vitest';
import { detectTestCommand } from '../../src/run/planning/test-command.ts';
import { chooseTestCommand } from '../../src/run/run-tests.ts';
import { createFolder, runGit } from '../project.ts';

test('refuses a command that records a run itself', () => {
  expect(() => chooseTestCommand('/srv/shop', {}, 'argus run --at HEAD~3')).toThrow('Start it in a shell');
});

function detect(files: Record<string, string>, programs: string[] = [], platform = 'linux') {
  return detectTestCommand(createFolder(files), { platform, has: (program) => programs.includes(program) });
}

const manifest = (content: object) => ({ 'package.json': JSON.stringify(content) });
const scripts = { scripts: { test: 'vitest run' } };

test.each([
  ['npm', manifest(scripts), [], 'npm test'],
  ['pnpm by lock file', { ...manifest(scripts), 'pnpm-lock.yaml': '' }, [], 'pnpm test'],
  ['yarn by declaration', manifest({ ...scripts, packageManager: 'yarn@4.0.0' }), [], 'yarn test'],
  ['bun', { ...manifest(scripts), 'bun.lock': '' }, [], 'bun run test'],
  ['a runner but no script', manifest({ devDependencies: { jest: '^30' } }), [], 'npx jest'],
  ['nextest', { 'Cargo.toml': '', '.config/nextest.toml': '' }, ['cargo-nextest'], 'cargo nextest run --no-fail-fast'],
  [
    'nextest of a library',
    { 'Cargo.toml': '', '.config/nextest.toml': '', 'src/lib.rs': '' },
    ['cargo-nextest'],
    'cargo test --doc && cargo nextest run --no-fail-fast',
  ],
  [
    'nextest of a library without doctests',
    { 'Cargo.toml': '[lib]\ndoctest = false\n', '.config/nextest.toml': '', 'src/lib.rs': '' },
    ['cargo-nextest'],
    'cargo nextest run --no-fail-fast',
  ],
  [
    'nextest on the machine but no settings for nextest',
    { 'Cargo.toml': '' },
    ['cargo-nextest'],
    'cargo test --no-fail-fast',
  ],
  ['cargo', { 'Cargo.toml': '' }, [], 'cargo test --no-fail-fast'],
  ['pytest by config', { 'pyproject.toml': '[tool.pytest.ini_options]' }, ['python'], 'python -m pytest'],
  ['pytest by files', { 'tests/test_a.py': '' }, [], 'python3 -m pytest'],
  ['pytest in a venv', { 'test_a.py': '', '.venv/bin/python': '' }, [], '.venv/bin/python -m pytest'],
  ['uv', { 'conftest.py': '', 'uv.lock': '' }, ['uv'], 'uv run pytest'],
  ['go', { 'go.mod': '' }, [], 'go test ./...'],
  ['bun without a script', { 'package.json': '{}', 'bun.lock': '' }, [], 'bun test'],
  ['deno', { 'deno.json': '{}' }, [], 'deno test'],
  [
    'deno with a task',
    { 'deno.jsonc': '{ // notes\n "tasks": { "test": { "command": "deno test -A" }, } }' },
    [],
    'deno task test',
  ],
  ['maven', { 'pom.xml': '' }, [], 'mvn test --fail-at-end'],
  ['maven wrapper', { 'pom.xml': '', mvnw: '' }, [], './mvnw test --fail-at-end'],
  ['Django', { 'manage.py': 'import django' }, [], 'python3 manage.py test'],
  ['unittest', { 'tests/test_a.py': 'import unittest' }, [], 'python3 -m unittest discover -s tests'],
  [
    'unittest of a package',
    { 'tests/test_a.py': 'import unittest', 'tests/__init__.py': '' },
    [],
    'python3 -m unittest',
  ],
  ['unittest in src', { 'src/test_a.py': 'from unittest import main' }, [], 'python3 -m unittest discover -s src'],
  [
    'unittest, run by pytest',
    { 'test_a.py': 'import unittest', 'tox.ini': 'commands = pytest' },
    [],
    'python3 -m pytest',
  ],
  ['unittest and pytest', { 'test_a.py': 'import unittest', 'test_b.py': 'import pytest' }, [], 'python3 -m pytest'],
  ['rspec', { 'spec/a_spec.rb': '' }, ['bundle'], 'rspec'],
  ['rspec in a bundle', { '.rspec': '', Gemfile: '' }, ['bundle'], 'bundle exec rspec'],
  ['rake', { 'test/a_test.rb': '', Rakefile: 'Rake::TestTask.new' }, [], 'rake test'],
  ['rake and test files with other names', { 'test/spec_a.rb': '', Rakefile: 'Rake::TestTask.new' }, [], 'rake test'],
  ['rails', { 'test/test_helper.rb': '', 'bin/rails': '', Gemfile: '' }, ['bundle'], 'bin/rails test'],
  [
    'minitest without rake',
    { 'test/test_a.rb': '' },
    [],
    `ruby -Ilib -Itest -e "Dir['./test/**/{test_*,*_test}.rb'].sort.each { |file| require file }"`,
  ],
  ['composer', { 'composer.json': '{ "scripts": { "test": ["phpcs", "phpunit"] } }' }, ['composer'], 'composer test'],
  ['phpunit', { 'phpunit.xml.dist': '', 'vendor/bin/phpunit': '' }, [], 'php vendor/bin/phpunit'],
  ['pest', { 'phpunit.xml': '', 'tests/Pest.php': '', 'vendor/bin/pest': '' }, [], 'php vendor/bin/pest'],
  [
    'ctest',
    { 'CMakeLists.txt': 'project(a)\nenable_testing()\n' },
    [],
    'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
  ],
  [
    'ctest of a build that is configured',
    { 'CMakeLists.txt': 'include(CTest)\n', 'build/CMakeCache.txt': '' },
    [],
    'cmake --build build && ctest --test-dir build --output-on-failure',
  ],
  [
    'a workspace of npm',
    { ...manifest({ workspaces: ['packages/*'] }), 'packages/a/package.json': JSON.stringify(scripts) },
    [],
    'npm test --workspaces --if-present',
  ],
  [
    'a workspace of pnpm',
    {
      ...manifest({}),
      'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
      'packages/a/package.json': JSON.stringify(scripts),
    },
    [],
    'pnpm -r test',
  ],
  [
    'a workspace without tests',
    { ...manifest({ workspaces: ['packages/*'] }), 'packages/a/package.json': '{}' },
    [],
    undefined,
  ],
  ['busted', { 'spec/a_spec.lua': '' }, [], 'busted'],
  ['busted with settings', { '.busted': '' }, [], 'busted'],
  ['bats', { 'tests/a.bats': '' }, [], 'bats tests'],
  ['make', { Makefile: 'test = 1\nall:\n\ttrue\n\ntest: all\n\t./check\n' }, [], 'make test'],
  ['make and another ecosystem', { Makefile: 'test: all\n', 'go.mod': '' }, [], 'go test ./...'],
  ['just', { justfile: "test := 'a'\n\n@test name='': build\n  ./check {{name}}\n" }, [], 'just test'],
  ['ava', manifest({ devDependencies: { ava: '^7' } }), [], 'npx ava'],
  ['tap', manifest({ devDependencies: { tap: '^21' } }), [], 'npx tap'],
  ['uvu', manifest({ devDependencies: { uvu: '^0.5' } }), [], 'npx uvu'],
  ['node:test', { ...manifest({}), 'test/a.js': "import test from 'node:test';" }, [], 'node --test'],
  ['gradle', { 'build.gradle.kts': '', gradlew: '' }, [], './gradlew test --continue'],
])('detects the command of a project with %s', (_name, files, programs, command) => {
  expect(detect(files, programs)?.command).toBe(command);
});

test('uses the package manager of the workspace, but not that of another repository', () => {
  const root = createFolder({ 'packages/a/package.json': JSON.stringify(scripts), 'pnpm-lock.yaml': '' });
  const inner = path.join(root, 'packages/a');
  const machine = { platform: 'linux', has: () => false };
  expect(detectTestCommand(inner, machine)?.command).toBe('npm test');
  runGit(root, 'init', '-q');
  expect(detectTestCommand(inner, machine)?.command).toBe('pnpm test');
  runGit(inner, 'init', '-q');
  expect(detectTestCommand(inner, machine)?.command).toBe('npm test');
});

test('ignores the test script that npm init writes', () => {
  expect(detect(manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }))).toBeNull();
});

test('returns null for a project without known files', () => {
  expect(detect({ 'README.md': '' })).toBeNull();
  expect(detect({ 'package.json': 'not json' })).toBeNull();
});

test('lists commands of other ecosystems of the project', () => {
  expect(detect({ ...manifest(scripts), 'go.mod': '' })?.others).toEqual(['go test ./...']);
});

test('detects commands on Windows', () => {
  const files = { 'test_a.py': '', '.venv\\Scripts\\python.exe': '' };
  expect(detect(files, [], 'win32')?.command).toBe('.venv\\Scripts\\python.exe -m pytest');
  expect(detect({ 'pom.xml': '', 'mvnw.cmd': '' }, [], 'win32')?.command).toBe('mvnw.cmd test --fail-at-end');
});
