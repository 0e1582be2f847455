// Where this process writes its report, which of its reporters does, and how files and causes of errors are told in it.
'use strict';
const { readFileSync, realpathSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const KEY = Symbol.for('argus.report');

/** Takes the place out of the environment, so that what this process starts writes nothing there. */
function take() {
  const { ARGUS_REPORT_DIR: folder, ARGUS_REPORT_ROOT: root } = process.env;
  if (folder) globalThis[KEY] = { folder, root };
  delete process.env.ARGUS_REPORT_DIR;
}

/**
 * A runner of this process begins a run: what is to be told of its end. Undefined where nobody asks for a report, or
 * another reporter of the same run writes it: an `argus run` brings its own, and a project may have one installed. That one
 * hands its report to the memory itself where no `argus run` is around it, nor a run whose test started this process.
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

/** As somebody would type it who starts the runner. */
function typed(program, words) {
  return [program, ...words].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** The file for a runner's report. Several processes of one run may each write one. */
function fileOf(runner) {
  return path.join(globalThis[KEY].folder, `${runner}-${process.pid}.json`);
}

function write(runner, report) {
  // A runner that a test has started.
  if (globalThis[KEY] === undefined) return;
  try {
    writeFileSync(fileOf(runner), typeof report === 'string' ? report : JSON.stringify(report));
  } catch {}
}

/** As tests are named: from the project's root on. */
function relative(file) {
  return (
    file &&
    path
      .relative(globalThis[KEY].root || process.cwd(), file)
      .split(path.sep)
      .join('/')
  );
}

/** `    at open (src/shop.js:3:5)`, and without a function's name. */
const FRAME = /^(\s*at (?:[^(]*\()?)(.+)(:\d+:\d+)(?=\)?$)/gm;

/** A stack whose places a runner has shortened to those of a folder of the project; `whole` finds the file of one. */
function withWholePaths(stack, whole) {
  return stack.replace(FRAME, (frame, before, file, at) => {
    const found = whole(file, at);
    return found === undefined ? frame : before + relative(found) + at;
  });
}

/** A cause may have a cause, and so on. */
const MAX_CAUSES = 5;

/** The text of an error with what caused it, as Node prints that and Jest 30 does by itself. */
function withCauses(text, error) {
  return text.includes('[cause]: ') ? text : text + causesOf(error, MAX_CAUSES);
}

function causesOf(error, most) {
  const causes = attemptsOf(error) ?? attemptsOf(error?.cause) ?? [error?.cause];
  const told = causes.filter((cause) => cause != null).slice(0, most);
  return told.map((cause) => `\n\n[cause]: ${textOf(cause)}${causesOf(cause, most - 1)}`).join('');
}

/** Where several addresses were tried, each has an error, and the one around them says nothing. */
function attemptsOf(error) {
  return !error?.message && error?.errors?.length > 0 ? [...error.errors] : undefined;
}

/** An object of another realm or process is no `Error`. */
function textOf(error) {
  return String(error.stack || error.message || error);
}

/** The version of the package that a file lies in. */
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

/** A package may have files of that name inside that say no more than how its modules are read. */
function versionIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}

/** https://ctrf.io */
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
