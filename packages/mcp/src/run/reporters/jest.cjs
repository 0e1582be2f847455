// Jest's command line, and every program that runs Jest itself (react-scripts, Nx), call one function for a run; this
// takes the results that it answers, so that reporters and processors of the project stay what they are.
'use strict';
const { createRequire } = require('node:module');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');
const { take, withCauses, withWholePaths, versionOf, write } = require('./report.cjs');

/** Of a Jest before 24, which has no such function, it is the processor that a run may name. */
module.exports = (results) => {
  report(results, process.argv[1]);
  return results;
};
module.exports.report = report;

/**
 * Whether there is such a function to listen to. `program` is the file that the process runs; a Jest of the project
 * stands in for one that is installed globally.
 */
module.exports.listen = (program) => {
  const froms = new Set([program, path.join(process.cwd(), 'package.json')]);
  const cores = [...froms].map((from) => coreOf(createRequire(from))).filter((core) => core !== undefined);
  for (const core of cores) listenTo(core);
  return cores.length > 0;
};

/** It is a dependency of both packages that a project may name. */
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
  // Its exports cannot be written.
  require.cache[file].exports = Object.create(core, { runCLI: { value: runAndReport, enumerable: true } });
}

/**
 * Of a file that it cannot load, Jest prints the error in its own words, and shortens the places to those of its own root,
 * which may be that of a package. What the file threw is told as if a test had thrown it.
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

/** `TypeError: fetch failed`; of what it cannot parse, Jest writes a stack that begins with advice. */
function isThrown({ message, stack }) {
  const type = /^[\w$.]+(?: \[\w+\])?: /.exec(stack)?.[0];
  return Boolean(message) && type !== undefined && stack.startsWith(message, type.length);
}

/** In the shape of `--json`, with the version of the Jest that this file is of. */
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
      // By which it is known not to be Vitest's, whose errors are of all attempts.
      wasInterrupted,
      runnerVersion: versionOf(file),
      testResults,
    });
  } catch {}
}
