/**
 * Finds the command that runs a project's tests, from the files that lie in it.
 * Does not: run it, or look into subfolders.
 */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from './project-file.ts';
import { denoTasks, field, packageScripts, readManifest } from './scripts.ts';

/** What `npm init` writes. */
const PLACEHOLDER = /no test specified/u;

/** Runners of node projects that have no test script, surest first. */
const NODE_RUNNERS = [
  { dependency: 'vitest', command: 'npx vitest run' },
  { dependency: 'jest', command: 'npx jest' },
  { dependency: 'mocha', command: 'npx mocha' },
  { dependency: '@playwright/test', command: 'npx playwright test' },
];

export interface Detection {
  command: string;
  /** Other commands that fit the project too. */
  others: string[];
}

/** What is on the machine, as values. */
export interface Machine {
  platform: string;
  /** Whether a program is on the PATH. */
  has(program: string): boolean;
}

/** The first ecosystem in the order below has it; null when there is none. */
export function detectTestCommand(root: string, machine: Machine = thisMachine()): Detection | null {
  const found = [node(root), deno(root), rust(root, machine), python(root, machine), go(root), jvm(root, machine)];
  const [command, ...others] = found.filter((one) => one !== undefined);
  return command === undefined ? null : { command, others };
}

function node(root: string): string | undefined {
  const manifest = readManifest(root);
  if (manifest === undefined) return undefined;
  const script = packageScripts(root).test;
  if (script && !PLACEHOLDER.test(script)) return `${packageManager(root, manifest)} test`;
  const dependencies = new Set(
    ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(object(field(manifest, kind)))),
  );
  const known = NODE_RUNNERS.find((runner) => dependencies.has(runner.dependency))?.command;
  return known ?? (packageManager(root, manifest) === 'bun run' ? 'bun test' : undefined);
}

function deno(root: string): string | undefined {
  const tasks = denoTasks(root);
  if (tasks === undefined) return undefined;
  return tasks.test ? 'deno task test' : 'deno test';
}

function packageManager(root: string, manifest: unknown): string {
  const declared = field(manifest, 'packageManager');
  const name = typeof declared === 'string' ? declared.split('@', 1)[0] : undefined;
  if (name === 'pnpm' || name === 'yarn') return name;
  if (name === 'bun') return 'bun run';
  if (has(root, 'pnpm-lock.yaml')) return 'pnpm';
  if (has(root, 'yarn.lock')) return 'yarn';
  // `bun test` would be bun's own runner, not the script.
  if (has(root, 'bun.lock') || has(root, 'bun.lockb')) return 'bun run';
  return 'npm';
}

function rust(root: string, machine: Machine): string | undefined {
  if (!has(root, 'Cargo.toml')) return undefined;
  return machine.has('cargo-nextest') ? 'cargo nextest run --no-fail-fast' : 'cargo test --no-fail-fast';
}

function python(root: string, machine: Machine): string | undefined {
  if (!usesPytest(root)) return undefined;
  const windows = machine.platform === 'win32';
  for (const folder of ['.venv', 'venv']) {
    const interpreter = windows ? `${folder}\\Scripts\\python.exe` : `${folder}/bin/python`;
    if (has(root, interpreter)) return `${interpreter} -m pytest`;
  }
  if (has(root, 'uv.lock') && machine.has('uv')) return 'uv run pytest';
  if (has(root, 'poetry.lock') && machine.has('poetry')) return 'poetry run pytest';
  return machine.has('python') || windows ? 'python -m pytest' : 'python3 -m pytest';
}

function usesPytest(root: string): boolean {
  if (has(root, 'pytest.ini') || has(root, 'conftest.py')) return true;
  const mentions = [
    { file: 'pyproject.toml', pattern: /pytest/u },
    { file: 'setup.cfg', pattern: /^\[tool:pytest\]/mu },
    { file: 'tox.ini', pattern: /^\[pytest\]/mu },
  ];
  if (mentions.some(({ file, pattern }) => pattern.test(projectFile(root, file) ?? ''))) return true;
  return [root, path.join(root, 'tests'), path.join(root, 'test')].some((folder) =>
    filesIn(folder).some((name) => /^test_.+\.py$|_test\.py$/u.test(name)),
  );
}

function go(root: string): string | undefined {
  return has(root, 'go.mod') ? 'go test ./...' : undefined;
}

/** With the option to go on after a module whose tests fail: all failures are wanted. */
function jvm(root: string, machine: Machine): string | undefined {
  const windows = machine.platform === 'win32';
  if (has(root, 'pom.xml')) return `${wrapper(root, windows, 'mvnw', 'mvnw.cmd') ?? 'mvn'} test --fail-at-end`;
  const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  if (!gradle.some((name) => has(root, name))) return undefined;
  return `${wrapper(root, windows, 'gradlew', 'gradlew.bat') ?? 'gradle'} test --continue`;
}

function wrapper(root: string, windows: boolean, unixName: string, windowsName: string): string | undefined {
  if (windows) return has(root, windowsName) ? windowsName : undefined;
  return has(root, unixName) ? `./${unixName}` : undefined;
}

function has(root: string, name: string): boolean {
  return existsSync(path.join(root, name));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function object(value: unknown): object {
  return value !== null && typeof value === 'object' ? value : {};
}

function thisMachine(): Machine {
  return { platform: process.platform, has: onPath };
}

function onPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
  return folders.some((folder) => folder !== '' && names.some((name) => existsSync(path.join(folder, name))));
}
