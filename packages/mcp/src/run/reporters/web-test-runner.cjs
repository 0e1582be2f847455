// Web Test Runner accepts reporters only in its configuration. The report is the state of each file and browser in its
// runner when the process ends.
'use strict';
const { take, relative, versionOf, writeCtrf } = require('./report.cjs');

function listen(program) {
  take();
  const begin = Date.now();
  const { TestRunner } = require(require.resolve('@web/test-runner-core', { paths: [program] }));
  const { start } = TestRunner.prototype;
  TestRunner.prototype.start = function (...args) {
    process.once('exit', () => {
      writeCtrf('web-test-runner', versionOf(program), begin, testsOf([...this.sessions.all()]));
    });
    return start.apply(this, args);
  };
}

function testsOf(sessions) {
  const browsers = new Set(sessions.map(({ browser }) => browser.name));
  return sessions.flatMap(({ browser, testFile, testResults, errors, ...session }) => {
    const filePath = relative(testFile);
    const suites = browsers.size > 1 ? [browser.name] : [];
    const failures = errors.map((error) => failure('(suite)', suites, filePath, error, toldOf(session)));
    return [...failures, ...(testResults ? testsIn(testResults, suites, filePath) : [])];
  });
}

function testsIn({ suites, tests }, suite, filePath) {
  return [
    ...tests.map(({ name, passed, skipped, duration, error }) => {
      if (!passed && !skipped) return { ...failure(name, suite, filePath, error), duration: duration ?? 0 };
      return { name, suite, filePath, status: skipped ? 'skipped' : 'passed', duration: duration ?? 0 };
    }),
    ...suites.flatMap((inner) => testsIn(inner, [...suite, inner.name], filePath)),
  ];
}

/**
 * The reason why a file could not be loaded, because such an error has no stack. The session id is removed, because it
 * differs in each run.
 */
function toldOf({ request404s, logs }) {
  const logged = logs.flat().filter((one) => typeof one === 'string');
  return [...request404s.map((file) => `Error: 404 network request: ${file}`), ...logged]
    .join('\n')
    .replaceAll(/[?&]wtr-session-id=[\w-]+/g, '');
}

function failure(name, suite, filePath, { name: kind, message = '', stack = '' } = {}, told = '') {
  const said = kind && !message.startsWith(kind) ? `${kind}: ${message}` : message;
  const text = [stack ? '' : told, said].filter(Boolean).join('\n');
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  return { name, suite, filePath, status: 'failed', duration: 0, message: text, trace: [text, ...frames].join('\n') };
}

module.exports = { listen };
