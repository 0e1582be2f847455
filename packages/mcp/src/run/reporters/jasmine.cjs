// Jasmine takes further reporters from a helper, which it loads before the specs.
'use strict';
const { take, relative, versionOf, writeCtrf } = require('./report.cjs');

const STATUSES = { passed: 'passed', failed: 'failed', pending: 'skipped' };

take();
const begin = Date.now();
const tests = [];
/** Of the spec that runs, from the outside in. */
const suites = [];
let start = begin;

// In parallel a helper is loaded by every worker, which reports to one process and takes no reporters of its own.
try {
  jasmine.getEnv().addReporter({
    suiteStarted: ({ description }) => suites.push(description),
    suiteDone: (suite) => {
      suites.pop();
      // What failed around its specs.
      if (suite.failedExpectations.length > 0) add({ ...suite, description: '(suite)', status: 'failed' });
    },
    specStarted: () => {
      start = Date.now();
    },
    specDone: add,
    jasmineDone: (whole) => {
      if (whole.failedExpectations.length > 0) add({ ...whole, description: '(suite)', status: 'failed' });
      writeCtrf('jasmine', versionOf(process.argv[1]), begin, tests);
    },
  });
} catch {}

/** A spec that a filter leaves out has another status. */
function add({ description, status, failedExpectations, duration, filename }) {
  if (STATUSES[status] === undefined) return;
  const [first] = failedExpectations;
  tests.push({
    name: description,
    status: STATUSES[status],
    start,
    duration: duration ?? 0,
    suite: [...suites],
    filePath: relative(filename ?? first?.filename),
    message: first && failedExpectations.map(({ message }) => message).join('\n'),
    trace: first && failedExpectations.map(textOf).join('\n'),
  });
}

/** Its own frames say nothing, and some runtimes begin a stack with the message. */
function textOf({ message, stack }) {
  const frames = (stack || '').replaceAll(/^\s*at <Jasmine>\n?/gm, '');
  return frames.includes(message) ? frames : `${message}\n${frames}`;
}
