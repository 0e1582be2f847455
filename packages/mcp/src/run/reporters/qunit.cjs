// QUnit loads the modules that its command line names before the tests. QUnit is then a global variable.
'use strict';
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');
const { claimReportFolder, toProjectPath, findPackageVersion, writeCtrf } = require('./report.cjs');

/** The status `todo` means that a test failed as expected. */
const STATUSES = { passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped' };
const MAX_VALUE_CHARACTERS = 4096;
/**
 * Matches the start of the name of a test for a file that could not be loaded, in versions without an `error` event.
 */
const NOT_LOADED = /^Failed to load the test file with error:\n/;
const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()\n]+?):\d+:\d+\)?$/m;

claimReportFolder();
const { QUnit } = globalThis;
const begin = Date.now();
const tests = [];
let currentFile;

QUnit.on('testStart', () => {
  currentFile = findFile(QUnit.config.current?.stack);
});
QUnit.on('testEnd', ({ fullName, status, runtime, errors }) => {
  const suite = fullName.slice(0, -1);
  const name = fullName.at(-1);
  const failed = status === 'failed' ? errors.map(createError) : [];
  if (NOT_LOADED.test(name))
    addFailure('(suite)', findFile(name) ?? currentFile, [splitAtFrames(name.replace(NOT_LOADED, ''))]);
  else
    tests.push({
      name,
      suite,
      status: STATUSES[status],
      duration: runtime,
      filePath: currentFile,
      ...joinErrors(failed),
    });
});
// Adds errors outside of tests, for example if a file cannot be loaded.
if (isAtLeast(QUnit.version, 2, 17)) {
  QUnit.on('error', (error) =>
    addFailure('(suite)', findFile(error?.stack), [splitAtFrames(String(error?.stack || error))]),
  );
}
QUnit.on('runEnd', () => writeCtrf('qunit', QUnit.version ?? findPackageVersion(process.argv[1]), begin, tests));

function addFailure(name, filePath, errors) {
  tests.push({ name, status: 'failed', duration: 0, filePath, ...joinErrors(errors) });
}

function joinErrors(errors) {
  if (errors.length === 0) return {};
  return {
    message: errors.map(({ message }) => message).join('\n'),
    trace: errors.map(({ message, frames }) => `${message}\n${frames}`).join('\n'),
  };
}

/** Returns the message and the values of an assertion. For a thrown error, returns the start of its stack. */
function createError({ message, expected, actual, stack }) {
  const thrown = splitAtFrames(stack || '');
  if (expected === undefined && actual === undefined) {
    return thrown.message === '' ? { message: message || 'failed', frames: thrown.frames } : thrown;
  }
  const values = `expected: ${formatValue(expected)}\n  actual: ${formatValue(actual)}`;
  return { message: message ? `${message}\n${values}` : values, frames: thrown.frames };
}

function splitAtFrames(stack) {
  const lines = stack.split('\n');
  const first = lines.findIndex((line) => /^\s*at /.test(line));
  const at = first < 0 ? lines.length : first;
  return { message: lines.slice(0, at).join('\n').trim(), frames: lines.slice(at).join('\n') };
}

function formatValue(value) {
  return inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_VALUE_CHARACTERS);
}

/** Returns the first file in a stack that is outside of packages and Node. */
function findFile(stack) {
  const ownFrames = String(stack ?? '')
    .split('\n')
    .filter((line) => !/[\\/]node_modules[\\/]/.test(line));
  const fileOrUrl = FRAME.exec(ownFrames.join('\n'))?.[1];
  return toProjectPath(fileOrUrl?.startsWith('file:') ? fileURLToPath(fileOrUrl) : fileOrUrl);
}

function isAtLeast(version, major, minor) {
  const [first, second] = String(version).split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
