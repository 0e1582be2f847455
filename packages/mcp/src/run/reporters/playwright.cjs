// A Playwright reporter that prints nothing. PW_TEST_REPORTER, which editors use too, adds it to the configured
// reporters.
'use strict';
const { take, begin, typed, relative, writeCtrf } = require('./report.cjs');

take();
const text = (chunks) => chunks.map(String).join('').slice(-16384).split('\n');
const suites = (test) => {
  const [, project, , ...titles] = test.titlePath();
  return [...(project ? [project] : []), ...titles.slice(0, -1)];
};
const factsOf = ({ status } = {}, tests) => ({
  command: typed('playwright', process.argv.slice(2)),
  exitCode: status === 'passed' ? 0 : 1,
  timedOut: status === 'timedout',
  isOver: status === 'interrupted' || tests.length === 0,
});
class ArgusReporter {
  printsToStdio() {
    return false;
  }
  begin() {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.recording = begin('playwright', this.isInstalled);
  }
  onBegin(config, suite) {
    this.begin();
    this.version = config?.version;
    this.suite = suite;
    this.start = Date.now();
    this.errors = [];
  }
  onError(error) {
    this.errors = [...(this.errors || []), error];
  }
  /** If the configuration cannot be read, `onBegin` is not called. */
  onEnd(result) {
    this.begin();
    if (this.recording === undefined) return;
    const tests = this.suite ? this.suite.allTests().map((test) => this.read(test)) : [];
    for (const error of this.errors || []) {
      const place = error.location && relative(error.location.file);
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
    this.recording.end(factsOf(result, tests));
  }
  read(test) {
    const outcome = test.outcome();
    const last = test.results[test.results.length - 1];
    const status = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' }[outcome];
    const shown = test.results.filter((result) => result.errors.length > 0).at(-1);
    const errors = outcome === 'expected' || !shown ? [] : shown.errors;
    return {
      name: test.title,
      status,
      rawStatus: last ? last.status : 'not run',
      start: test.results[0]?.startTime?.getTime(),
      duration: test.results.reduce((sum, result) => sum + result.duration, 0),
      suite: suites(test),
      filePath: relative(test.location.file),
      flaky: outcome === 'flaky',
      retries: Math.max(0, test.results.length - 1),
      message: errors.map((error) => error.message || error.value || '').join('\n') || undefined,
      trace: errors.map((error) => error.stack || '').join('\n') || undefined,
      stdout: last?.stdout.length ? text(last.stdout) : undefined,
      stderr: last?.stderr.length ? text(last.stderr) : undefined,
    };
  }
}
module.exports = ArgusReporter;
