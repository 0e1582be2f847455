/**
 * Detects the command that runs the tests of a project from the files in its root. It does not run the command and does
 * not search subfolders.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasFile as has, projectFile } from '../../system/files/project-file.ts';
import { io } from '../../system/io.ts';
import type { Machine } from './test-command/machine.ts';
import { deno, node } from './test-command/node.ts';
import { python } from './test-command/python.ts';
import { bats, lua, php, ruby } from './test-command/scripting.ts';

export interface Detection {
  command: string;
  /** Other commands that fit the project. */
  others: string[];
}

/** Returns the command of the first ecosystem in the list that fits, or null. */
export function detectTestCommand(root: string, machine: Machine = thisMachine()): Detection | null {
  const found = [
    node(root),
    deno(root),
    rust(root, machine),
    python(root, machine),
    go(root),
    jvm(root, machine),
    ruby(root, machine),
    php(root, machine),
    lua(root),
    cmake(root),
    bats(root),
    task(root),
  ];
  const [command, ...others] = found.filter((one) => one !== undefined);
  return command === undefined ? null : { command, others };
}

/** Uses nextest only if the project has settings for it, because nextest runs no doctests. */
function rust(root: string, machine: Machine): string | undefined {
  if (!has(root, 'Cargo.toml')) return undefined;
  return has(root, '.config/nextest.toml') && machine.has('cargo-nextest')
    ? 'cargo nextest run --no-fail-fast'
    : 'cargo test --no-fail-fast';
}

function go(root: string): string | undefined {
  return has(root, 'go.mod') ? 'go test ./...' : undefined;
}

/** Continues after a module with failing tests, so that all failures are reported. */
function jvm(root: string, machine: Machine): string | undefined {
  const windows = machine.platform === 'win32';
  if (has(root, 'pom.xml')) return `${wrapper(root, windows, 'mvnw', 'mvnw.cmd') ?? 'mvn'} test --fail-at-end`;
  const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  if (!gradle.some((name) => has(root, name))) return undefined;
  return `${wrapper(root, windows, 'gradlew', 'gradlew.bat') ?? 'gradle'} test --continue`;
}

/** Builds first, in the folder that the manual of CMake uses. An existing build keeps its settings. */
function cmake(root: string): string | undefined {
  const hasTests = /^\s*(?:enable_testing|include)\s*\(\s*(?:CTest\b|\))/imu.test(
    projectFile(root, 'CMakeLists.txt') ?? '',
  );
  if (!hasTests) return undefined;
  const configured = has(root, 'build/CMakeCache.txt') ? '' : 'cmake -S . -B build && ';
  return `${configured}cmake --build build && ctest --test-dir build --output-on-failure`;
}

/** A target for tests, if the project has no other known command. */
function task(root: string): string | undefined {
  const first = (...names: string[]) => names.map((name) => projectFile(root, name)).find(Boolean) ?? '';
  if (/^test\s*::?(?!=)/mu.test(first('GNUmakefile', 'makefile', 'Makefile'))) return 'make test';
  return /^@?test(?!\s*:=)(?:\s.*)?:/mu.test(first('justfile', 'Justfile', '.justfile')) ? 'just test' : undefined;
}

function wrapper(root: string, windows: boolean, unixName: string, windowsName: string): string | undefined {
  if (windows) return has(root, windowsName) ? windowsName : undefined;
  return has(root, unixName) ? `./${unixName}` : undefined;
}

export function thisMachine(): Machine {
  return { platform: process.platform, has: onPath };
}

function onPath(program: string): boolean {
  const folders = (io().env.PATH ?? '').split(path.delimiter);
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
  return folders.some((folder) => folder !== '' && names.some((name) => existsSync(path.join(folder, name))));
}
