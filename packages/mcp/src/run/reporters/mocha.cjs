// Mocha accepts only a single reporter, so this module listens to its runner instead.
'use strict';
const { existsSync, realpathSync } = require('node:fs');
const path = require('node:path');
const { take, begin, typed, relative, withWholePaths, versionOf, writeCtrf } = require('./report.cjs');

const program = programName();
// Another program may start Mocha as a child process instead of running it.
if (/[\\/]mocha[\\/]bin[\\/]/.test(program)) take();

/** The folder that Mocha removes from all stacks. In a workspace it may be the folder of a package. */
const folder = process.cwd();

/** True if a project installed this reporter. */
let isInstalled = false;
let version;
const loaded = mochaOf();
if (loaded) listen(loaded);

/** The path of the program. `node -e` has no file. */
function programName() {
  try {
    return realpathSync(process.argv[1]);
  } catch {
    return process.cwd();
  }
}

function mochaOf() {
  try {
    const file = require.resolve('mocha', { paths: [program, process.cwd()] });
    const found = require(file);
    version = versionOf(file);
    return found.default || found;
  } catch {
    return undefined;
  }
}

function wholePath(file) {
  const whole = path.join(folder, file);
  return existsSync(whole) ? whole : undefined;
}

/** The message and the diff that Mocha prints, because assertion libraries shorten values in messages. */
function messageOf(error) {
  const message = String(error.message || error);
  const { Base } = loaded.reporters;
  if (!Base.showDiff?.(error)) return message;
  const [actual, expected] = [error.actual, error.expected].map((value) =>
    typeof value === 'string' ? value : loaded.utils.stringify(value),
  );
  return `${message}\n${Base.generateDiff(actual, expected)}`;
}

function stackOf(error) {
  const stack = String(error.stack || '');
  return error.message ? stack.replace(error.message, () => messageOf(error)) : stack;
}

function listen(Mocha) {
  const run = Mocha.prototype.run;
  Mocha.prototype.run = function (done, ...others) {
    const recording = begin('mocha', isInstalled);
    if (recording === undefined) return run.call(this, done, ...others);
    const start = Date.now();
    const tests = [];
    const told = (failures) => {
      recording.end({
        command: typed('mocha', process.argv.slice(2)),
        exitCode: failures > 0 ? 1 : 0,
        filter: this.options?.grep ? String(this.options.grep.source ?? this.options.grep) : undefined,
        isOver: tests.length === 0 || this.options?.dryRun === true,
      });
      done?.(failures);
    };
    const runner = run.call(this, told, ...others);
    const add = (test, status, error) => {
      const retried = test.currentRetry?.() ?? 0;
      tests.push({
        name: test.title,
        status,
        rawStatus: test.state || (test.pending ? 'pending' : undefined),
        duration: test.duration || 0,
        suite: test.titlePath().slice(0, -1),
        filePath: relative(test.file),
        flaky: status === 'passed' && retried > 0,
        retries: retried,
        message: error ? messageOf(error) : undefined,
        trace: error ? withWholePaths(stackOf(error), wholePath) || undefined : undefined,
      });
    };
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.on('fail', (test, error) => add(test, 'failed', error));
    // Before the handlers of the program at the end, because they may exit.
    runner.prependOnceListener('end', () => writeCtrf('mocha', version, start, tests));
    return runner;
  };
}

module.exports = {
  Mocha: loaded,
  recordRuns() {
    isInstalled = true;
  },
};
