// Decides which test files have to run again. A test file depends on the modules that it loaded in its last run, which
// tests/loaded-modules.ts records, and on files that its folder reads or starts. A test file that passed and has not
// changed since is skipped.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { root } from './exec.mjs';
import { hashOf } from './step-cache.mjs';

const ENGINE_INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates', 'npm/engine'];
const PROGRAM_INPUTS = ['packages/mcp/src', 'packages/mcp/build.mjs', 'packages/viewer', ...ENGINE_INPUTS];
const COMMON_INPUTS = ['package-lock.json', 'tests/vitest.config.ts', 'tests/temporary.ts', 'tests/loaded-modules.ts'];

/** Paths that the tests of a folder read without importing them. The first entry whose folder matches is used. */
const READ_PATHS = [
  ['tests/packaging/', ['.']],
  ['tests/e2e/viewer/', ['packages/viewer', ...ENGINE_INPUTS]],
  ['packages/viewer/', ['packages/viewer']],
  ['npm/engine/', ['tests/vectors', 'tests/fixtures', ...ENGINE_INPUTS]],
  ['', ['tests/vectors', 'tests/fixtures', 'packages/mcp/src/run/reporters', 'packages/mcp/argus.schema.json']],
];

/** Names that a test uses to start the built program. */
const STARTS_PROGRAM = /\b(?:PROGRAM_PATH|HOOK_PATH|argusProcess|connectProcess|startProgram)\b/;
const DEFINING_FILES = ['tests/e2e/argus.ts', 'tests/e2e/clients.ts', 'tests/e2e/harness.ts'];
const BUILT_ENGINE = 'npm/engine/dist/';

const RECORDS_FILE = join(root, 'target', 'stamps', 'passed-test-files.json');
/**
 * Number of passes to keep per file, so that nothing runs again after an edit is reverted or the branch is switched.
 */
const MAX_KEPT_PASSES = 3;

/** Returns the test files of a suite, selected as in vitest.config.ts. */
export function listTestFiles(suite) {
  const patterns =
    suite === 'full'
      ? ['tests/**/*.full.test.ts']
      : ['{npm,packages}/*/{src,test}/**/*.test.ts', 'tests/*/**/*.test.ts', '!**/*.full.test.ts'];
  return globSync([...patterns, '!**/node_modules/**', '!tests/demo/project/**'], { cwd: root }).sort();
}

/** Returns the files that passed with their current inputs, each with its number of tests. */
export function findUnchangedFiles(files) {
  const records = readRecords();
  const passOf = (file) => records[file]?.find(({ hash, modules }) => hash === hashTestInputs(file, modules));
  return new Map(files.map((file) => [file, passOf(file)?.counts]).filter(([, counts]) => counts !== undefined));
}

/** Records files that passed, as `{ file, modules, counts }`. Modules are paths relative to the project. */
export function recordPasses(passed) {
  const records = readRecords();
  for (const { file, modules, counts } of passed) {
    const pass = { modules, counts, hash: hashTestInputs(file, modules) };
    const before = (records[file] ?? []).filter(({ hash }) => hash !== pass.hash);
    records[file] = [pass, ...before].slice(0, MAX_KEPT_PASSES);
  }
  mkdirSync(dirname(RECORDS_FILE), { recursive: true });
  writeFileSync(RECORDS_FILE, JSON.stringify(records));
}

function readRecords() {
  try {
    return JSON.parse(readFileSync(RECORDS_FILE, 'utf8'));
  } catch {
    return {};
  }
}

function hashTestInputs(file, modules) {
  const own = modules.filter((module) => !module.startsWith(BUILT_ENGINE) && !module.includes('node_modules/'));
  const [, read] = READ_PATHS.find(([prefix]) => file.startsWith(prefix));
  const inputs = new Set([file, ...own, ...COMMON_INPUTS, ...read, ...listFixtures(file)]);
  if (own.length < modules.length) for (const input of ENGINE_INPUTS) inputs.add(input);
  if (own.some(startsProgram)) for (const input of PROGRAM_INPUTS) inputs.add(input);
  return hashOf([...inputs].sort(), process.versions.node, process.platform);
}

function startsProgram(module) {
  return (
    module.startsWith('tests/') &&
    !DEFINING_FILES.includes(module) &&
    STARTS_PROGRAM.test(readFileSync(join(root, module), 'utf8'))
  );
}

/**
 * Returns the files in a test's own folder that are not modules: projects, expected answers, and scripts that the test
 * starts.
 */
function listFixtures(file) {
  const folder = file.slice(0, file.lastIndexOf('/'));
  return globSync([`${folder}/**`, '!**/*.ts', '!**/node_modules/**', '!**/.venv/**'], { cwd: root });
}
