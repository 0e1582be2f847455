// QUnit requires modules from its command line before the tests, with itself as a global.
'use strict';
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');
const { take, relative, versionOf, writeCtrf } = require('./report.cjs');

/** QUnit uses `todo` for a test that fails as expected. */
const STATUSES = { passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped' };
const MAX_VALUE_CHARACTERS = 4096;
/** Start of the name that versions without an `error` event give to a test for a file that could not be loaded. */
const NOT_LOADED = /^Failed to load the test file with error:\n/;
const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()\n]+?):\d+:\d+\)?$/m;

take();
const { QUnit } = globalThis;
const begin = Date.now();
const tests = [];
let file;

QUnit.on('testStart', () => {
  file = fileIn(QUnit.config.current?.stack);
});
QUnit.on('testEnd', ({ fullName, status, runtime, errors }) => {
  const suite = fullName.slice(0, -1);
  const name = fullName.at(-1);
  const failed = status === 'failed' ? errors.map(errorOf) : [];
  if (NOT_LOADED.test(name)) addFailure('(suite)', fileIn(name) ?? file, [splitAtFrames(name.replace(NOT_LOADED, ''))]);
  else tests.push({ name, suite, status: STATUSES[status], duration: runtime, filePath: file, ...joined(failed) });
});
// Errors outside of tests, for example a file that cannot be loaded.
if (isAtLeast(QUnit.version, 2, 17)) {
  QUnit.on('error', (error) =>
    addFailure('(suite)', fileIn(error?.stack), [splitAtFrames(String(error?.stack || error))]),
  );
}
QUnit.on('runEnd', () => writeCtrf('qunit', QUnit.version ?? versionOf(process.argv[1]), begin, tests));

function addFailure(name, filePath, errors) {
  tests.push({ name, status: 'failed', duration: 0, filePath, ...joined(errors) });
}

function joined(errors) {
  if (errors.length === 0) return {};
  return {
    message: errors.map(({ message }) => message).join('\n'),
    trace: errors.map(({ message, frames }) => `${message}\n${frames}`).join('\n'),
  };
}

/** The message and values of an assertion. For a thrown error, the start of its stack. */
function errorOf({ message, expected, actual, stack }) {
  const thrown = splitAtFrames(stack || '');
  if (expected === undefined && actual === undefined) {
    return thrown.message === '' ? { message: message || 'failed', frames: thrown.frames } : thrown;
  }
  const values = `expected: ${shown(expected)}\n  actual: ${shown(actual)}`;
  return { message: message ? `${message}\n${values}` : values, frames: thrown.frames };
}

function splitAtFrames(stack) {
  const lines = stack.split('\n');
  const first = lines.findIndex((line) => /^\s*at /.test(line));
  const at = first < 0 ? lines.length : first;
  return { message: lines.slice(0, at).join('\n').trim(), frames: lines.slice(at).join('\n') };
}

function shown(value) {
  return inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY }).slice(0, MAX_VALUE_CHARACTERS);
}

/** The first file in a stack outside of packages and Node. */
function fileIn(stack) {
  const own = String(stack ?? '')
    .split('\n')
    .filter((line) => !/[\\/]node_modules[\\/]/.test(line));
  const named = FRAME.exec(own.join('\n'))?.[1];
  return relative(named?.startsWith('file:') ? fileURLToPath(named) : named);
}

function isAtLeast(version, major, minor) {
  const [first, second] = String(version).split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
