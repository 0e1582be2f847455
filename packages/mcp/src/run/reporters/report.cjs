// Chooses the report file and the reporter of this process, and formats paths and causes of errors for reports.
'use strict';
const { appendFileSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const STATE_KEY = Symbol.for('argus.report');

/**
 * Keeps the report folder for this process and removes it from the environment, so that child processes write no
 * reports there.
 */
function claimReportFolder() {
  const { ARGUS_REPORT_DIR: folder, ARGUS_REPORT_ROOT: root } = process.env;
  if (folder) globalThis[STATE_KEY] = { folder, root };
  delete process.env.ARGUS_REPORT_DIR;
}

/**
 * Call it when a runner starts a run in this process. Returns undefined if no report is wanted, or if another reporter
 * already writes the report of the run. That happens because `argus run` adds a reporter and a project may have
 * installed one. An installed reporter records its run itself, unless `argus run` or a test of another run started this
 * process.
 */
function beginReport(runner, isInstalled = false) {
  claimReportFolder();
  const current = globalThis[STATE_KEY];
  if (current?.taken?.has(runner)) return undefined;
  if (current !== undefined && !current.isOwn) {
    current.taken = new Set([...(current.taken || []), runner]);
    return { end: () => current.taken.delete(runner) };
  }
  if (!isInstalled || (current === undefined && process.env.ARGUS_REPORT_ROOT)) return undefined;
  const { record } = require('./installed/recording.cjs');
  return record(runner, (place) => {
    globalThis[STATE_KEY] = place;
  });
}

/**
 * Call it when tests start in this process. An empty report remains if the process ends before its report is written,
 * for example because a test calls `process.exit(0)`. If the process fails instead, the failure is visible without a
 * report. An installed reporter needs no empty report, because it records only runs whose end it sees.
 */
function createEmptyReport(runner) {
  if (globalThis[STATE_KEY] === undefined || globalThis[STATE_KEY].isOwn) return;
  writeReport(runner, '');
  process.once('exit', (code) => {
    if (code !== 0 && statSync(getReportFile(runner), { throwIfNoEntry: false })?.size === 0)
      rmSync(getReportFile(runner));
  });
}

/** Returns the command that starts the runner, as a person would type it. */
function formatCommand(program, words) {
  return [program, ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/**
 * Returns the report file of a runner. The name has the process id, because several processes of one run may write
 * reports.
 */
function getReportFile(runner) {
  return path.join(globalThis[STATE_KEY].folder, `${runner.replace(':', '-')}-${process.pid}.json`);
}

function writeReport(runner, report) {
  // Nothing is written if a test started this runner.
  if (globalThis[STATE_KEY] === undefined) return;
  try {
    writeFileSync(getReportFile(runner), typeof report === 'string' ? report : JSON.stringify(report));
  } catch {}
}

/** Matches strings and comments. */
const STRING_OR_COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*|(['"`])(?:\\[\s\S]|(?!\1)[^\\])*?\1/g;
/** Matches `it.only(`, `describe.only.each(`, `test.describe.only(` and `fit(`. */
const FOCUSED_TEST =
  /\b(?:it|test|specify|describe|context|suite|module)(?:\.\w+)*\.only\b|(?<![\w$.])f(?:it|describe|context)\s*\(/;
const MAX_NOTED_FILES = 3;

/**
 * Writes a note about test files that mark tests as the only tests to run. Reports do not contain the mark, so the
 * sources are read. Paths are absolute, or relative to the root of the project.
 */
function noteFocusedTests(runner, files) {
  if (globalThis[STATE_KEY] === undefined) return;
  const root = globalThis[STATE_KEY].root || process.cwd();
  const isFocused = (file) => {
    try {
      return FOCUSED_TEST.test(readFileSync(file, 'utf8').replaceAll(STRING_OR_COMMENT, "''"));
    } catch {
      return false;
    }
  };
  const paths = new Set(files.filter(Boolean).map((file) => path.resolve(root, file)));
  const focused = [...paths].filter(isFocused).map(toProjectPath);
  if (focused.length === 0) return;
  const more = focused.length > MAX_NOTED_FILES ? ` and ${focused.length - MAX_NOTED_FILES} more files` : '';
  const listedFiles = focused.slice(0, MAX_NOTED_FILES).join(', ') + more;
  writeNote(runner, `.only (or fit, fdescribe) in ${listedFiles} left out other tests.`);
}

/** Writes a note of this process about its run. */
function writeNote(runner, text) {
  try {
    appendFileSync(
      path.join(globalThis[STATE_KEY].folder, `note-${path.basename(getReportFile(runner))}`),
      `${text}\n`,
    );
  } catch {}
}

/** Returns the path relative to the root of the project, which is also used in test names. */
function toProjectPath(file) {
  return (
    file &&
    path
      .relative(globalThis[STATE_KEY].root || process.cwd(), file)
      .split(path.sep)
      .join('/')
  );
}

/** Matches a stack frame such as `    at open (src/shop.js:3:5)`, also without a function. */
const FRAME = /^(\s*at (?:[^(]*\()?)(.+)(:\d+:\d+)(?=\)?$)/gm;

/**
 * Restores paths in a stack that a runner shortened. `findFullPath` returns the full path, or undefined if it is
 * unknown.
 */
function restoreFullPaths(stack, findFullPath) {
  return stack.replace(FRAME, (frame, prefix, file, position) => {
    const fullPath = findFullPath(file, position);
    return fullPath === undefined ? frame : prefix + toProjectPath(fullPath) + position;
  });
}

/** Maximum depth of nested causes. */
const MAX_CAUSES = 5;

/** Adds the causes of an error to its text, in Node's format. Jest 30 already includes the causes. */
function appendCauses(text, error) {
  return text.includes('[cause]: ') ? text : text + formatCauses(error, MAX_CAUSES);
}

function formatCauses(error, maxDepth) {
  const causes = getAttemptErrors(error) ?? getAttemptErrors(error?.cause) ?? [error?.cause];
  const listed = causes.filter((cause) => cause != null).slice(0, maxDepth);
  return listed.map((cause) => `\n\n[cause]: ${formatError(cause)}${formatCauses(cause, maxDepth - 1)}`).join('');
}

/** Returns the errors of several connection attempts, one for each address. The outer error has no message. */
function getAttemptErrors(error) {
  return !error?.message && error?.errors?.length > 0 ? [...error.errors] : undefined;
}

/** Does not check for `Error`, because an error from another realm or process is not an instance of it. */
function formatError(error) {
  return String(error.stack || error.message || error);
}

/** Finds the version of the package that contains a file. */
function findPackageVersion(file) {
  try {
    let folder = path.dirname(realpathSync(file));
    while (folder !== path.dirname(folder)) {
      const version = readVersion(path.join(folder, 'package.json'));
      if (version) return version;
      folder = path.dirname(folder);
    }
  } catch {}
  return undefined;
}

/**
 * Returns undefined without a version, because a package may contain other package.json files that only set the module
 * type.
 */
function readVersion(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Writes a report in the Common Test Report Format (https://ctrf.io). */
function writeCtrf(runner, version, start, tests) {
  const files = tests.map(({ filePath }) => filePath);
  // node:test ignores the mark unless the option `--test-only` is set.
  if (runner !== 'node:test') noteFocusedTests(runner, files);
  const count = (status) => tests.filter((test) => test.status === status).length;
  const summary = {
    tests: tests.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    pending: count('pending'),
    other: count('other'),
    start,
    stop: Date.now(),
  };
  writeReport(runner, {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: runner, version }, summary, tests },
  });
}

module.exports = {
  claimReportFolder,
  beginReport,
  createEmptyReport,
  formatCommand,
  getReportFile,
  writeReport,
  writeNote,
  noteFocusedTests,
  toProjectPath,
  restoreFullPaths,
  appendCauses,
  findPackageVersion,
  writeCtrf,
};
