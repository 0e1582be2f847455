// A Playwright reporter that prints nothing. The variable PW_TEST_REPORTER, which editors also use, adds it to the
// configured reporters.
'use strict';
const { claimReportFolder, beginReport, formatCommand, toProjectPath, writeCtrf } = require('./report.cjs');

claimReportFolder();
const toLines = (chunks) => chunks.map(String).join('').slice(-16384).split('\n');
const getSuites = (test) => {
  const [, project, , ...titles] = test.titlePath();
  return [...(project ? [project] : []), ...titles.slice(0, -1)];
};
const createFacts = ({ status } = {}, tests) => ({
  command: formatCommand('playwright', process.argv.slice(2)),
  exitCode: status === 'passed' ? 0 : 1,
  timedOut: status === 'timedout',
  isOver: status === 'interrupted' || tests.length === 0,
});
class ArgusReporter {
  printsToStdio() {
    return false;
  }
  beginOnce() {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.recording = beginReport('playwright', this.isInstalled);
  }
  onBegin(config, suite) {
    this.beginOnce();
    this.version = config?.version;
    this.suite = suite;
    this.start = Date.now();
    this.errors = [];
  }
  onError(error) {
    this.errors = [...(this.errors || []), error];
  }
  /** Playwright calls only `onEnd` if the configuration cannot be read. */
  onEnd(result) {
    this.beginOnce();
    if (this.recording === undefined) return;
    const tests = this.suite ? this.suite.allTests().map((test) => this.createTest(test)) : [];
    for (const error of this.errors || []) {
      const place = error.location && toProjectPath(error.location.file);
      tests.push({
        name: place ? '(suite)' : 'outside of tests',
        status: 'failed',
        duration: 0,
        filePath: place,
        message: error.message,
        trace: error.stack || error.message,
      });
    }
    writeCtrf('playwright', this.version, this.start || Date.now(), tests);
    this.recording.end(createFacts(result, tests));
  }
  createTest(test) {
    const outcome = test.outcome();
    const last = test.results[test.results.length - 1];
    const status = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' }[outcome];
    const lastFailed = test.results.filter((result) => result.errors.length > 0).at(-1);
    const errors = outcome === 'expected' || !lastFailed ? [] : lastFailed.errors;
    return {
      name: test.title,
      status,
      rawStatus: last ? last.status : 'not run',
      start: test.results[0]?.startTime?.getTime(),
      duration: test.results.reduce((sum, result) => sum + result.duration, 0),
      suite: getSuites(test),
      filePath: toProjectPath(test.location.file),
      flaky: outcome === 'flaky',
      retries: Math.max(0, test.results.length - 1),
      message: errors.map((error) => error.message || error.value || '').join('\n') || undefined,
      trace: errors.map((error) => error.stack || '').join('\n') || undefined,
      stdout: last?.stdout.length ? toLines(last.stdout) : undefined,
      stderr: last?.stderr.length ? toLines(last.stderr) : undefined,
    };
  }
}
module.exports = ArgusReporter;
