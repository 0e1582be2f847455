// Chooses the report file and the reporter of this process, and formats files and causes of errors for reports.
'use strict';
const { readFileSync, realpathSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const KEY = Symbol.for('argus.report');

/** Removes the report folder from the environment, so that child processes do not write reports there. */
function take() {
  const { ARGUS_REPORT_DIR: folder, ARGUS_REPORT_ROOT: root } = process.env;
  if (folder) globalThis[KEY] = { folder, root };
  delete process.env.ARGUS_REPORT_DIR;
}

/**
 * Call it when a runner of this process starts a run. Returns undefined if no report is wanted or if another reporter
 * of the same run writes it, because `argus run` adds a reporter and a project may have installed one. The installed
 * reporter records its run itself unless `argus run` or a test of another run started this process.
 */
function begin(runner, isInstalled = false) {
  take();
  const around = globalThis[KEY];
  if (around?.taken?.has(runner)) return undefined;
  if (around !== undefined && !around.isOwn) {
    around.taken = new Set([...(around.taken || []), runner]);
    return { end: () => around.taken.delete(runner) };
  }
  if (!isInstalled || (around === undefined && process.env.ARGUS_REPORT_ROOT)) return undefined;
  const { record } = require('./installed/recording.cjs');
  return record(runner, (place) => {
    globalThis[KEY] = place;
  });
}

/** The command that starts the runner, as a person would type it. */
function typed(program, words) {
  return [program, ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** The file for the report of a runner. Several processes of one run may each write a report. */
function fileOf(runner) {
  return path.join(globalThis[KEY].folder, `${runner}-${process.pid}.json`);
}

function write(runner, report) {
  // A test started this runner.
  if (globalThis[KEY] === undefined) return;
  try {
    writeFileSync(fileOf(runner), typeof report === 'string' ? report : JSON.stringify(report));
  } catch {}
}

/** The path relative to the root of the project, as in the names of tests. */
function relative(file) {
  return (
    file &&
    path
      .relative(globalThis[KEY].root || process.cwd(), file)
      .split(path.sep)
      .join('/')
  );
}

/** Matches `    at open (src/shop.js:3:5)`, also without a function. */
const FRAME = /^(\s*at (?:[^(]*\()?)(.+)(:\d+:\d+)(?=\)?$)/gm;

/**
 * Restores paths in a stack that a runner shortened to paths in a folder of the project. `whole` returns the full path.
 */
function withWholePaths(stack, whole) {
  return stack.replace(FRAME, (frame, before, file, at) => {
    const found = whole(file, at);
    return found === undefined ? frame : before + relative(found) + at;
  });
}

/** Maximum depth of causes. */
const MAX_CAUSES = 5;

/** The text of an error with its causes, as Node prints them. Jest 30 already includes them. */
function withCauses(text, error) {
  return text.includes('[cause]: ') ? text : text + causesOf(error, MAX_CAUSES);
}

function causesOf(error, most) {
  const causes = attemptsOf(error) ?? attemptsOf(error?.cause) ?? [error?.cause];
  const told = causes.filter((cause) => cause != null).slice(0, most);
  return told.map((cause) => `\n\n[cause]: ${textOf(cause)}${causesOf(cause, most - 1)}`).join('');
}

/** If several addresses were tried, each has an error, and the outer error has no message. */
function attemptsOf(error) {
  return !error?.message && error?.errors?.length > 0 ? [...error.errors] : undefined;
}

/** Checks no type, because an error from another realm or process is not an instance of `Error`. */
function textOf(error) {
  return String(error.stack || error.message || error);
}

/** The version of the package that contains a file. */
function versionOf(file) {
  try {
    let folder = path.dirname(realpathSync(file));
    while (folder !== path.dirname(folder)) {
      const version = versionIn(path.join(folder, 'package.json'));
      if (version) return version;
      folder = path.dirname(folder);
    }
  } catch {}
  return undefined;
}

/** A package may contain other package.json files that only set the module type. */
function versionIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** Writes a report in the format of https://ctrf.io */
function writeCtrf(runner, version, start, tests, name = runner) {
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
  write(runner, { reportFormat: 'CTRF', specVersion: '0.0.0', results: { tool: { name, version }, summary, tests } });
}

module.exports = { take, begin, typed, fileOf, write, relative, withWholePaths, withCauses, versionOf, writeCtrf };
