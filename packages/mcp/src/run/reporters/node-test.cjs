// node:test tells its reporters what happens on a stream, in the process that prints; this listens to that stream, so that
// the reporters, and with them what is printed, stay those of the command. Test files that `node --test` starts tell that
// process; a file that is run alone tells its own.
'use strict';
const path = require('node:path');
const { Readable } = require('node:stream');
const { inspect, stripVTControlCharacters } = require('node:util');
const { begin, typed, relative, writeCtrf } = require('./report.cjs');

const MAX_OUTPUT_CHARACTERS = 16_384;

/** Of a run that goes on. */
let recording;
let start;
let tests = [];
/** The test that was started last, behind those that it is in; of each, how many tests had been told of before it. */
const open = [];
/** What each file printed on stderr: the only place that tells why it could not be loaded. */
const printed = new Map();
let hasRun = false;
/** Whether it does, and for a project that has asked for it. */
let isListening = false;
let isInstalled = false;
let isInterrupted = false;

/** Where tests are left out, a file that has none left is passed to Node 22. */
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

/** Watching, Node says when all is quiet, and what runs then is a run of its own. */
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
    // Of a run that is broken off Node tells as of failures, and ends it itself; where it does not, nothing is told.
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

/** Node 22 names a file in some events from the folder on that it runs in. */
const fileOf = ({ file }) => relative(file && path.resolve(file));

/** Node counts tests that have subtests, and files that have no test; it counts no suites. */
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
    // As readers of JUnit and TAP name it.
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

/** It failed for what is in it, or for what it is in. */
function isToldByOthers({ details }) {
  return ['subtestsFailed', 'cancelledByParent'].includes(details.error?.failureType);
}

const isCancelled = ({ rawStatus }) => rawStatus === 'cancelledByParent';

/**
 * A test that failed for its subtests alone is told with the error of the first of them, and subtests that did not run
 * with that of the test or suite they are in: each has none of its own, and is no cause of its own.
 */
function failureOf(test, subtests, output) {
  const first = subtests.find(({ status }) => status === 'failed');
  if (first && test.details.error.failureType === 'subtestsFailed')
    return { message: first.message, trace: first.trace };
  const error = errorOf(test, output);
  if (!isToldByOthers(test)) for (const subtest of subtests.filter(isCancelled)) Object.assign(subtest, error);
  return error;
}

/** What a test threw is the cause of the error that stands for its failure; where no frame is of its file, its own place is. */
function errorOf({ details, file, line, column }, output) {
  const { cause = details.error } = details.error;
  const isError = cause instanceof Error;
  if (output && !isError) return { trace: stripVTControlCharacters(output).replace(/\n*Node\.js v\S+\s*$/, '') };
  // Between processes the class of an error is lost, not its name.
  const told = isError ? inspect(cause).replace(/(\w+) \[Error\]/g, '$1') : String(cause);
  const place = file && line && !told.includes(path.basename(file)) ? `    at ${file}:${line}:${column}` : '';
  const trace = stripVTControlCharacters([told, output, place].filter(Boolean).join('\n'));
  return { message: isError ? cause.message : told, trace };
}

module.exports = { listen };
