// node:test sends events to its reporters on a stream, in the process that prints. This module listens to that stream,
// so that the reporters and the output stay unchanged. Test files that `node --test` starts report to that process; a
// file that runs alone reports to its own process.
'use strict';
const path = require('node:path');
const { Readable } = require('node:stream');
const { inspect, stripVTControlCharacters } = require('node:util');
const { begin, typed, relative, writeCtrf } = require('./report.cjs');

const MAX_OUTPUT_CHARACTERS = 16_384;

/** The current run. */
let recording;
let start;
let tests = [];
/** The last started test and its parents. `before` is the number of tests that were reported before each. */
const open = [];
/** Output of each file on stderr, because only it contains the reason why a file could not be loaded. */
const printed = new Map();
let hasRun = false;
let isListening = false;
/** True if a project installed this module. */
let isInstalled = false;
let isInterrupted = false;

/** Options that filter tests. With them, Node 22 reports a file without remaining tests as passed. */
const FILTER = /(?:^| )--test-(?:(?:name|skip)-pattern|only)\b/;

function listen(forProject = false) {
  isInstalled ||= forProject;
  if (isListening) return;
  isListening = true;
  const { emit } = Readable.prototype;
  Readable.prototype.emit = function (type, data, ...rest) {
    if (typeof type === 'string' && type.startsWith('test:') && this.constructor.name === 'TestsStream') {
      try {
        read(type, data);
      } catch {}
    }
    return Reflect.apply(emit, this, [type, data, ...rest]);
  };
  process.once('exit', end);
}

function interrupt() {
  isInterrupted = true;
}

/** Ends the current run. In watch mode, Node reports when all tests are done, and later tests are a separate run. */
function end() {
  if (recording) {
    writeCtrf('node-test', process.version, start, tests, 'node:test');
    const { execArgv, argv } = process;
    recording.end({
      command: typed('node', [...execArgv, ...argv.slice(1)]),
      exitCode: tests.some(({ status }) => status === 'failed') ? 1 : 0,
      isOver: isInterrupted || tests.length === 0,
    });
  }
  [recording, hasRun, tests] = [undefined, false, []];
  printed.clear();
}

function read(type, data) {
  if (type === 'test:watch:drained') return end();
  if (!hasRun) {
    recording = begin('node:test', isInstalled);
    start = Date.now();
    // Node reports an interrupted run as failures and ends it itself. Without its handler, nothing is recorded.
    if (process.listenerCount('SIGINT') > 0) process.prependOnceListener('SIGINT', interrupt);
  }
  hasRun = true;
  if (recording === undefined) return;
  if (type === 'test:start') open.splice(data.nesting, open.length, { name: data.name, before: tests.length });
  else if (type === 'test:stderr') {
    const text = (printed.get(fileOf(data)) || '') + data.message;
    printed.set(fileOf(data), text.slice(-MAX_OUTPUT_CHARACTERS));
  } else if (type === 'test:pass' || type === 'test:fail') add(data, type === 'test:pass');
}

/** In some events, Node 22 names a file relative to the current folder. */
const fileOf = ({ file }) => relative(file && path.resolve(file));

/** Like Node, counts tests with subtests and files without tests, but not suites. */
function add(test, passed) {
  const { name, nesting, details = {} } = test;
  const filePath = fileOf(test);
  const isFile = nesting === 0 && filePath !== undefined && fileOf({ file: name }) === filePath;
  const isSuite = details.type === 'suite';
  if (passed ? isSuite || (isFile && isFiltered()) : (isSuite || isFile) && isToldByOthers(test)) return;
  const status = test.skip !== undefined || test.todo !== undefined ? 'skipped' : passed ? 'passed' : 'failed';
  const subtests = tests.slice(open[nesting]?.before ?? tests.length);
  const error = status === 'failed' ? failureOf(test, subtests, isFile ? printed.get(filePath) : undefined) : {};
  if (isSuite && subtests.some(isCancelled)) return;
  const titles = open.slice(0, nesting).map((one) => one.name);
  tests.push({
    // The name that readers of JUnit and TAP use.
    name: isFile ? '(suite)' : name,
    status,
    rawStatus: details.error?.failureType,
    duration: details.duration_ms || 0,
    suite: titles.filter((title) => fileOf({ file: title }) !== filePath),
    filePath,
    ...error,
  });
}

function isFiltered() {
  return FILTER.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
}

/** The test failed because of its subtests or because of its parent. */
function isToldByOthers({ details }) {
  return ['subtestsFailed', 'cancelledByParent'].includes(details.error?.failureType);
}

const isCancelled = ({ rawStatus }) => rawStatus === 'cancelledByParent';

/**
 * The error of a failed test. A test that failed only because of its subtests gets the error of the first of them.
 * Subtests that were cancelled get the error of their parent, so they count as the same cause.
 */
function failureOf(test, subtests, output) {
  const first = subtests.find(({ status }) => status === 'failed');
  if (first && test.details.error.failureType === 'subtestsFailed')
    return { message: first.message, trace: first.trace };
  const error = errorOf(test, output);
  if (!isToldByOthers(test)) for (const subtest of subtests.filter(isCancelled)) Object.assign(subtest, error);
  return error;
}

/**
 * The thrown error is the cause of the reported error. If no frame is in the test's file, the location of the test is
 * added.
 */
function errorOf({ details, file, line, column }, output) {
  const { cause = details.error } = details.error;
  const isError = cause instanceof Error;
  if (output && !isError) return { trace: stripVTControlCharacters(output).replace(/\n*Node\.js v\S+\s*$/, '') };
  // Between processes, an error loses its class but keeps its name.
  const told = isError ? inspect(cause).replace(/(\w+) \[Error\]/g, '$1') : String(cause);
  const place = file && line && !told.includes(path.basename(file)) ? `    at ${file}:${line}:${column}` : '';
  const trace = stripVTControlCharacters([told, output, place].filter(Boolean).join('\n'));
  return { message: isError ? cause.message : told, trace };
}

module.exports = { listen };
