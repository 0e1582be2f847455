// Mocha accepts only a single reporter, so this module listens to its runner instead.
'use strict';
const { existsSync, realpathSync } = require('node:fs');
const path = require('node:path');
const {
  claimReportFolder,
  beginReport,
  createEmptyReport,
  writeNote,
  formatCommand,
  toProjectPath,
  restoreFullPaths,
  findPackageVersion,
  writeCtrf,
} = require('./report.cjs');

const programPath = getProgramPath();
// Another program may start Mocha as a child process instead of running it.
if (/[\\/]mocha[\\/]bin[\\/]/.test(programPath)) claimReportFolder();

/** The folder that Mocha removes from all stacks. In a workspace, it may be the folder of a package. */
const folder = process.cwd();

/** True if a project installed this reporter. */
let isInstalled = false;
let version;
const loadedMocha = loadMocha();
if (loadedMocha) listen(loadedMocha);

/** Returns the path of the program, or the current folder for `node -e`, which runs no file. */
function getProgramPath() {
  try {
    return realpathSync(process.argv[1]);
  } catch {
    return process.cwd();
  }
}

function loadMocha() {
  try {
    const file = require.resolve('mocha', { paths: [programPath, process.cwd()] });
    const exported = require(file);
    version = findPackageVersion(file);
    return exported.default || exported;
  } catch {
    return undefined;
  }
}

function findFullPath(file) {
  const fullPath = path.join(folder, file);
  return existsSync(fullPath) ? fullPath : undefined;
}

/** Returns the message with the diff that Mocha prints, because assertion libraries shorten values in messages. */
function createMessage(error) {
  const message = String(error.message || error);
  const { Base } = loadedMocha.reporters;
  if (!Base.showDiff?.(error)) return message;
  const [actual, expected] = [error.actual, error.expected].map((value) =>
    typeof value === 'string' ? value : loadedMocha.utils.stringify(value),
  );
  return `${message}\n${Base.generateDiff(actual, expected)}`;
}

function createStack(error) {
  const stack = String(error.stack || '');
  return error.message ? stack.replace(error.message, () => createMessage(error)) : stack;
}

function listen(Mocha) {
  const run = Mocha.prototype.run;
  Mocha.prototype.run = function (done, ...others) {
    const recording = beginReport('mocha', isInstalled);
    if (recording === undefined) return run.call(this, done, ...others);
    createEmptyReport('mocha');
    const start = Date.now();
    const tests = [];
    const onDone = (failures) => {
      recording.end({
        command: formatCommand('mocha', process.argv.slice(2)),
        exitCode: failures > 0 ? 1 : 0,
        filter: this.options?.grep ? String(this.options.grep.source ?? this.options.grep) : undefined,
        isOver: tests.length === 0 || this.options?.dryRun === true,
      });
      done?.(failures);
    };
    const runner = run.call(this, onDone, ...others);
    let ran = 0;
    const add = (test, status, error) => {
      if (test.type === 'test') ran++;
      const retried = test.currentRetry?.() ?? 0;
      tests.push({
        name: test.title,
        status,
        rawStatus: test.state || (test.pending ? 'pending' : undefined),
        duration: test.duration || 0,
        suite: test.titlePath().slice(0, -1),
        filePath: toProjectPath(test.file),
        flaky: status === 'passed' && retried > 0,
        retries: retried,
        message: error ? createMessage(error) : undefined,
        trace: error ? restoreFullPaths(createStack(error), findFullPath) || undefined : undefined,
      });
    };
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.on('fail', (test, error) => add(test, 'failed', error));
    // Writes the report before the program's handlers of this event, because they may end the process.
    runner.prependOnceListener('end', () => {
      const total = runner.grepTotal(runner.suite);
      if (ran < total)
        writeNote('mocha', `${total - ran} of ${total} tests did not run, because mocha stopped or a hook failed.`);
      writeCtrf('mocha', version, start, tests);
    });
    return runner;
  };
}

module.exports = {
  Mocha: loadedMocha,
  recordRuns() {
    isInstalled = true;
  },
};
