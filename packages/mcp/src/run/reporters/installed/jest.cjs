// The Jest reporter that a project installs in addition to the reporters that print. In watch mode, each rerun is a
// separate run.
'use strict';
const { beginReport, formatCommand } = require('../report.cjs');
const { report } = require('../jest.cjs');

class ArgusReporter {
  constructor(config = {}) {
    this.config = config;
  }

  onRunStart() {
    this.recording = beginReport('jest', true);
  }

  onRunComplete(_contexts, results) {
    if (this.recording === undefined) return;
    report(results, process.argv[1]);
    const { testNamePattern } = this.config;
    const errors = results.runExecError ? [results.runExecError] : [];
    this.recording.end({
      command: formatCommand('jest', process.argv.slice(2)),
      // Jest itself prints a message about a run without tests.
      exitCode: results.success || (results.numFailedTests === 0 && results.numFailedTestSuites === 0) ? 0 : 1,
      filter: testNamePattern || undefined,
      output: errors.map(({ stack, message }) => stack || message).join('\n'),
      isOver: results.wasInterrupted || (results.numTotalTests === 0 && results.numTotalTestSuites === 0),
    });
  }
}
module.exports = ArgusReporter;
