/**
 * Detects the command that runs the tests of a project from the files in its root. It does not run the command and does
 * not search subfolders.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { listFoldersUpToWorkTree } from '../../system/files/path-safety.ts';
import { findFilesByName, hasFile, readProjectFile } from '../../system/files/project-file.ts';
import { io } from '../../system/io.ts';
import { getField, hasComposerScript, readDenoTasks, readManifest, readPackageScripts } from './scripts.ts';
import { findWorkspaceRun } from './workspaces.ts';

interface DetectedCommand {
  command: string;
  /** Commands of other ecosystems that the project has. */
  others: string[];
}

/** Returns the command of the first ecosystem in the list that the project has, or null. */
export function detectTestCommand(
  root: string,
  machine: InstalledPrograms = getInstalledPrograms(),
): DetectedCommand | null {
  const commands = [
    detectNodeCommand(root),
    detectDenoCommand(root),
    detectRust(root, machine),
    detectPythonCommand(root, machine),
    detectGo(root),
    detectJvm(root, machine),
    detectRubyCommand(root, machine),
    detectPhpCommand(root, machine),
    detectLuaCommand(root),
    detectCmakeCommand(root),
    detectBatsCommand(root),
    detectTestTarget(root),
  ];
  const [command, ...otherCommands] = commands.filter((one) => one !== undefined);
  return command === undefined ? null : { command, others: otherCommands };
}

/** Uses nextest only if the project has settings for nextest. nextest runs no doctests, so cargo runs them first. */
function detectRust(root: string, machine: InstalledPrograms): string | undefined {
  const manifest = readProjectFile(root, 'Cargo.toml');
  if (manifest === undefined) return undefined;
  if (!hasFile(root, '.config/nextest.toml') || !machine.has('cargo-nextest')) return 'cargo test --no-fail-fast';
  // cargo refuses the option for libraries of other kinds, and `--doc` runs even examples that are switched off.
  const hasDoctests = hasFile(root, 'src/lib.rs') && !/^\s*(?:doctest|crate-type)\s*=/mu.test(manifest);
  return `${hasDoctests ? 'cargo test --doc && ' : ''}cargo nextest run --no-fail-fast`;
}

function detectGo(root: string): string | undefined {
  return hasFile(root, 'go.mod') ? 'go test ./...' : undefined;
}

/** The options make the build continue after a module with failing tests, so that all failures are reported. */
function detectJvm(root: string, machine: InstalledPrograms): string | undefined {
  const isWindows = machine.platform === 'win32';
  if (hasFile(root, 'pom.xml'))
    return `${findWrapper(root, isWindows, 'mvnw', 'mvnw.cmd') ?? 'mvn'} test --fail-at-end`;
  const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  if (!gradle.some((name) => hasFile(root, name))) return undefined;
  return `${findWrapper(root, isWindows, 'gradlew', 'gradlew.bat') ?? 'gradle'} test --continue`;
}

/** Builds first, in the folder that CMake's manual uses. An existing build keeps its settings. */
function detectCmakeCommand(root: string): string | undefined {
  const hasTests = /^\s*(?:enable_testing|include)\s*\(\s*(?:CTest\b|\))/imu.test(
    readProjectFile(root, 'CMakeLists.txt') ?? '',
  );
  if (!hasTests) return undefined;
  const configureCommand = hasFile(root, 'build/CMakeCache.txt') ? '' : 'cmake -S . -B build && ';
  return `${configureCommand}cmake --build build && ctest --test-dir build --output-on-failure`;
}

/** Returns the command of a target for tests in a Makefile or a justfile. */
function detectTestTarget(root: string): string | undefined {
  const readFirst = (...names: string[]) => names.map((name) => readProjectFile(root, name)).find(Boolean) ?? '';
  if (/^test\s*::?(?!=)/mu.test(readFirst('GNUmakefile', 'makefile', 'Makefile'))) return 'make test';
  return /^@?test(?!\s*:=)(?:\s.*)?:/mu.test(readFirst('justfile', 'Justfile', '.justfile')) ? 'just test' : undefined;
}

function findWrapper(root: string, isWindows: boolean, unixName: string, windowsName: string): string | undefined {
  if (isWindows) return hasFile(root, windowsName) ? windowsName : undefined;
  return hasFile(root, unixName) ? `./${unixName}` : undefined;
}

export function getInstalledPrograms(): InstalledPrograms {
  return { platform: process.platform, has: isOnPath };
}

function isOnPath(program: string): boolean {
  const folders = (io().env.PATH ?? '').split(path.delimiter);
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
  return folders.some((folder) => folder !== '' && names.some((name) => existsSync(path.join(folder, name))));
}

/** The machine on which a command is detected, as a value that tests can replace. */
export interface InstalledPrograms {
  platform: string;
  /** Returns true if a program is on the PATH. */
  has(program: string): boolean;
}

/** The test script that `npm init` writes. */
const PLACEHOLDER_SCRIPT = /no test specified/u;

/** Runners of projects without a test script. The most reliable sign comes first. */
const NODE_RUNNERS = [
  { dependency: 'vitest', command: 'npx vitest run' },
  { dependency: 'jest', command: 'npx jest' },
  { dependency: 'mocha', command: 'npx mocha' },
  { dependency: 'ava', command: 'npx ava' },
  { dependency: 'tap', command: 'npx tap' },
  { dependency: 'uvu', command: 'npx uvu' },
  { dependency: 'jasmine', command: 'npx jasmine' },
  { dependency: 'qunit', command: 'npx qunit' },
  { dependency: '@playwright/test', command: 'npx playwright test' },
];

/** Commands that test all packages of a workspace, for a workspace whose root has no tests. */
const WORKSPACE_COMMANDS: Readonly<Record<string, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
};

/** Returns the test command of a project for Node or Bun. */
export function detectNodeCommand(root: string): string | undefined {
  const manifest = readManifest(root);
  if (manifest === undefined) return undefined;
  const script = readPackageScripts(root).test;
  if (script && !PLACEHOLDER_SCRIPT.test(script)) return `${findPackageManager(root, manifest)} test`;
  const dependencies = new Set(
    ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(toObject(getField(manifest, kind)))),
  );
  const runnerCommand = NODE_RUNNERS.find((runner) => dependencies.has(runner.dependency))?.command;
  if (runnerCommand !== undefined) return runnerCommand;
  const workspaceCommand = WORKSPACE_COMMANDS[findPackageManager(root, manifest)];
  if (workspaceCommand !== undefined && findWorkspaceRun(workspaceCommand.split(' '), root) !== undefined)
    return workspaceCommand;
  if (findPackageManager(root, manifest) === 'bun run') return 'bun test';
  return usesNodeTest(root) ? 'node --test' : undefined;
}

export function detectDenoCommand(root: string): string | undefined {
  const tasks = readDenoTasks(root);
  if (tasks === undefined) return undefined;
  return tasks.test ? 'deno task test' : 'deno test';
}

/** Looks for imports in test files, because the runner of Node is not a dependency. */
function usesNodeTest(root: string): boolean {
  const files = [
    ...findFilesByName(root, ['test'], /\.[cm]?[jt]s$/u),
    ...findFilesByName(root, ['.', 'src', 'tests'], /(?:^test|[._-]test|^test-.+)\.[cm]?[jt]s$/u),
  ];
  return files.some((file) => /['"]node:test['"]/u.test(readProjectFile(root, file) ?? ''));
}

/** Returns the name of the package manager: `npm`, `pnpm`, `yarn` or `bun`. */
export function getPackageManagerName(root: string): string {
  return findPackageManager(root, readManifest(root)).split(' ', 1)[0] ?? 'npm';
}

/**
 * Returns the start of a command that runs a script. A package of a workspace uses the package manager of the
 * workspace.
 */
function findPackageManager(root: string, manifest: unknown): string {
  for (const folder of listFoldersUpToWorkTree(root)) {
    const manager = detectPackageManager(folder, folder === root ? manifest : readManifest(folder));
    if (manager !== undefined) return manager;
  }
  return 'npm';
}

function detectPackageManager(folder: string, manifest: unknown): string | undefined {
  const declared = getField(manifest, 'packageManager');
  const name = typeof declared === 'string' ? declared.split('@', 1)[0] : undefined;
  if (name === 'npm' || name === 'pnpm' || name === 'yarn') return name;
  if (name === 'bun') return 'bun run';
  if (hasFile(folder, 'pnpm-lock.yaml') || hasFile(folder, 'pnpm-workspace.yaml')) return 'pnpm';
  if (hasFile(folder, 'yarn.lock')) return 'yarn';
  // `bun test` would start Bun's own runner instead of the script.
  if (hasFile(folder, 'bun.lock') || hasFile(folder, 'bun.lockb')) return 'bun run';
  return hasFile(folder, 'package-lock.json') ? 'npm' : undefined;
}

function toObject(value: unknown): object {
  return value !== null && typeof value === 'object' ? value : {};
}

/** Folders that may contain tests, relative to the root of the project. */
const TEST_FOLDERS = ['.', 'tests', 'test'];

/** Detects the test command of Python projects. */
export function detectPythonCommand(root: string, machine: InstalledPrograms): string | undefined {
  if (mentionsPytest(root)) return createPytestCommand(root, machine);
  if (/\bdjango\b/u.test(readProjectFile(root, 'manage.py') ?? ''))
    return `${findInterpreter(root, machine)} manage.py test`;
  const files = findFilesByName(root, TEST_FOLDERS, /^test_.+\.py$|_test\.py$/u);
  const isUnittest = (file: string) => usesUnittest(readProjectFile(root, file) ?? '');
  if (files.some((file) => !isUnittest(file))) return createPytestCommand(root, machine);
  // The folder `src` is searched only for files that use unittest, because pytest searches all folders by itself.
  const commands = [...files, ...findFilesByName(root, [...TEST_FOLDERS, 'src'], /^test.*\.py$/u)].filter(isUnittest);
  const [first] = commands;
  return first === undefined
    ? undefined
    : `${findInterpreter(root, machine)} -m unittest${getDiscoverArguments(root, first)}`;
}

/** Returns the arguments that make unittest find tests outside a package, which it finds only from their own folder. */
function getDiscoverArguments(root: string, file: string): string {
  const folder = file.includes('/') ? file.split('/', 1)[0] : undefined;
  return folder === undefined || hasFile(root, `${folder}/__init__.py`) ? '' : ` discover -s ${folder}`;
}

function usesUnittest(text: string): boolean {
  return /^\s*(?:import|from) unittest\b/mu.test(text) && !/^\s*(?:import|from) pytest\b/mu.test(text);
}

function createPytestCommand(root: string, machine: InstalledPrograms): string {
  if (findVenvPython(root, machine) === undefined) {
    if (hasFile(root, 'uv.lock') && machine.has('uv')) return 'uv run pytest';
    if (hasFile(root, 'poetry.lock') && machine.has('poetry')) return 'poetry run pytest';
  }
  return `${findInterpreter(root, machine)} -m pytest`;
}

function findInterpreter(root: string, machine: InstalledPrograms): string {
  const ownInterpreter = findVenvPython(root, machine);
  if (ownInterpreter !== undefined) return ownInterpreter;
  return machine.has('python') || machine.platform === 'win32' ? 'python' : 'python3';
}

/** Returns the Python of the project's virtual environment. */
function findVenvPython(root: string, { platform }: InstalledPrograms): string | undefined {
  const programs = ['.venv', 'venv'].map((folder) =>
    platform === 'win32' ? `${folder}\\Scripts\\python.exe` : `${folder}/bin/python`,
  );
  return programs.find((program) => hasFile(root, program));
}

function mentionsPytest(root: string): boolean {
  if (hasFile(root, 'pytest.ini') || hasFile(root, 'conftest.py') || hasFile(root, 'tests/conftest.py')) return true;
  const mentions = [
    { file: 'pyproject.toml', pattern: /pytest/u },
    { file: 'setup.cfg', pattern: /^\[tool:pytest\]/mu },
    { file: 'tox.ini', pattern: /\bpytest\b/u },
    { file: 'requirements-dev.txt', pattern: /^pytest\b/mu },
  ];
  return mentions.some(({ file, pattern }) => pattern.test(readProjectFile(root, file) ?? ''));
}

/** Runs all tests in a single process, as rake does, for a project without a Rakefile. */
const ALL_MINITESTS_COMMAND = `ruby -Ilib -Itest -e "Dir['./test/**/{test_*,*_test}.rb'].sort.each { |file| require file }"`;

/** Returns the test command of a Ruby project. */
export function detectRubyCommand(root: string, machine: InstalledPrograms): string | undefined {
  const command = detectRubyRunner(root);
  if (command === undefined || command.startsWith('bin/')) return command;
  return hasFile(root, 'Gemfile') && machine.has('bundle') ? `bundle exec ${command}` : command;
}

function detectRubyRunner(root: string): string | undefined {
  if (
    hasFile(root, '.rspec') ||
    hasFile(root, 'spec/spec_helper.rb') ||
    findFilesByName(root, ['spec'], /_spec\.rb$/u).length > 0
  ) {
    return 'rspec';
  }
  const files = findFilesByName(root, ['test'], /\.rb$/u);
  if (files.length === 0) return undefined;
  if (hasFile(root, 'bin/rails')) return 'bin/rails test';
  if (/\bTestTask\b|\btask\b.*\btest\b/u.test(readProjectFile(root, 'Rakefile') ?? '')) return 'rake test';
  return files.some((file) => /\/test_[^/]+\.rb$|_test\.rb$/u.test(file)) ? ALL_MINITESTS_COMMAND : undefined;
}

export function detectPhpCommand(root: string, machine: InstalledPrograms): string | undefined {
  if (hasComposerScript(root, 'test') && machine.has('composer')) return 'composer test';
  const isConfigured = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].some((name) => hasFile(root, name));
  if (!isConfigured) return undefined;
  const program = hasFile(root, 'tests/Pest.php') ? 'pest' : 'phpunit';
  // Composer installs the program in this folder. With `php` before it, the file also runs on Windows.
  if (hasFile(root, `vendor/bin/${program}`)) return `php vendor/bin/${program}`;
  return program;
}

export function detectLuaCommand(root: string): string | undefined {
  return hasFile(root, '.busted') || findFilesByName(root, ['spec'], /_spec\.lua$/u).length > 0 ? 'busted' : undefined;
}

export function detectBatsCommand(root: string): string | undefined {
  const [file] = findFilesByName(root, ['test', 'tests', '.'], /\.bats$/u);
  return file === undefined ? undefined : `bats ${file.includes('/') ? file.split('/', 1)[0] : '.'}`;
}
