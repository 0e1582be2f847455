// Jasmine accepts additional reporters from a helper, which it loads before the specs. In parallel mode, workers load
// the helpers but accept no reporters, so the main process adds the reporter before it starts.
'use strict';
const { claimReportFolder, toProjectPath, findPackageVersion, writeCtrf } = require('./report.cjs');

const STATUSES = { passed: 'passed', failed: 'failed', pending: 'skipped' };

claimReportFolder();
const begin = Date.now();
const tests = [];
/** The open suites of the running specs by worker, with the outermost suite first. */
const openSuites = new Map();

const reporter = {
  reporterCapabilities: { parallel: true },
  suiteStarted: (suite) => getOpenSuites(suite).push(suite.description),
  suiteDone: (suite) => {
    // Add failures outside of specs.
    if (suite.failedExpectations.length > 0) add({ ...suite, description: '(suite)', status: 'failed' });
    getOpenSuites(suite).pop();
  },
  specDone: add,
  jasmineDone: (whole) => {
    if (whole.failedExpectations.length > 0) add({ ...whole, description: '(suite)', status: 'failed' });
    writeCtrf('jasmine', findPackageVersion(process.argv[1]), begin, tests);
  },
};

// Ignore errors, because workers of the parallel mode accept no reporter.
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

/** Returns the open suites of the worker. Ids from a worker start with the number of the worker. */
function getOpenSuites({ id }) {
  const worker = /^\d+-/.exec(id)?.[0];
  if (!openSuites.has(worker)) openSuites.set(worker, []);
  return openSuites.get(worker);
}

/** Leaves out specs that a filter excluded, which have another status. */
function add({ id, description, status, failedExpectations, duration, filename }) {
  if (STATUSES[status] === undefined) return;
  const [first] = failedExpectations;
  tests.push({
    name: description,
    status: STATUSES[status],
    duration: duration ?? 0,
    suite: [...getOpenSuites({ id })],
    filePath: toProjectPath(filename ?? first?.filename),
    message: first && failedExpectations.map(({ message }) => message).join('\n'),
    trace: first && failedExpectations.map(formatFailure).join('\n'),
  });
}

/** Removes frames of Jasmine. In some runtimes, a stack starts with the message. */
function formatFailure({ message, stack }) {
  const frames = (stack || '').replaceAll(/^\s*at <Jasmine>\n?/gm, '');
  return frames.includes(message) ? frames : `${message}\n${frames}`;
}

module.exports = { listenInParallel };
