// NODE_OPTIONS loads this file into every Node process of a run. If the program is a test runner, it gets an additional
// reporter, even if scripts, workspaces or task runners start it. The path of this file must not change, because
// daemons that outlive a run keep its environment. Outside of a run and in workers, the file does nothing.
'use strict';
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const CARRIED_VARIABLES = /--conditions=argus-report:(\S+) ?/;
/** Matches a local file that a source loads, as in `import './api.js'` and `require('./api')`. */
const LOADED_FILE = /\b(?:from|import|require\()\s*['"](\.\.?\/[^'"]+)['"]/g;
const MAX_LOADED_FILES = 32;
/**
 * Match a source that loads a test runner as a module. Such a program runs tests itself. A program that only mentions
 * the runner may start it as a command.
 */
const LOADS_NODE_TEST = createLoadPattern('node:test');
const LOADS_MOCHA = createLoadPattern('mocha');
const LOADS_JEST = createLoadPattern('jest(?:-cli)?|@jest/core');
/**
 * Matches the wrapper of nyc before 15 (spawn-wrap). The wrapper later becomes the program that follows on the command
 * line.
 */
const NYC_WRAPPER = /[\\/]\.node-spawn-wrap-[^\\/]+[\\/]node$/;
const carriedVariables = CARRIED_VARIABLES.exec(process.env.NODE_OPTIONS);
if (carriedVariables) restoreVariables(carriedVariables[1]);

const { ARGUS_REPORT_DIR: folder } = process.env;
if (isMainThread && folder && existsSync(folder)) addReporter(getProgramPath());
if (isMainThread && process.env.ARGUS_TEST_FILES && process.env.NODE_TEST_CONTEXT) listenInTestFile();

function getProgramPath() {
  const [, first, second] = process.argv;
  try {
    return realpathSync(NYC_WRAPPER.test(first) ? second : first)
      .split(path.sep)
      .join('/');
  } catch {
    return '';
  }
}

function addReporter(program) {
  if (/\/vitest\/(?:vitest\.mjs|dist\/cli(?:-wrapper)?\.js)$/.test(program)) {
    if (['bench', 'init', 'list'].includes(process.argv[2])) return;
    // The wrapper may restart the command line with options of Node. In that case, the restarted process loads the
    // reporter.
    addArgument(`--reporter=${path.join(__dirname, 'vitest.mjs')}`);
  } else if (/\/nx\/bin\/run-executor\.js$/.test(program)) {
    require('./jest.cjs').listen(program);
  } else if (/\/jest(?:-cli)?\/bin\/jest\.js$/.test(program)) {
    if (require('./jest.cjs').listen(program)) return;
    addArgument(`--testResultsProcessor=${path.join(__dirname, 'jest.cjs')}`);
    claimForThisProcess();
  } else if (/\/mocha\/bin\/_?mocha(?:\.js)?$/.test(program)) {
    // Mocha may restart itself with options of Node. In that case, the restarted process loads the hook.
    addArgument(`--require=${path.join(__dirname, 'mocha.cjs')}`);
  } else if (/\/ava\/(?:entrypoints\/)?cli\.m?js$/.test(program)) {
    require('./ava.cjs').listen(program.replace(/\/(?:entrypoints\/)?cli\.m?js$/, '/lib/api.js'));
  } else if (/\/jasmine\/bin\/jasmine\.js$/.test(program)) {
    if (process.argv.some((word) => word.startsWith('--parallel='))) {
      require('./jasmine.cjs').listenInParallel(path.join(program, '../../lib/parallel_runner.js'));
    } else addArgument(`--helper=${path.join(__dirname, 'jasmine.cjs')}`);
  } else if (/\/qunit\/bin\/qunit\.js$/.test(program)) {
    addArgument(`--require=${path.join(__dirname, 'qunit.cjs')}`);
  } else if (/\/@web\/test-runner\/dist\/bin\.js$/.test(program)) {
    require('./web-test-runner.cjs').listen(program);
  } else if (/\/uvu\/bin\.js$/.test(program)) {
    require('./uvu.cjs');
  } else if (/\/turbo\/bin\/turbo$/.test(program)) {
    encodeVariables();
  } else if (!process.env.NODE_TEST_CONTEXT) {
    listenInProgram(program);
  }
}

/** Listens only in the test files of a run, not in test files that a test starts. */
function listenInTestFile() {
  process.env.ARGUS_REPORT_DIR = process.env.ARGUS_TEST_FILES;
  delete process.env.ARGUS_TEST_FILES;
  claimForThisProcess();
  require('./node-test.cjs').listenInFile();
}

/**
 * Turbo passes NODE_OPTIONS to its tasks, but removes most other variables. Therefore the variables of the run are
 * encoded in a condition that no package uses.
 */
function encodeVariables() {
  const { ARGUS_REPORT_DIR, ARGUS_REPORT_ROOT, NODE_OPTIONS } = process.env;
  const parts = encodeURIComponent(JSON.stringify({ ARGUS_REPORT_DIR, ARGUS_REPORT_ROOT }));
  process.env.NODE_OPTIONS = `--conditions=argus-report:${parts} ${NODE_OPTIONS}`;
}

function restoreVariables(parts) {
  process.env.NODE_OPTIONS = process.env.NODE_OPTIONS.replace(CARRIED_VARIABLES, '');
  Object.assign(process.env, JSON.parse(decodeURIComponent(parts)));
}

/**
 * Listens in `node --test` and in programs whose source loads a test runner. Other programs are not changed, so their
 * stacks contain no frames of this hook.
 */
function listenInProgram(program) {
  const isRunner = process.execArgv.includes('--test');
  const source = isRunner ? '' : readSources(program);
  const isLoaded = (runner) => runner.test(source);
  if (isRunner) {
    process.env.ARGUS_TEST_FILES = process.env.ARGUS_REPORT_DIR;
    claimForThisProcess();
  }
  if (isRunner || isLoaded(LOADS_NODE_TEST)) require('./node-test.cjs').listen();
  if (isLoaded(LOADS_MOCHA)) require('./mocha.cjs');
  if (isLoaded(LOADS_JEST)) require('./jest.cjs').listen(program);
  if (!isRunner && ![LOADS_NODE_TEST, LOADS_MOCHA, LOADS_JEST].some(isLoaded))
    require('./kept-variables.cjs').keepAdditionsInChildProcesses();
}

function createLoadPattern(names) {
  return new RegExp(`\\b(?:from|import\\s*\\(?|require\\()\\s*['"](?:${names})['"]`);
}

/**
 * Returns the source of the program and of the local files that it loads, because the runner may be loaded only in the
 * test files.
 */
function readSources(program) {
  const source = readSource(program);
  const loaded = [...source.matchAll(LOADED_FILE)]
    .slice(0, MAX_LOADED_FILES)
    .map(([, file]) => path.join(program, '..', file));
  return [source, ...loaded.map((file) => readSource(file) || readSource(`${file}.js`))].join('\n');
}

function readSource(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Inserts the argument before `--`, because later arguments belong to the tests. */
function addArgument(argument) {
  if (process.argv.includes(argument)) return;
  const dashes = process.argv.indexOf('--');
  process.argv.splice(dashes < 0 ? process.argv.length : dashes, 0, argument);
}

/** Claims the report folder, because a runner that a test starts is not part of this run. */
function claimForThisProcess() {
  require('./report.cjs').claimReportFolder();
}
