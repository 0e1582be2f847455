// Jest hands its results to a processor after all reporters; this writes them in the shape of `--json`.
'use strict';
const { write } = require('./report.cjs');

module.exports = (results) => {
  try {
    const testResults = results.testResults.map((file) => ({
      name: file.testFilePath,
      status: file.testExecError || file.numFailingTests > 0 ? 'failed' : 'passed',
      message: file.failureMessage || '',
      startTime: file.perfStats?.start,
      endTime: file.perfStats?.end,
      assertionResults: file.testResults.map((test) => ({
        ancestorTitles: test.ancestorTitles,
        duration: test.duration,
        failureMessages: test.failureMessages,
        fullName: test.fullName,
        invocations: test.invocations,
        location: test.location,
        retryReasons: test.retryReasons,
        status: test.status,
        title: test.title,
      })),
    }));
    const { numFailedTests, numPassedTests, numPendingTests, numTodoTests, numTotalTests, startTime, success } =
      results;
    const summary = {
      numFailedTests,
      numPassedTests,
      numPendingTests,
      numTodoTests,
      numTotalTests,
      startTime,
      success,
    };
    write('jest', { ...summary, testResults });
  } catch {}
  return results;
};
