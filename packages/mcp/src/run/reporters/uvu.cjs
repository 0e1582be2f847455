// uvu has no reporters, and keeps its tests in closures. This module reads the names of the tests when uvu binds a
// suite to its context, and the results when uvu prints them. It changes neither, and runs only in the process of uvu's
// program.
'use strict';
const path = require('node:path');
const { fileURLToPath } = require('node:url');
const { stripVTControlCharacters } = require('node:util');
const { claimReportFolder, toProjectPath, findPackageVersion, writeCtrf } = require('./report.cjs');

claimReportFolder();
const start = Date.now();
/** The suites in the order in which they run, which is the order of the files. */
const suites = [];
let currentSuite = 0;

const isContext = (value) =>
  value !== null &&
  typeof value === 'object' &&
  ['tests', 'only', 'bEach', 'aEach'].every((key) => Array.isArray(value[key]));

/** Returns the file of the caller from the frames of a stack. */
function findCallerFile() {
  for (const line of String(new Error().stack).split('\n').slice(1)) {
    const place = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]+?):\d+:\d+\)?$/.exec(line);
    if (!place) continue;
    const file = place[1].startsWith('file:') ? fileURLToPath(place[1]) : place[1];
    if (file !== __filename && !file.split(path.sep).join('/').includes('/uvu/')) return toProjectPath(file);
  }
  return undefined;
}

const bind = Function.prototype.bind;
Function.prototype.bind = function (...args) {
  const [owner, context, name] = args;
  if (owner === 0 && isContext(context)) {
    const { only, tests, skips } = context;
    const chosen = only.length > 0 ? only : tests;
    const skipped = skips + (only.length > 0 ? tests.length : 0);
    suites.push({
      name,
      filePath: findCallerFile(),
      titles: chosen.map((test) => test.name),
      skipped,
      marks: [],
      errors: [],
    });
  }
  return Reflect.apply(bind, this, args);
};

/** uvu prints `• ` or `✘ ` for each test, `(1 / 2)` after a suite, and then the errors of the suite. */
function readOutput(text) {
  const suite = suites[currentSuite];
  if (suite && (text === '• ' || text === '✘ ')) suite.marks.push(text === '• ');
  else if (suite && /^ {2}\(\d+ \/ \d+\)\n$/.test(text)) currentSuite++;
  else if (currentSuite > 0 && /^\n {3}FAIL /.test(text)) {
    suites[currentSuite - 1].errors = text.split(/^(?= {3}FAIL )/m).slice(1);
  }
}

const write = process.stdout.write;
process.stdout.write = function (...args) {
  if (typeof args[0] === 'string') readOutput(stripVTControlCharacters(args[0]));
  return Reflect.apply(write, this, args);
};

/** Returns the text below the title. Frames keep their indentation. */
const removeTitle = (error) =>
  error
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^ {4}/, ''))
    .join('\n')
    .trim();

process.once('exit', () => {
  if (suites.length === 0) return;
  const tests = suites.flatMap(({ name, filePath, titles, skipped, marks, errors }) => {
    const place = { duration: 0, suite: name ? [name] : [], filePath };
    // Numbers the skipped tests, because uvu does not keep their names.
    const numbers = Array.from({ length: skipped }, (_, index) => index + 1);
    return [
      ...titles.flatMap((title, index) => {
        if (marks[index] === undefined) return [];
        if (marks[index]) return [{ name: title, status: 'passed', ...place }];
        const trace = removeTitle(errors.shift() || '');
        return [{ name: title, status: 'failed', ...place, message: trace.split(/\n\s*at /)[0].trim(), trace }];
      }),
      ...numbers.map((number) => ({ name: `skipped ${number}`, status: 'skipped', ...place })),
    ];
  });
  writeCtrf('uvu', findPackageVersion(process.argv[1]), start, tests);
});
