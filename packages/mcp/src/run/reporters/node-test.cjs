// node:test sends events to its reporters on a stream, in the process that prints. This module listens to that stream,
// so that the reporters and the output stay unchanged. Test files that `node --test` starts report to that process; a
// file that runs alone reports to its own process.
'use strict';
const path = require('node:path');
const { Readable } = require('node:stream');
const { inspect, stripVTControlCharacters } = require('node:util');
const { beginReport, createEmptyReport, formatCommand, writeNote, toProjectPath, writeCtrf } = require('./report.cjs');

const MAX_OUTPUT_CHARACTERS = 16_384;

/** The recording of the current run. */
let recording;
let start;
let tests = [];
/**
 * The most recently started test and its parents. `before` is the number of tests that were reported before the test
 * started.
 */
const openTests = [];
/** The stderr output of each file. Only this output contains the reason why a file could not be loaded. */
const outputByFile = new Map();
let hasRun = false;
let isListening = false;
/** True if a project installed this module. */
let isInstalled = false;
let isInterrupted = false;
/** True if tests of this process have started, and the result of the whole file or run is not reported yet. */
let isUnfinished = false;

/** Matches options that filter tests. With them, Node 22 reports a file as passed if no test of the file remains. */
const FILTER_OPTION = /(?:^| )--test-(?:(?:name|skip)-pattern|only)\b/;

function listen(forProject = false) {
  isInstalled ||= forProject;
  if (isListening) return;
  isListening = true;
  listenToEvents((type, data) => {
    trackEnd(type, data);
    readEvent(type, data);
  });
  process.once('exit', (code) => {
    // If a test ended the process with exit code 0, the empty report remains.
    if (!isUnfinished || code !== 0) endRun();
  });
}

/**
 * Listens in a test file that `node --test` started. If a test ends its process with `process.exit(0)`, Node counts the
 * file as passed, so an empty report is left for the file.
 */
function listenInFile() {
  listenToEvents(trackEnd);
  process.once('exit', (code) => {
    if (isUnfinished && code === 0) createEmptyReport('node:test');
  });
}

/**
 * Notes that all tests have ended. Node reports the plan without nesting after the last test. In watch mode, Node
 * reports no such plan.
 */
function trackEnd(type, data) {
  if (type === 'test:enqueue' || type === 'test:start') isUnfinished = true;
  else if (type === 'test:watch:drained' || (type === 'test:plan' && data.nesting === 0)) isUnfinished = false;
}

/** Calls `handleEvent` with each event of a stream of tests. */
function listenToEvents(handleEvent) {
  const { emit } = Readable.prototype;
  Readable.prototype.emit = function (type, data, ...rest) {
    if (typeof type === 'string' && type.startsWith('test:') && this.constructor.name === 'TestsStream') {
      try {
        handleEvent(type, data);
      } catch {}
    }
    return Reflect.apply(emit, this, [type, data, ...rest]);
  };
}

function interrupt() {
  isInterrupted = true;
}

/** Ends the current run. In watch mode, Node reports when all tests have ended, and later tests are a separate run. */
function endRun() {
  if (recording) {
    if (process.execArgv.includes('--test-only'))
      writeNote('node:test', '--test-only left out tests without the mark `only`.');
    writeCtrf('node:test', process.version, start, tests);
    const { execArgv, argv } = process;
    recording.end({
      command: formatCommand('node', [...execArgv, ...argv.slice(1)]),
      exitCode: tests.some(({ status }) => status === 'failed') ? 1 : 0,
      isOver: isInterrupted || tests.length === 0,
    });
  }
  [recording, hasRun, tests] = [undefined, false, []];
  outputByFile.clear();
}

function readEvent(type, data) {
  if (type === 'test:watch:drained') return endRun();
  if (!hasRun) {
    recording = beginReport('node:test', isInstalled);
    if (recording !== undefined) createEmptyReport('node:test');
    start = Date.now();
    // Node reports an interrupted run as failures and ends it itself. If Node has no handler, nothing is recorded.
    if (process.listenerCount('SIGINT') > 0) process.prependOnceListener('SIGINT', interrupt);
  }
  hasRun = true;
  if (recording === undefined) return;
  if (type === 'test:start')
    openTests.splice(data.nesting, openTests.length, { name: data.name, before: tests.length });
  else if (type === 'test:stderr') {
    const text = (outputByFile.get(getFile(data)) || '') + data.message;
    outputByFile.set(getFile(data), text.slice(-MAX_OUTPUT_CHARACTERS));
  } else if (type === 'test:pass' || type === 'test:fail') addTest(data, type === 'test:pass');
}

/** In some events, Node 22 names a file relative to the current folder. */
const getFile = ({ file }) => toProjectPath(file && path.resolve(file));

/**
 * Adds a test (with or without subtests), or a file without tests. A suite is left out, as in the counts of Node,
 * unless the suite failed and none of its tests reports the failure.
 */
function addTest(test, passed) {
  const { name, nesting, details = {} } = test;
  const filePath = getFile(test);
  const isFile = nesting === 0 && filePath !== undefined && getFile({ file: name }) === filePath;
  const isSuite = details.type === 'suite';
  if (passed ? isSuite || (isFile && isFiltered()) : (isSuite || isFile) && isReportedElsewhere(test)) return;
  const status = test.skip !== undefined || test.todo !== undefined ? 'skipped' : passed ? 'passed' : 'failed';
  const subtests = tests.slice(openTests[nesting]?.before ?? tests.length);
  const error =
    status === 'failed' ? createFailure(test, subtests, isFile ? outputByFile.get(filePath) : undefined) : {};
  if (isSuite && subtests.some(isCancelled)) return;
  const titles = openTests.slice(0, nesting).map((one) => one.name);
  tests.push({
    // Readers of JUnit and TAP use the same name for a file.
    name: isFile ? '(suite)' : name,
    status,
    rawStatus: details.error?.failureType,
    duration: details.duration_ms || 0,
    suite: titles.filter((title) => getFile({ file: title }) !== filePath),
    filePath,
    ...error,
  });
}

function isFiltered() {
  return FILTER_OPTION.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
}

/** Returns true if the test failed because of its subtests or its parent. */
function isReportedElsewhere({ details }) {
  return ['subtestsFailed', 'cancelledByParent'].includes(details.error?.failureType);
}

const isCancelled = ({ rawStatus }) => rawStatus === 'cancelledByParent';

/**
 * Returns the error of a failed test. A test that failed only because of its subtests gets the error of the first
 * failed subtest. Cancelled subtests get the error of their parent, so that they count as the same cause.
 */
function createFailure(test, subtests, output) {
  const first = subtests.find(({ status }) => status === 'failed');
  if (first && test.details.error.failureType === 'subtestsFailed')
    return { message: first.message, trace: first.trace };
  const error = createError(test, output);
  if (!isReportedElsewhere(test)) for (const subtest of subtests.filter(isCancelled)) Object.assign(subtest, error);
  return error;
}

/**
 * Returns the error that the test threw, which is the cause of the reported error. If no frame is in the test's file,
 * the location of the test is added.
 */
function createError({ details, file, line, column }, output) {
  const { cause = details.error } = details.error;
  const isError = cause instanceof Error;
  if (output && !isError) return { trace: stripVTControlCharacters(output).replace(/\n*Node\.js v\S+\s*$/, '') };
  // Node passes errors between processes, where an error loses its class but keeps its name.
  const text = isError ? inspect(cause).replace(/(\w+) \[Error\]/g, '$1') : String(cause);
  const place = file && line && !text.includes(path.basename(file)) ? `    at ${file}:${line}:${column}` : '';
  const trace = stripVTControlCharacters([text, output, place].filter(Boolean).join('\n'));
  return { message: isError ? cause.message : text, trace };
}

module.exports = { listen, listenInFile };
