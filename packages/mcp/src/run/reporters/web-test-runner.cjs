// Web Test Runner accepts reporters only in its configuration. When the process ends, the report is created from the
// state of each file and browser in the runner.
'use strict';
const { claimReportFolder, toProjectPath, findPackageVersion, writeCtrf } = require('./report.cjs');

function listen(program) {
  claimReportFolder();
  const startedAt = Date.now();
  const { TestRunner } = require(require.resolve('@web/test-runner-core', { paths: [program] }));
  const { start } = TestRunner.prototype;
  TestRunner.prototype.start = function (...args) {
    process.once('exit', () => {
      writeCtrf('web-test-runner', findPackageVersion(program), startedAt, listTests([...this.sessions.all()]));
    });
    return start.apply(this, args);
  };
}

function listTests(sessions) {
  const browsers = new Set(sessions.map(({ browser }) => browser.name));
  return sessions.flatMap(({ browser, testFile, testResults, errors, ...session }) => {
    const filePath = toProjectPath(testFile);
    const suites = browsers.size > 1 ? [browser.name] : [];
    const fileFailures = errors.map((error) =>
      createFailure('(suite)', suites, filePath, error, getLoadError(session)),
    );
    return [...fileFailures, ...(testResults ? listTestsInSuite(testResults, suites, filePath) : [])];
  });
}

function listTestsInSuite({ suites, tests }, suite, filePath) {
  return [
    ...tests.map(({ name, passed, skipped, duration, error }) => {
      if (!passed && !skipped) return { ...createFailure(name, suite, filePath, error), duration: duration ?? 0 };
      return { name, suite, filePath, status: skipped ? 'skipped' : 'passed', duration: duration ?? 0 };
    }),
    ...suites.flatMap((inner) => listTestsInSuite(inner, [...suite, inner.name], filePath)),
  ];
}

/**
 * Returns the reason why a file could not be loaded, because the error has no stack. The session id is removed, because
 * it differs in each run.
 */
function getLoadError({ request404s, logs }) {
  const logged = logs.flat().filter((one) => typeof one === 'string');
  return [...request404s.map((file) => `Error: 404 network request: ${file}`), ...logged]
    .join('\n')
    .replaceAll(/[?&]wtr-session-id=[\w-]+/g, '');
}

function createFailure(name, suite, filePath, { name: kind, message = '', stack = '' } = {}, loadError = '') {
  const description = kind && !message.startsWith(kind) ? `${kind}: ${message}` : message;
  const text = [stack ? '' : loadError, description].filter(Boolean).join('\n');
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  return { name, suite, filePath, status: 'failed', duration: 0, message: text, trace: [text, ...frames].join('\n') };
}

module.exports = { listen };
