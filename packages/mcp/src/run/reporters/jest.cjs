// Jest's command line and all programs that run Jest themselves (react-scripts, Nx) call `runCLI` of @jest/core. This
// module reads the results of `runCLI`, so that reporters and processors of the project stay unchanged.
'use strict';
const { createRequire } = require('node:module');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');
const {
  claimReportFolder,
  createEmptyReport,
  noteFocusedTests,
  appendCauses,
  restoreFullPaths,
  findPackageVersion,
  writeReport,
} = require('./report.cjs');

/** The results processor for Jest before 24, which has no package @jest/core. */
module.exports = (results) => {
  writeJestReport(results, process.argv[1]);
  return results;
};
module.exports.report = writeJestReport;

/**
 * Wraps `runCLI` of the Jest that the program uses, and of the Jest that the project uses. Returns true if at least one
 * was found. `program` is the file that the process runs.
 */
module.exports.listen = (program) => {
  const froms = new Set([program, path.join(process.cwd(), 'package.json')]);
  const cores = [...froms].map((from) => resolveCore(createRequire(from))).filter((core) => core !== undefined);
  for (const core of cores) wrapRunCli(core);
  return cores.length > 0;
};

/** Finds @jest/core. A project may install only `jest` or `jest-cli`, which both depend on it. */
function resolveCore(require) {
  for (const name of ['@jest/core', 'jest', 'jest-cli']) {
    try {
      const resolved = require.resolve(name);
      return name === '@jest/core' ? resolved : createRequire(resolved).resolve('@jest/core');
    } catch {}
  }
  return undefined;
}

function wrapRunCli(file) {
  const core = require(file);
  if (core.runCLI.name === 'runAndReport') return;
  const { runCLI } = core;
  async function runAndReport(options, ...others) {
    claimReportFolder();
    if (![options.listTests, options.showConfig, options.clearCache].some(Boolean)) createEmptyReport('jest');
    const result = await runCLI(options, ...others);
    if (!options.listTests) writeJestReport(result.results, file);
    return result;
  }
  // Replaces the whole module, because its exports are read-only.
  require.cache[file].exports = Object.create(core, { runCLI: { value: runAndReport, enumerable: true } });
}

/**
 * Returns the message of a file that could not be loaded. Jest prints such errors in its own words, with paths relative
 * to its root, which may be the root of a package. An error that the file threw is formatted like an error of a test.
 */
function createMessage({ failureMessage, testExecError }) {
  if (!failureMessage || !testExecError?.stack) return failureMessage || '';
  if (isThrown(testExecError)) return appendCauses(testExecError.stack, testExecError);
  const frames = testExecError.stack.split('\\').join('/').split('\n');
  return restoreFullPaths(stripVTControlCharacters(failureMessage), (file, position) => {
    const place = `/${file.replace(/^(?:\.\.\/)+/, '')}${position}`;
    const frame = frames.find((line) => line.replace(/\)$/, '').endsWith(place));
    return frame?.replace(/^\s*at (?:[^(]*\()?/, '').replace(/:\d+:\d+\)?$/, '');
  });
}

/**
 * Returns true if the error was thrown, for example `TypeError: fetch failed`. If a file cannot be parsed, Jest writes
 * a stack that starts with advice.
 */
function isThrown({ message, stack }) {
  const type = /^[\w$.]+(?: \[\w+\])?: /.exec(stack)?.[0];
  return Boolean(message) && type !== undefined && stack.startsWith(message, type.length);
}

const isPending = ({ status }) => status === 'pending';

/** Writes a report in the format of `--json`, with the version of the Jest that contains `file`. */
function writeJestReport(results, file) {
  try {
    const testResults = results.testResults.map((suite) => ({
      name: suite.testFilePath,
      status: suite.testExecError || suite.numFailingTests > 0 ? 'failed' : 'passed',
      message: createMessage(suite),
      startTime: suite.perfStats?.start,
      endTime: suite.perfStats?.end,
      assertionResults: suite.testResults.map((test) => ({
        ancestorTitles: test.ancestorTitles,
        duration: test.duration,
        failureMessages: test.failureMessages.map((text, at) => appendCauses(text, test.failureDetails?.[at])),
        fullName: test.fullName,
        invocations: test.invocations,
        location: test.location,
        retryReasons: test.retryReasons,
        status: test.status,
        title: test.title,
      })),
    }));
    const suitesWithSkipped = results.testResults.filter(({ testResults }) => testResults.some(isPending));
    noteFocusedTests(
      'jest',
      suitesWithSkipped.map(({ testFilePath }) => testFilePath),
    );
    const { numFailedTests, numPassedTests, numPendingTests, numTodoTests, numTotalTests } = results;
    const { startTime, success, wasInterrupted = false } = results;
    writeReport('jest', {
      numFailedTests,
      numPassedTests,
      numPendingTests,
      numTodoTests,
      numTotalTests,
      startTime,
      success,
      // This field distinguishes the report from one of Vitest, whose errors include those of all attempts.
      wasInterrupted,
      runnerVersion: findPackageVersion(file),
      testResults,
    });
  } catch {}
}
