// AVA has a single reporter, which prints. This module listens to the events for that reporter. It loads AVA's API
// before the program loads it, and so gets the same object.
'use strict';
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { stripVTControlCharacters } = require('node:util');
const { claimReportFolder, toProjectPath, findPackageVersion, writeCtrf } = require('./report.cjs');

/** Events outside of tests that make a run fail. */
const FATAL_EVENTS = new Set([
  'internal-error',
  'process-exit',
  'shared-worker-error',
  'uncaught-exception',
  'unhandled-rejection',
]);

/** Events that usually follow a fatal event of the same file. They are reported only if there was no fatal event. */
const FOLLOWING_EVENTS = new Set(['missing-ava-import', 'worker-failed']);

const DID_NOT_FINISH = 'Did not finish';

function createError(error) {
  if (!error) return {};
  const values = error.formattedDetails || error.values || [];
  const details = values.map(({ label, formatted }) => `${label}\n\n${formatted}`);
  const isNamed = error.name && error.name !== 'AssertionError';
  const description = error.message ? (isNamed ? `${error.name}: ` : '') + error.message : error.formattedError || '';
  const causes = parseThrownErrors(values);
  // AVA sets no error name for its own assertions. It describes them only with labels and values.
  const name = error.assertion && causes.length === 0 && !isNamed ? 'AssertionError: ' : '';
  const message = name + stripVTControlCharacters([...causes, description, ...details].filter(Boolean).join('\n\n'));
  return { message, trace: error.stack ? `${message}\n${getFrames(error.stack)}` : message };
}

/**
 * Returns the names and messages of thrown errors. AVA formats such an error as an object that contains the message.
 */
function parseThrownErrors(values) {
  return values.flatMap(({ formatted }) => {
    const text = stripVTControlCharacters(formatted || '');
    const name = /^(\w*Error) \{$/m.exec(text);
    const message = /^ {2}message: (['"`])(.*)\1,$/m.exec(text);
    if (!name || !message) return [];
    const [, quote, inside] = message;
    return [`${name[1]}: ${inside.replaceAll(`\\${quote}`, quote)}`];
  });
}

/** Returns the frames of a stack without the message. */
function getFrames(stack) {
  const lines = stack.split('\n');
  const first = lines.findIndex((line) => /^\s*at /.test(line));
  return (first < 0 ? lines : lines.slice(first)).join('\n');
}

function listen(program) {
  claimReportFolder();
  const start = Date.now();
  const tests = [];
  const statuses = [];
  const filesWithFatalEvent = new Set();
  let hasRun = false;
  const add = (event, status, more) =>
    tests.push({
      // A failure outside of a test belongs to the whole file.
      name: event.title || '(suite)',
      status,
      rawStatus: event.type,
      duration: event.duration || 0,
      filePath: toProjectPath(event.testFile),
      ...more,
    });
  const readEvent = (event) => {
    if (event.type === 'test-passed') add(event, 'passed');
    else if (event.type === 'test-failed' || event.type === 'hook-failed') add(event, 'failed', createError(event.err));
    else if (event.type === 'selected-test' && (event.skip || event.todo)) add(event, 'skipped');
    else if (event.type === 'timeout') addPending(event.pendingTests, 'Timed out while running tests');
    else if (
      FATAL_EVENTS.has(event.type) ||
      (FOLLOWING_EVENTS.has(event.type) && !filesWithFatalEvent.has(event.testFile))
    ) {
      filesWithFatalEvent.add(event.testFile);
      // Only `process-exit` has a stack.
      const message = event.type === 'process-exit' ? 'Unexpected process.exit()' : `AVA: ${event.type}`;
      add(event, 'failed', { message, trace: event.stack, ...createError(event.err) });
      addPending(event.pendingTests, DID_NOT_FINISH);
    }
  };
  const addPending = (pendingTests, message) => {
    for (const [testFile, titles] of pendingTests || []) {
      for (const title of titles) add({ title, testFile, type: 'pending' }, 'failed', { message });
    }
  };
  // The emitter passes the event itself, or an object that contains the event.
  const unpackEvent = (event, field) => (event && event[field] === undefined && event.data ? event.data : event);
  const attach = ({ status, failFastEnabled }) => {
    hasRun = true;
    // With --fail-fast, AVA skips the tests that have not started when a test fails.
    if (!failFastEnabled) statuses.push(status);
    status.on('stateChange', (change) => readEvent(unpackEvent(change, 'type')));
  };
  import(pathToFileURL(program).href).then(
    (loaded) => {
      const Api = loaded.default;
      const run = Api.prototype.run;
      Api.prototype.run = function (...args) {
        hasRun = true;
        this.on('run', (event) => attach(unpackEvent(event, 'status')));
        return run.apply(this, args);
      };
    },
    () => listenToEmitter(program, attach),
  );
  process.once('exit', () => {
    if (!hasRun) return;
    for (const { pendingTests } of statuses) addPending(pendingTests, DID_NOT_FINISH);
    writeCtrf('ava', findPackageVersion(program), start, tests);
  });
}

/** AVA 3 cannot be loaded before its program has set it up, but its event emitter can. */
function listenToEmitter(program, attach) {
  try {
    const Emittery = require(require.resolve('emittery', { paths: [path.dirname(program)] }));
    const { emit } = Emittery.prototype;
    Emittery.prototype.emit = function (name, ...data) {
      if (name === 'run' && data[0] && data[0].status) attach(data[0]);
      return Reflect.apply(emit, this, [name, ...data]);
    };
  } catch {}
}

module.exports = { listen };
