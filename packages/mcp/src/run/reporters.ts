/**
 * Small reporters for runners whose own machine-readable output would replace what people see. Each is written to the
 * run's temporary folder and loaded by the runner itself; it listens and writes one file (`ARGUS_REPORT_FILE`).
 * Does not: run in this process; so these are texts, in the JavaScript every version of the runner can load.
 */

/**
 * A Vitest reporter that brings the ones back which the project has configured, for one that is named on the command line
 * stands in place of those, and one that writes the report. Vitest's own list of its reporters is looked up where the
 * program that runs lies.
 */
export const VITEST_REPORTER = `
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
const load = async (from, name) => import(pathToFileURL(createRequire(from).resolve(name)).href);
// Where it lies since 4.1, and where it lay before.
const knownTo = async (program) =>
  (await load(program, 'vitest/node')).ReportersMap || (await load(program, 'vitest/reporters')).ReportersMap;
const isAgent = async (program) => {
  try { return Boolean((await load(program, 'std-env')).isAgent); } catch { return false; }
};
const chosenByVitest = async (program, known) => [
  [known.agent && (await isAgent(program)) ? 'agent' : 'default', {}],
  ...(process.env.GITHUB_ACTIONS === 'true' && known['github-actions'] ? [['github-actions', {}]] : []),
];
const reporterOf = async (chosen, known, root) => {
  if (typeof chosen !== 'string' && !Array.isArray(chosen)) return chosen;
  const [name, options] = Array.isArray(chosen) ? chosen : [chosen, {}];
  if (known[name]) return new known[name](options || {});
  const module = await load(path.join(root, 'package.json'), name === 'html' ? '@vitest/ui/reporter' : name);
  return new module.default(options || {});
};
export default class ArgusReporter {
  async onInit(vitest) {
    const program = process.argv[1];
    const known = await knownTo(program);
    const root = vitest.config.root;
    const own = (chosen) => String(Array.isArray(chosen) ? chosen[0] : chosen).endsWith('argus-vitest.mjs');
    const named = vitest.config.reporters.some((chosen) => !own(chosen));
    const configured = [(vitest.vite || vitest.server).config.test?.reporters ?? []].flat();
    const wanted = named ? [] : configured.length > 0 ? configured : await chosenByVitest(program, known);
    const added = [];
    for (const chosen of wanted) {
      try { added.push(await reporterOf(chosen, known, root)); } catch { added.push(new known.default({})); }
    }
    added.push(new known.json({ outputFile: process.env.ARGUS_REPORT_FILE }));
    vitest.reporters.push(...added);
    for (const reporter of added) await reporter.onInit?.(vitest);
  }
}
`;

/** Jest hands its results to a processor after all reporters; this writes them in the shape of `--json`. */
export const JEST_PROCESSOR = `
const { writeFileSync } = require('node:fs');
module.exports = (results) => {
  try {
    const testResults = results.testResults.map((file) => ({
      name: file.testFilePath,
      status: file.testExecError || file.numFailingTests > 0 ? 'failed' : 'passed',
      message: file.failureMessage || '',
      startTime: file.perfStats && file.perfStats.start,
      endTime: file.perfStats && file.perfStats.end,
      assertionResults: file.testResults.map((test) => ({
        ancestorTitles: test.ancestorTitles,
        duration: test.duration,
        failureMessages: test.failureMessages,
        fullName: test.fullName,
        invocations: test.invocations,
        location: test.location,
        retryReasons: test.retryReasons,
        status: test.status,
        title: test.title,
      })),
    }));
    const { numFailedTests, numPassedTests, numPendingTests, numTodoTests, numTotalTests, startTime, success } = results;
    const summary = { numFailedTests, numPassedTests, numPendingTests, numTodoTests, numTotalTests, startTime, success };
    writeFileSync(process.env.ARGUS_REPORT_FILE, JSON.stringify({ ...summary, testResults }));
  } catch {}
  return results;
};
`;

/** What the CTRF writers share. */
const CTRF_WRITER = `
const { writeFileSync } = require('node:fs');
const path = require('node:path');
const writeCtrf = (name, start, tests) => {
  const count = (status) => tests.filter((test) => test.status === status).length;
  const summary = {
    tests: tests.length, passed: count('passed'), failed: count('failed'), skipped: count('skipped'),
    pending: count('pending'), other: count('other'), start, stop: Date.now(),
  };
  const report = { reportFormat: 'CTRF', specVersion: '0.0.0', results: { tool: { name }, summary, tests } };
  try { writeFileSync(process.env.ARGUS_REPORT_FILE, JSON.stringify(report)); } catch {}
};
const relative = (file) => file && path.relative(process.cwd(), file).split(path.sep).join('/');
`;

/** A Playwright reporter that prints nothing. */
export const PLAYWRIGHT_REPORTER = `${CTRF_WRITER}
const text = (chunks) => chunks.map(String).join('').slice(-16384).split('\\n');
const suites = (test) => {
  const [, project, , ...titles] = test.titlePath();
  return [...(project ? [project] : []), ...titles.slice(0, -1)];
};
class ArgusReporter {
  printsToStdio() { return false; }
  onBegin(config, suite) { this.suite = suite; this.start = Date.now(); this.errors = []; }
  onError(error) { (this.errors ||= []).push(error); }
  onEnd() {
    const tests = this.suite ? this.suite.allTests().map((test) => this.read(test)) : [];
    for (const error of this.errors || []) {
      const place = error.location && relative(error.location.file);
      tests.push({ name: 'outside of tests', status: 'failed', duration: 0, filePath: place,
        message: error.message, trace: error.stack || error.message });
    }
    writeCtrf('playwright', this.start || Date.now(), tests);
  }
  read(test) {
    const outcome = test.outcome();
    const last = test.results[test.results.length - 1];
    const status = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' }[outcome];
    const shown = test.results.filter((result) => result.errors.length > 0).at(-1);
    const errors = outcome === 'expected' || !shown ? [] : shown.errors;
    return {
      name: test.title,
      status,
      rawStatus: last ? last.status : 'not run',
      duration: test.results.reduce((sum, result) => sum + result.duration, 0),
      suite: suites(test),
      filePath: relative(test.location.file),
      flaky: outcome === 'flaky',
      retries: Math.max(0, test.results.length - 1),
      message: errors.map((error) => error.message || error.value || '').join('\\n') || undefined,
      trace: errors.map((error) => error.stack || '').join('\\n') || undefined,
      stdout: last && last.stdout.length ? text(last.stdout) : undefined,
      stderr: last && last.stderr.length ? text(last.stderr) : undefined,
    };
  }
}
module.exports = ArgusReporter;
`;

/** Mocha takes one reporter only, so this listens to its runner instead. */
export const MOCHA_HOOK = `${CTRF_WRITER}
try {
  const loaded = require(require.resolve('mocha', { paths: [process.cwd()] }));
  const Mocha = loaded.default || loaded;
  const run = Mocha.prototype.run;
  Mocha.prototype.run = function (...args) {
    const runner = run.apply(this, args);
    const start = Date.now();
    const tests = [];
    const retries = new Map();
    const suites = (test) => test.titlePath().slice(0, -1);
    const key = (test) => test.fullTitle();
    const add = (test, status, error) => {
      const retried = retries.get(key(test)) || 0;
      tests.push({
        name: test.title, status, rawStatus: test.state || (test.pending ? 'pending' : undefined),
        duration: test.duration || 0, suite: suites(test), filePath: relative(test.file),
        flaky: status === 'passed' && retried > 0, retries: retried,
        message: error ? String(error.message || error) : undefined,
        trace: error ? String(error.stack || '') || undefined : undefined,
      });
    };
    runner.on('retry', (test) => retries.set(key(test), (retries.get(key(test)) || 0) + 1));
    runner.on('pass', (test) => add(test, 'passed'));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.on('fail', (test, error) => add(test, 'failed', error));
    runner.once('end', () => writeCtrf('mocha', start, tests));
    return runner;
  };
} catch {}
`;
