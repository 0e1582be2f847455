// Loaded into every Node process of a run by NODE_OPTIONS. If the program is a test runner, it gets an additional
// reporter, even if scripts, workspaces or task runners start it. This file has a permanent path, because daemons that
// outlive a run keep its environment. Outside of a run and in workers, it does nothing.
'use strict';
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const CARRIED = /--conditions=argus-report:(\S+) ?/;
/** Matches `import './api.js'` and `require('./api')`. */
const LOADED = /\b(?:from|import|require\()\s*['"](\.\.?\/[^'"]+)['"]/g;
const MAX_LOADED = 32;
/** A program that loads such a module runs tests itself. A program that only mentions the module may start it. */
const NODE_TEST = loads('node:test');
const MOCHA = loads('mocha');
const JEST = loads('jest(?:-cli)?|@jest/core');
/** The wrapper of nyc before 15 (spawn-wrap), which later becomes the program that follows on the command line. */
const WRAPPER = /[\\/]\.node-spawn-wrap-[^\\/]+[\\/]node$/;
const carried = CARRIED.exec(process.env.NODE_OPTIONS);
if (carried) arrive(carried[1]);

const { ARGUS_REPORT_DIR: folder } = process.env;
if (isMainThread && folder && existsSync(folder)) addReporter(programName());

function programName() {
  const [, first, second] = process.argv;
  try {
    return realpathSync(WRAPPER.test(first) ? second : first)
      .split(path.sep)
      .join('/');
  } catch {
    return '';
  }
}

function addReporter(program) {
  if (/\/vitest\/(?:vitest\.mjs|dist\/cli(?:-wrapper)?\.js)$/.test(program)) {
    if (['bench', 'init', 'list'].includes(process.argv[2])) return;
    // The wrapper may restart the command line with options of Node. The process that runs the tests loads the
    // reporter.
    addArgument(`--reporter=${path.join(__dirname, 'vitest.mjs')}`);
  } else if (/\/nx\/bin\/run-executor\.js$/.test(program)) {
    require('./jest.cjs').listen(program);
  } else if (/\/jest(?:-cli)?\/bin\/jest\.js$/.test(program)) {
    if (require('./jest.cjs').listen(program)) return;
    addArgument(`--testResultsProcessor=${path.join(__dirname, 'jest.cjs')}`);
    keepForThisProcess();
  } else if (/\/mocha\/bin\/_?mocha(?:\.js)?$/.test(program)) {
    // Mocha may restart itself with options of Node. The process that runs the tests loads the hook.
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
    carry();
  } else if (!process.env.NODE_TEST_CONTEXT) {
    listenIn(program);
  }
}

/**
 * turbo passes on NODE_OPTIONS and little else of the environment, so a condition that no package uses carries the
 * rest.
 */
function carry() {
  const { ARGUS_REPORT_DIR, ARGUS_REPORT_ROOT, NODE_OPTIONS } = process.env;
  const parts = encodeURIComponent(JSON.stringify({ ARGUS_REPORT_DIR, ARGUS_REPORT_ROOT }));
  process.env.NODE_OPTIONS = `--conditions=argus-report:${parts} ${NODE_OPTIONS}`;
}

function arrive(parts) {
  process.env.NODE_OPTIONS = process.env.NODE_OPTIONS.replace(CARRIED, '');
  Object.assign(process.env, JSON.parse(decodeURIComponent(parts)));
}

/**
 * Listens in `node --test` and in programs whose source loads a test runner. Other programs are not affected, so
 * their stacks contain no frames of this hook.
 */
function listenIn(program) {
  const isRunner = process.execArgv.includes('--test');
  const source = isRunner ? '' : sourcesOf(program);
  const names = (runner) => runner.test(source);
  if (isRunner) keepForThisProcess();
  if (isRunner || names(NODE_TEST)) require('./node-test.cjs').listen();
  if (names(MOCHA)) require('./mocha.cjs');
  if (names(JEST)) require('./jest.cjs').listen(program);
  if (!isRunner && ![NODE_TEST, MOCHA, JEST].some(names)) require('./kept-variables.cjs').followChildren();
}

function loads(names) {
  return new RegExp(`\\b(?:from|import\\s*\\(?|require\\()\\s*['"](?:${names})['"]`);
}

/** The source of the program and of the files beside it that it loads, because a program may only load its tests. */
function sourcesOf(program) {
  const source = sourceOf(program);
  const loaded = [...source.matchAll(LOADED)].slice(0, MAX_LOADED).map(([, file]) => path.join(program, '..', file));
  return [source, ...loaded.map((file) => sourceOf(file) || sourceOf(`${file}.js`))].join('\n');
}

function sourceOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Arguments after `--` belong to the tests. */
function addArgument(argument) {
  if (process.argv.includes(argument)) return;
  const dashes = process.argv.indexOf('--');
  process.argv.splice(dashes < 0 ? process.argv.length : dashes, 0, argument);
}

/** A runner that a test starts is not part of this run. */
function keepForThisProcess() {
  require('./report.cjs').take();
}
