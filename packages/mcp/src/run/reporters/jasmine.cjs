// Jasmine accepts additional reporters from a helper that it loads before the specs. In parallel mode, workers load the
// helpers but accept no reporters, so the main process adds the reporter before it starts.
'use strict';
const { take, relative, versionOf, writeCtrf } = require('./report.cjs');

const STATUSES = { passed: 'passed', failed: 'failed', pending: 'skipped' };

take();
const begin = Date.now();
const tests = [];
/** The open suites of running specs by worker, outermost suite first. */
const open = new Map();

const reporter = {
  reporterCapabilities: { parallel: true },
  suiteStarted: (suite) => suitesAround(suite).push(suite.description),
  suiteDone: (suite) => {
    // Failures outside of specs.
    if (suite.failedExpectations.length > 0) add({ ...suite, description: '(suite)', status: 'failed' });
    suitesAround(suite).pop();
  },
  specDone: add,
  jasmineDone: (whole) => {
    if (whole.failedExpectations.length > 0) add({ ...whole, description: '(suite)', status: 'failed' });
    writeCtrf('jasmine', versionOf(process.argv[1]), begin, tests);
  },
};

// This may be a worker of a program that runs Jasmine in parallel itself.
try {
  globalThis.jasmine?.getEnv().addReporter(reporter);
} catch {}

function listenInParallel(runnerFile) {
  const { prototype } = require(runnerFile);
  const { execute } = prototype;
  prototype.execute = function (...args) {
    this.addReporter(reporter);
    return execute.apply(this, args);
  };
}

/** Ids from a worker start with its number. */
function suitesAround({ id }) {
  const worker = /^\d+-/.exec(id)?.[0];
  if (!open.has(worker)) open.set(worker, []);
  return open.get(worker);
}

/** A spec that a filter excludes has another status. */
function add({ id, description, status, failedExpectations, duration, filename }) {
  if (STATUSES[status] === undefined) return;
  const [first] = failedExpectations;
  tests.push({
    name: description,
    status: STATUSES[status],
    duration: duration ?? 0,
    suite: [...suitesAround({ id })],
    filePath: relative(filename ?? first?.filename),
    message: first && failedExpectations.map(({ message }) => message).join('\n'),
    trace: first && failedExpectations.map(textOf).join('\n'),
  });
}

/** Frames of Jasmine are removed. Some runtimes start a stack with the message. */
function textOf({ message, stack }) {
  const frames = (stack || '').replaceAll(/^\s*at <Jasmine>\n?/gm, '');
  return frames.includes(message) ? frames : `${message}\n${frames}`;
}

module.exports = { listenInParallel };
