// The command line of Jest and all programs that run Jest themselves (react-scripts, Nx) call the same function for a
// run. This module reads the results of that function, so that reporters and processors of the project stay unchanged.
'use strict';
const { createRequire } = require('node:module');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');
const { take, withCauses, withWholePaths, versionOf, write } = require('./report.cjs');

/** For a Jest before 24, which lacks that function, this is the results processor of the run. */
module.exports = (results) => {
  report(results, process.argv[1]);
  return results;
};
module.exports.report = report;

/**
 * Returns true if a Jest with such a function was found. `program` is the file that the process runs. A Jest of the
 * project has priority over a global Jest.
 */
module.exports.listen = (program) => {
  const froms = new Set([program, path.join(process.cwd(), 'package.json')]);
  const cores = [...froms].map((from) => coreOf(createRequire(from))).filter((core) => core !== undefined);
  for (const core of cores) listenTo(core);
  return cores.length > 0;
};

/** Both packages that a project may install depend on it. */
function coreOf(require) {
  for (const name of ['@jest/core', 'jest', 'jest-cli']) {
    try {
      const found = require.resolve(name);
      return name === '@jest/core' ? found : createRequire(found).resolve('@jest/core');
    } catch {}
  }
  return undefined;
}

function listenTo(file) {
  const core = require(file);
  if (core.runCLI.name === 'runAndReport') return;
  const { runCLI } = core;
  async function runAndReport(options, ...others) {
    take();
    const answer = await runCLI(options, ...others);
    if (!options.listTests) report(answer.results, file);
    return answer;
  }
  // The exports are read-only.
  require.cache[file].exports = Object.create(core, { runCLI: { value: runAndReport, enumerable: true } });
}

/**
 * The message of a file that could not be loaded. Jest prints such errors in its own words, with paths relative to its
 * root, which may be that of a package. An error that the file threw is formatted like an error of a test.
 */
function messageOf({ failureMessage, testExecError }) {
  if (!failureMessage || !testExecError?.stack) return failureMessage || '';
  if (isThrown(testExecError)) return withCauses(testExecError.stack, testExecError);
  const frames = testExecError.stack.split('\\').join('/').split('\n');
  return withWholePaths(stripVTControlCharacters(failureMessage), (file, at) => {
    const place = `/${file.replace(/^(?:\.\.\/)+/, '')}${at}`;
    const frame = frames.find((line) => line.replace(/\)$/, '').endsWith(place));
    return frame?.replace(/^\s*at (?:[^(]*\()?/, '').replace(/:\d+:\d+\)?$/, '');
  });
}

/**
 * Returns true if the error was thrown, for example `TypeError: fetch failed`. For a file that cannot be parsed, Jest
 * writes a stack that starts with advice.
 */
function isThrown({ message, stack }) {
  const type = /^[\w$.]+(?: \[\w+\])?: /.exec(stack)?.[0];
  return Boolean(message) && type !== undefined && stack.startsWith(message, type.length);
}

/** Writes a report in the format of `--json`, with the version of the Jest that contains `file`. */
function report(results, file) {
  try {
    const testResults = results.testResults.map((suite) => ({
      name: suite.testFilePath,
      status: suite.testExecError || suite.numFailingTests > 0 ? 'failed' : 'passed',
      message: messageOf(suite),
      startTime: suite.perfStats?.start,
      endTime: suite.perfStats?.end,
      assertionResults: suite.testResults.map((test) => ({
        ancestorTitles: test.ancestorTitles,
        duration: test.duration,
        failureMessages: test.failureMessages.map((text, at) => withCauses(text, test.failureDetails?.[at])),
        fullName: test.fullName,
        invocations: test.invocations,
        location: test.location,
        retryReasons: test.retryReasons,
        status: test.status,
        title: test.title,
      })),
    }));
    const { numFailedTests, numPassedTests, numPendingTests, numTodoTests, numTotalTests } = results;
    const { startTime, success, wasInterrupted = false } = results;
    write('jest', {
      numFailedTests,
      numPassedTests,
      numPendingTests,
      numTodoTests,
      numTotalTests,
      startTime,
      success,
      // This field distinguishes the report from a report of Vitest, whose errors include all attempts.
      wasInterrupted,
      runnerVersion: versionOf(file),
      testResults,
    });
  } catch {}
}
