/**
 * Checks whether a test command can run: its program and its script exist, and this version of the runner writes a
 * report that Argus can read. Only `findVersionProblem` starts a program, to read its version.
 */

import path from 'node:path';
import { listFoldersUpToWorkTree } from '../../system/files/path-safety.ts';
import { hasFile, readInstalledManifest } from '../../system/files/project-file.ts';
import { runProgram } from '../../system/programs.ts';
import { parseCommandWords, parseScriptWords, recognizeRunnerName } from '../planning/plan.ts';
import { getField, tryParseJson } from '../planning/scripts.ts';
import type { InstalledPrograms } from '../planning/test-command.ts';
import { getWatchAdvice } from '../planning/watch-mode.ts';
import {
  describeMissingProgram,
  describeMissingScript,
  getInstallCommand,
  isListedDependency,
  isPackageInstalled,
} from './missing-dependencies.ts';

/** Runners that a package of the project installs, with the oldest version that supports the reporter. */
const RUNNER_PACKAGES: Readonly<Record<string, { name: string; oldest?: string }>> = {
  vitest: { name: 'vitest', oldest: '1.0' },
  jest: { name: 'jest' },
  mocha: { name: 'mocha' },
  playwright: { name: '@playwright/test' },
  ava: { name: 'ava' },
  uvu: { name: 'uvu' },
  'web-test-runner': { name: '@web/test-runner' },
  jasmine: { name: 'jasmine' },
  // Older versions have no option that loads a module.
  qunit: { name: 'qunit', oldest: '2.7' },
  tap: { name: 'tap' },
};

/** Runners that are installed on the machine, with the oldest version that has an option for a report. */
const RUNNER_PROGRAMS: Readonly<Record<string, { program: string; oldest: string }>> = {
  ctest: { program: 'ctest', oldest: '3.21' },
  'go test': { program: 'go', oldest: '1.10' },
};

const SHELL_BUILTINS = new Set(
  '. : cd command echo eval exec exit export false set source test true umask unset'.split(' '),
);

/** Returns a sentence about the first problem of the command, or undefined if no problem is found. */
export function findCommandProblem(command: string, root: string, machine: InstalledPrograms): string | undefined {
  const words = parseCommandWords(command);
  const [program = ''] = words;
  if (program === '' || SHELL_BUILTINS.has(program)) return undefined;
  if (/[\\/]/u.test(program)) return findFileProblem(program, root);
  if (!machine.has(program) && !isPackageProgram(program, root)) return describeMissingProgram(program, root);
  const advice = getWatchAdvice(parseScriptWords(command, root));
  if (advice !== undefined) return `it watches for changes and never ends. ${advice}.`;
  return findScriptProblem(words, root) ?? findPackageProblem(command, root);
}

/** Returns a sentence if the runner is too old. Starts only programs of the machine, never programs of the project. */
export async function findVersionProblem(command: string, root: string): Promise<string | undefined> {
  const runner = recognizeRunnerName(command, root) ?? '';
  const runnerProgram = RUNNER_PROGRAMS[runner];
  if (runnerProgram === undefined) return undefined;
  const { stdout } = await runProgram(
    runnerProgram.program,
    runnerProgram.program === 'go' ? ['version'] : ['--version'],
    {
      cwd: root,
    },
  );
  const version = /\d+\.\d+(?:\.\d+)*/u.exec(stdout)?.[0];
  return version === undefined ? undefined : describeOldVersion(runnerProgram.program, version, runnerProgram.oldest);
}

function findFileProblem(file: string, root: string): string | undefined {
  if (path.isAbsolute(file) ? hasFile('/', file) : hasFile(root, file)) return undefined;
  const name = file.split(/[\\/]/u).at(-1) ?? file;
  const install = getInstallCommand(name, root);
  return `${file} does not exist${install ? `: run '${install}'` : ''}.`;
}

function isPackageProgram(program: string, root: string): boolean {
  return listFoldersUpToWorkTree(root).some((folder) => hasFile(folder, `node_modules/.bin/${program}`));
}

function findScriptProblem(words: readonly string[], root: string): string | undefined {
  const [manager = '', first, second] = words;
  const hasRunWord = first === 'run' || first === 'run-script';
  const name = hasRunWord ? second : first === 'test' ? first : undefined;
  const hasScripts = manager === 'npm' || manager === 'yarn' || manager === 'pnpm' || (manager === 'bun' && hasRunWord);
  if (!hasScripts || name === undefined || name.startsWith('-')) return undefined;
  return describeMissingScript(name, root);
}

function findPackageProblem(command: string, root: string): string | undefined {
  const runnerPackage = RUNNER_PACKAGES[recognizeRunnerName(command, root) ?? ''];
  if (runnerPackage === undefined || path.isAbsolute(parseScriptWords(command, root)[0] ?? '')) return undefined;
  const manifest = listFoldersUpToWorkTree(root)
    .map((folder) => readInstalledManifest(folder, runnerPackage.name))
    .find((text) => text !== undefined);
  if (manifest === undefined) {
    const isMissing = isListedDependency(runnerPackage.name, root) && !isPackageInstalled(runnerPackage.name, root);
    return isMissing ? describeMissingProgram(runnerPackage.name, root) : undefined;
  }
  const version = getField(tryParseJson(manifest), 'version');
  return typeof version === 'string' && runnerPackage.oldest !== undefined
    ? describeOldVersion(runnerPackage.name, version, runnerPackage.oldest)
    : undefined;
}

function describeOldVersion(name: string, version: string, oldest: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? `${name} is ${version}, but Argus needs ${oldest} or newer to read its report.` : undefined;
}
