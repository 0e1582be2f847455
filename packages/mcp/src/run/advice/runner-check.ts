/**
 * Checks whether a test command can run: its program and script exist, and its report can be read with this version of
 * the runner. Only `versionProblem` starts a program to read its version.
 */

import path from 'node:path';
import { ask } from '../../system/ask.ts';
import { hasFile, installedManifest } from '../../system/files/project-file.ts';
import { foldersUpwards } from '../../system/files/work-tree-top.ts';
import { commandWords, recognisedRunner, scriptWords } from '../planning/plan.ts';
import { field, parsed } from '../planning/scripts.ts';
import type { Machine } from '../planning/test-command/machine.ts';
import { watchAdvice } from '../planning/watch-mode.ts';
import { installCommand, isInstalled, isListed } from './install.ts';
import { noProgram, noScript } from './missing.ts';

/** Runners that a package of the project installs, with the oldest version that supports the reporter. */
const PACKAGES: Readonly<Record<string, { name: string; oldest?: string }>> = {
  vitest: { name: 'vitest', oldest: '1.0' },
  jest: { name: 'jest' },
  mocha: { name: 'mocha' },
  playwright: { name: '@playwright/test' },
  ava: { name: 'ava' },
  uvu: { name: 'uvu' },
  'web-test-runner': { name: '@web/test-runner' },
  jasmine: { name: 'jasmine' },
  // Older versions have no option to load a module.
  qunit: { name: 'qunit', oldest: '2.7' },
  tap: { name: 'tap' },
};

/** Programs of the machine, with the oldest version that has an option for a report. */
const PROGRAMS: Readonly<Record<string, { program: string; oldest: string }>> = {
  ctest: { program: 'ctest', oldest: '3.21' },
  'go test': { program: 'go', oldest: '1.10' },
};

/** Builtins of the shell. */
const BUILTINS = new Set('. : cd command echo eval exec exit export false set source test true umask unset'.split(' '));

/** A sentence about the problem. Undefined if none is known. */
export function commandProblem(command: string, root: string, machine: Machine): string | undefined {
  const words = commandWords(command);
  const [program = ''] = words;
  if (program === '' || BUILTINS.has(program)) return undefined;
  if (/[\\/]/u.test(program)) return fileProblem(program, root);
  if (!machine.has(program) && !isOfPackages(program, root)) return noProgram(program, root);
  const advice = watchAdvice(scriptWords(command, root));
  if (advice !== undefined) return `it watches for changes and would not end. ${advice}.`;
  return scriptProblem(words, root) ?? packageProblem(command, root);
}

/** Starts only programs of the machine, never programs of the project. */
export async function versionProblem(command: string, root: string): Promise<string | undefined> {
  const runner = recognisedRunner(command, root) ?? '';
  const known = PROGRAMS[runner];
  if (known === undefined) return undefined;
  const { stdout } = await ask(known.program, known.program === 'go' ? ['version'] : ['--version'], { cwd: root });
  const version = /\d+\.\d+(?:\.\d+)*/u.exec(stdout)?.[0];
  return version === undefined ? undefined : tooOld(known.program, version, known.oldest);
}

function fileProblem(file: string, root: string): string | undefined {
  if (path.isAbsolute(file) ? hasFile('/', file) : hasFile(root, file)) return undefined;
  const name = file.split(/[\\/]/u).at(-1) ?? file;
  const install = installCommand(name, root);
  return `${file} does not exist${install ? `: run '${install}'` : ''}.`;
}

function isOfPackages(program: string, root: string): boolean {
  return foldersUpwards(root).some((folder) => hasFile(folder, `node_modules/.bin/${program}`));
}

function scriptProblem(words: readonly string[], root: string): string | undefined {
  const [manager = '', first, second] = words;
  const isNamed = first === 'run' || first === 'run-script';
  const name = isNamed ? second : first === 'test' ? first : undefined;
  const hasScripts = manager === 'npm' || manager === 'yarn' || manager === 'pnpm' || (manager === 'bun' && isNamed);
  if (!hasScripts || name === undefined || name.startsWith('-')) return undefined;
  return noScript(name, root);
}

function packageProblem(command: string, root: string): string | undefined {
  const known = PACKAGES[recognisedRunner(command, root) ?? ''];
  if (known === undefined || path.isAbsolute(scriptWords(command, root)[0] ?? '')) return undefined;
  const manifest = foldersUpwards(root)
    .map((folder) => installedManifest(folder, known.name))
    .find((text) => text !== undefined);
  if (manifest === undefined) {
    const isLacking = isListed(known.name, root) && !isInstalled(known.name, root);
    return isLacking ? noProgram(known.name, root) : undefined;
  }
  const version = field(parsed(manifest), 'version');
  return typeof version === 'string' && known.oldest !== undefined
    ? tooOld(known.name, version, known.oldest)
    : undefined;
}

function tooOld(name: string, version: string, oldest: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? `${name} is ${version}; its report can be read from ${oldest} on.` : undefined;
}
