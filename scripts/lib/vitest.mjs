// Runs the TypeScript tests of a suite whose inputs have changed since they passed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, runTool } from './exec.mjs';
import { findUnchangedFiles, listTestFiles, recordPasses } from './test-files.mjs';

const LOG_FOLDER = join(root, 'target', 'logs');
const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };

/**
 * Returns the test files of a suite (`test` or `full`) that start with one of the prefixes and with none of `except`.
 */
export function selectTestFiles(suite, prefixes = [''], except = []) {
  const begins = (file) => (prefix) => file.startsWith(prefix);
  return listTestFiles(suite).filter((file) => prefixes.some(begins(file)) && !except.some(begins(file)));
}

/**
 * @param name of the step, for its log files
 * @param files to run, except for files that passed unchanged; with `all`, every file
 * @param bail stops at the first failure
 * @returns counts of all files, with the output and the durations of the files that ran, in milliseconds
 */
export async function runVitest({ name, suite, files, all = false, bail = false, onLine }) {
  const known = all ? new Map() : findUnchangedFiles(files);
  const changed = files.filter((file) => !known.has(file));
  const before = [...known.values()].reduce(addCounts, NO_TESTS);
  const cachedNote = known.size > 0 ? `${known.size} of ${files.length} test files are as they passed` : '';
  if (changed.length === 0) return { ...before, code: 0, output: '', notes: [cachedNote], times: [] };
  const { code, output, results } = await startVitest(name, suite, bail ? ['--bail=1', ...changed] : changed, onLine);
  recordPasses(results.filter(({ isPassed, modules }) => isPassed && modules !== undefined));
  const counts = results.map((result) => result.counts).reduce(addCounts, before);
  const ended = { ...counts, code, output };
  return {
    // A runner that failed without a failed test, for example because a file did not load, counts as one failure.
    ...(code !== 0 && counts.failed === 0 ? { ...ended, failed: 1 } : ended),
    notes: [cachedNote, ...findSkippedLines(output)].filter(Boolean),
    times: results.flatMap(({ file, times }) => times.map((time) => ({ ...time, name: `${file} > ${time.name}` }))),
  };
}

async function startVitest(name, suite, filters, onLine) {
  const [report, loaded] = ['json', 'modules.jsonl'].map((ending) => join(LOG_FOLDER, `vitest-${name}.${ending}`));
  mkdirSync(LOG_FOLDER, { recursive: true });
  for (const file of [report, loaded]) rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', '--config', 'tests/vitest.config.ts', ...reporters, ...filters];
  const extraEnv = { NO_COLOR: '1', ARGUS_TESTS: suite, ARGUS_LOADED_MODULES: loaded };
  const { code, output } = await runTool('vitest', 'vitest.mjs', args, { onLine, extraEnv });
  return { code, output, results: existsSync(report) ? parseResults(report, parseLoadedModules(loaded)) : [] };
}

function parseResults(report, modules) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.map(({ name, status, assertionResults }) => {
    const file = relative(root, name).replaceAll('\\', '/');
    const count = (...wanted) => assertionResults.filter((test) => wanted.includes(test.status)).length;
    const counts = { passed: count('passed'), failed: count('failed'), skipped: count('pending', 'skipped', 'todo') };
    const times = assertionResults.map(({ fullName, duration }) => ({ name: fullName, ms: duration ?? 0 }));
    // A file with skipped tests runs again, because the missing program may be installed by then.
    const isPassed = status === 'passed' && counts.failed === 0 && counts.skipped === 0;
    return { file, counts, times, isPassed, modules: modules.get(file) };
  });
}

function parseLoadedModules(loaded) {
  if (!existsSync(loaded)) return new Map();
  const lines = readFileSync(loaded, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => JSON.parse(line)).map(({ test, modules }) => [test, modules]));
}

const addCounts = (left, right) => ({
  passed: left.passed + right.passed,
  failed: left.failed + right.failed,
  skipped: left.skipped + right.skipped,
});

/** Returns the lines about missing programs that tests/runners/installed.ts prints. */
function findSkippedLines(output) {
  return [...new Set([...output.matchAll(/^skipped: .*$/gm)].map(([line]) => line))];
}
