// Mocha takes one reporter only, so this listens to its runner instead.
'use strict';
const { realpathSync } = require('node:fs');
const { take, relative, writeCtrf } = require('./report.cjs');

// Another program may start Mocha's own in place of running it.
if (/[\\/]mocha[\\/]bin[\\/]/.test(realpathSync(process.argv[1]))) take();
try {
  const loaded = require(require.resolve('mocha', { paths: [realpathSync(process.argv[1]), process.cwd()] }));
  const Mocha = loaded.default || loaded;
  const run = Mocha.prototype.run;
  Mocha.prototype.run = function (...args) {
    take();
    const runner = run.apply(this, args);
    const start = Date.now();
    const tests = [];
    const retries = new Map();
    const suites = (test) => test.titlePath().slice(0, -1);
    const key = (test) => test.fullTitle();
    const add = (test, status, error) => {
      const retried = retries.get(key(test)) || 0;
      tests.push({
        name: test.title,
        status,
        rawStatus: test.state || (test.pending ? 'pending' : undefined),
        duration: test.duration || 0,
        suite: suites(test),
        filePath: relative(test.file),
        flaky: status === 'passed' && retried > 0,
        retries: retried,
        message: error ? String(error.message || error) : undefined,
        trace: error ? String(error.stack || '') || undefined : undefined,
      });
    };
    runner.on('retry', (test) => retries.set(key(test), (retries.get(key(test)) || 0) + 1));
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.on('fail', (test, error) => add(test, 'failed', error));
    // Before what the program does at the end, which may be to exit.
    runner.prependOnceListener('end', () => writeCtrf('mocha', start, tests));
    return runner;
  };
} catch {}
